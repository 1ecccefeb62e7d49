"""The days that a prompt names, in the words people use for them."""

from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.recall.when import when_said

JAPAN = timezone(timedelta(hours=9))
NOW = datetime(2026, 6, 10, 15, 30, tzinfo=JAPAN)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "start", "stop"),
    [
        ("昨日の会議", date(2026, 6, 9), date(2026, 6, 10)),
        ("yesterday's outage", date(2026, 6, 9), date(2026, 6, 10)),
        ("おととい決めた色", date(2026, 6, 8), date(2026, 6, 9)),
        ("the day before yesterday", date(2026, 6, 8), date(2026, 6, 9)),
        ("昨日おとといくらいに見たエラー", date(2026, 6, 7), date(2026, 6, 10)),
        ("先週の障害", date(2026, 6, 1), date(2026, 6, 8)),
        ("last week we broke it", date(2026, 6, 1), date(2026, 6, 8)),
        ("先々週の話", date(2026, 5, 25), date(2026, 6, 1)),
        ("今週の設計", date(2026, 6, 8), date(2026, 6, 11)),
        ("先月の請求", date(2026, 5, 1), date(2026, 6, 1)),
        ("this month", date(2026, 6, 1), date(2026, 6, 11)),
        ("去年の移行", date(2025, 1, 1), date(2026, 1, 1)),
        ("一昨年の移行", date(2024, 1, 1), date(2025, 1, 1)),
        ("3日前のログ", date(2026, 6, 6), date(2026, 6, 9)),
        ("a couple of days ago", date(2026, 6, 7), date(2026, 6, 10)),
        ("two weeks ago", date(2026, 5, 24), date(2026, 5, 31)),
        ("日曜に直した", date(2026, 6, 7), date(2026, 6, 8)),
        ("水曜に決めた", date(2026, 6, 3), date(2026, 6, 4)),
        ("on Monday we chose it", date(2026, 6, 8), date(2026, 6, 9)),
        ("last weekend", date(2026, 6, 6), date(2026, 6, 8)),
        ("12月に決めた単価", date(2025, 12, 1), date(2026, 1, 1)),
        ("in March we moved", date(2026, 3, 1), date(2026, 4, 1)),
        ("この間のやつ", date(2026, 5, 20), date(2026, 6, 11)),
        ("what was it the other day", date(2026, 5, 20), date(2026, 6, 11)),
    ],
)
def test_a_span_of_days_is_told_by_its_words(text: str, start: date, stop: date):
    when = when_said(text, NOW)
    assert when is not None
    assert (when.start.date(), when.stop.date()) == (start, stop)
    assert when.start.tzinfo is JAPAN


@pytest.mark.parametrize(
    "text", ["鍵の場所は？", "monday.com の API", "昨日今日の話ではない"[2:], "1月号", "the March hare", ""]
)
def test_words_that_name_no_days_tell_none(text: str):
    assert when_said(text, NOW) is None


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("先週のDNSの担当は？", "DNSの担当は？"),
        ("remind me what we chose the other day", "remind me what we chose"),
        ("水曜の定例は何時から？", "水曜の定例は何時から？"),
        ("12月に決めた単価", "12月に決めた単価"),
    ],
)
def test_relative_words_leave_the_cue_and_names_of_days_stay(text: str, rest: str):
    when = when_said(text, NOW)
    assert when is not None
    assert when.rest == rest


@given(st.text(max_size=40), st.datetimes(datetime(1971, 1, 1), datetime(2090, 1, 1)))
def test_any_text_at_any_time_is_understood_or_left_alone(text: str, now: datetime):
    when = when_said(text, now.replace(tzinfo=JAPAN))
    assert when is None or when.start < when.stop


@given(st.integers(0, 999), st.sampled_from(["日前", "週間前", "ヶ月前", "年前"]))
def test_any_number_of_units_ago_lies_in_the_past_or_before_all_time(number: int, unit: str):
    when = when_said(f"{number}{unit}の話", NOW)
    assert when is None or when.start < when.stop <= NOW + timedelta(days=1)
