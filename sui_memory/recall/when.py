"""When: the days that a prompt names, 「先週の」 or "the other day", as a span of time.

People remember by when it was said. The words themselves are in no memory of that day, so they are taken out
of the cue, and what was said in that span gains instead (`scoring.timely`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

RECENT_DAYS = 21
"""What 「この間」 and "the other day" reach back to; people are vague about it, so it is generous."""

FEW = 4  # 「数日前」, "a few weeks ago"

_Days = tuple[int, int]  # from and to, in days before today, both included


@dataclass(frozen=True, slots=True)
class When:
    """A span of days that a prompt names, `stop` not included, and the prompt without those words.

    Names of weekdays and months stay in the `rest`: 「水曜の定例」 is what a meeting is called.
    """

    start: datetime
    stop: datetime
    rest: str


def when_said(text: str, now: datetime) -> When | None:
    """Return the first span of time that a text names, in the time zone of `now`; None when it names none."""
    for pattern, days in _PHRASES:
        match = pattern.search(text)
        if match is None:
            continue
        oldest, newest = days(match, now)
        today = now.replace(hour=0, minute=0, second=0, microsecond=0)
        try:
            start, stop = today - timedelta(days=oldest), today - timedelta(days=newest - 1)
        except OverflowError:  # 「99999年前」
            return None
        return When(start, stop, text if days in _NAMED else _without(match))
    return None


def _without(match: re.Match[str]) -> str:
    return f"{match.string[: match.start()]} {match.string[match.end() :]}".strip()


def _always(oldest: int, newest: int) -> Callable[[re.Match[str], datetime], _Days]:
    return lambda _, __: (oldest, newest)


def _last_weekend(_: re.Match[str], now: datetime) -> _Days:
    sunday = now.weekday() + 1
    return sunday + 1, sunday


def _week(ago: int) -> Callable[[re.Match[str], datetime], _Days]:
    """Return the days of a week, which begins on Monday, so many weeks ago."""

    def days(_: re.Match[str], now: datetime) -> _Days:
        monday = now.weekday() + 7 * ago
        return monday, max(0, monday - 6)

    return days


def _month(ago: int) -> Callable[[re.Match[str], datetime], _Days]:
    """Return the days of a calendar month, so many months ago."""

    def days(_: re.Match[str], now: datetime) -> _Days:
        return _days_of_month(now, ago)

    return days


def _days_of_month(now: datetime, ago: int) -> _Days:
    months = now.year * 12 + now.month - 1 - ago
    first = now.replace(year=months // 12, month=months % 12 + 1, day=1)
    following = (first + timedelta(days=32)).replace(day=1)
    return (now - first).days, max(0, (now - following).days + 1)


def _year(ago: int) -> Callable[[re.Match[str], datetime], _Days]:
    def days(_: re.Match[str], now: datetime) -> _Days:
        first = now.replace(year=now.year - ago, month=1, day=1)
        return (now - first).days, max(0, (now - first.replace(year=first.year + 1)).days + 1)

    return days


def _named_month(match: re.Match[str], now: datetime) -> _Days:
    """Return the days of the last month of that name, this one included."""
    name = match["month"]
    month = int(name) if name.isdigit() else _MONTHS.index(name[:3].lower()) + 1
    return _days_of_month(now, (now.month - month) % 12) if 1 <= month <= 12 else (0, 0)


def _weekday(match: re.Match[str], now: datetime) -> _Days:
    """Return the last day of that name before today."""
    name = match["day"] or match["ja"]
    wanted = "月火水木金土日".find(name) if len(name) == 1 else _WEEKDAYS.index(name[:3].lower())
    ago = (now.weekday() - wanted - 1) % 7 + 1
    return ago, ago


def _so_long_ago(match: re.Match[str], _: datetime) -> _Days:
    """Return the days about so many units ago: half a unit to either side, and a day at least."""
    said = match["number"]
    number = _NUMBERS.get(said.lower()) or (int(said) if said.isdecimal() else FEW)
    unit = _UNITS[match["unit"].lower().rstrip("s")]
    slack = max(1 if unit == 1 else 0, unit // 2, number * unit // 6)
    return number * unit + slack, max(0, number * unit - slack)


_NAMED = (_weekday, _named_month)
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_UNITS = {"日": 1, "day": 1, "週間": 7, "週": 7, "week": 7, "ヶ月": 30, "month": 30, "年": 365, "year": 365}
_UNITS |= {"か月": 30, "カ月": 30, "ヵ月": 30, "ケ月": 30, "箇月": 30}
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_NUMBERS |= {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6}

_PHRASES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], _Days]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), days)
    for pattern, days in (
        (r"昨日(?:か|や|と|、)?(?:一昨日|おととい)(?:くらい|ぐらい|あたり|頃)?(?:に|の)?", _always(3, 1)),
        (r"\b(?:the )?day before yesterday\b|(?:一昨日|おととい)(?:に|の)?", _always(2, 2)),
        (r"\byesterday(?:'s)?\b|(?:昨日|きのう|昨夜|ゆうべ|昨晩)(?:に|の)?", _always(1, 1)),
        (r"(?P<number>\d{1,3}|[一二三四五六数])(?P<unit>日|週間|[ヶかカヵケ箇]月|年)(?:くらい|ぐらい|ほど)?前(?:に|の)?",
         _so_long_ago),
        (r"\b(?P<number>\d{1,3}|an?|one|two|three|four|five|six|a few|several|some|a couple of)"
         r" (?P<unit>days?|weeks?|months?|years?) (?:ago|back)\b", _so_long_ago),
        (r"先々週(?:に|の)?|\b(?:the )?week before last\b", _week(2)),
        (r"\b(?:last|on the|over the) weekend\b|(?:先週の?)?週末(?:に|の)?", _last_weekend),
        (r"\blast week(?:'s)?\b|先週(?:に|の)?", _week(1)),
        (r"\bthis week(?:'s)?\b|今週(?:に|の)?", _week(0)),
        (r"先々月(?:に|の)?|\b(?:the )?month before last\b", _month(2)),
        (r"\blast month(?:'s)?\b|先月(?:に|の)?", _month(1)),
        (r"\bthis month(?:'s)?\b|今月(?:に|の)?", _month(0)),
        (r"(?:一昨年|おととし)(?:に|の)?", _year(2)),
        (r"\blast year(?:'s)?\b|(?:去年|昨年)(?:に|の)?", _year(1)),
        (r"\b(?:last|on|this) (?P<day>mon|tues?|wednes|thurs?|fri|satur|sun)day\b"
         r"|(?:この前の|先週の)?(?P<ja>[月火水木金土日])曜日?(?:に|の)?", _weekday),
        (r"(?<!\d)(?P<month>1[0-2]|[1-9])月(?:に|の|頃)(?!\d)", _named_month),
        (r"\b(?:in|last) (?P<month>january|february|march|april|may|june|july|august|september|october"
         r"|november|december)\b", _named_month),
        (r"(?:この間|こないだ|この前|先日|つい最近|最近)(?:に|の)?"
         r"|\b(?:the other day(?:'s)?|recently|lately|a while ago)\b", _always(RECENT_DAYS, 0)),
    )
)  # fmt: skip
