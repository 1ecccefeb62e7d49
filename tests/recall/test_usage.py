"""Of what a session was shown, the answers that are archived tell what it made use of."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from sui_memory.recall import judge_shown
from sui_memory.store.ledger import Injection, Shown, prompt_hash
from sui_memory.types import Exchange, Status, Usage
from tests.recall.conftest import NOW, Archive

QUESTION = "署名の鍵はどこに置く？"
ASKED = "署名の鍵はどこだっけ"
DRAWN = "vault/pan にあります。替えるのは森さんで、九十日ごとです。"
"""An answer that could not be given without the memory."""


@pytest.fixture(name="key")
def key_fixture(empty: Archive) -> Exchange:
    for number in range(8):
        empty.add(f"頁 {number} の余白を直して", "余白を直して、テストを通しました。")
    return empty.add(
        QUESTION, "署名の鍵は vault/pan に置き、九十日ごとに森さんが替えます。権限は 0600 です。"
    )


def show(archive: Archive, *shown: Exchange, prompt: str = ASKED, at: datetime = NOW) -> int:
    """Record that the session `now` was shown memories with a prompt."""
    memories = tuple(Shown(exchange.id, 0.5) for exchange in shown)
    return archive.store.ledger.record(
        Injection(at, "now", "UserPromptSubmit", prompt_hash(prompt), memories=memories)
    )


def answer(archive: Archive, answer: str, question: str = ASKED, **fields) -> Exchange:
    return archive.add(question, answer, **{"session": "now", "asked_at": NOW, **fields})


def judge(archive: Archive) -> int:
    return judge_shown(
        "now", store=archive.store, ledger=archive.store.ledger, analyzer=archive.tools.analyzer
    )


def usage(archive: Archive, *exchanges: Exchange) -> list[Usage | None]:
    found = archive.store.ledger.feedback([exchange.id for exchange in exchanges])
    return [found.get(exchange.id) for exchange in exchanges]


def test_what_the_answer_repeats_was_used_and_what_stood_beside_it_was_not(empty: Archive, key: Exchange):
    other = empty.add("鍵のかかる棚は？", "三階の奥の棚だけに錠前があり、佐藤さんが管理しています。")
    show(empty, key, other)
    answer(empty, DRAWN)
    assert judge(empty) == 1
    assert usage(empty, key, other) == [Usage(1, 1), Usage(1, 0)]


def test_an_answer_is_judged_once(empty: Archive, key: Exchange):
    show(empty, key)
    answer(empty, DRAWN)
    assert [judge(empty), judge(empty)] == [1, 0]
    assert usage(empty, key) == [Usage(1, 1)]


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        (DRAWN, {"session": "another"}),
        (DRAWN, {"question": "余白を直して"}),
        ("", {"status": Status.UNANSWERED}),
    ],
)
def test_nothing_is_known_before_the_answer_of_that_prompt_is_archived(empty, key, said, fields):
    show(empty, key)
    answer(empty, said, **fields)
    assert judge(empty) == 0
    assert usage(empty, key) == [None]


def test_a_memory_that_tells_no_more_than_the_prompt_is_not_counted(empty: Archive):
    vague = empty.add("鍵は？", "署名の鍵です。")
    show(empty, vague)
    answer(empty, DRAWN)
    assert judge(empty) == 1
    assert usage(empty, vague) == [None]


def test_of_a_prompt_said_again_and_again_the_answer_at_that_time_counts(empty: Archive, key: Exchange):
    show(empty, key, at=NOW + timedelta(hours=1))
    answer(empty, "分かりません。")
    answer(empty, DRAWN, asked_at=NOW + timedelta(hours=1))
    assert judge(empty) == 1
    assert usage(empty, key) == [Usage(1, 1)]


def test_a_prompt_typed_while_the_agent_worked_is_known_again(empty: Archive, key: Exchange):
    show(empty, key)
    answer(empty, DRAWN, question="頁の余白を直して", followups=(ASKED,))
    assert judge(empty) == 1
    assert usage(empty, key) == [Usage(1, 1)]


def test_the_answers_to_programs_count_too(empty: Archive, key: Exchange):
    show(empty, key)
    answer(empty, DRAWN, auto=True)
    assert judge(empty) == 1


def test_a_memory_forgotten_meanwhile_is_passed_over(empty: Archive, key: Exchange):
    show(empty, key)
    answer(empty, DRAWN)
    empty.store.forget([key.key], {})
    assert judge(empty) == 0


def test_what_was_used_comes_before_its_like_and_what_was_ignored_after_it(empty: Archive):
    for number in range(30):
        empty.add(f"棚 {number} の札を書いて", "札を書きました。")
    first = empty.add("会議室の予約はどうする？", "会議室の予約は受付の台帳に書きます。", session="s1")
    second = empty.add("会議室の予約はどうなった？", "会議室の予約は画面の共有暦に移しました。", session="s2")
    for number in range(6):
        at = NOW + timedelta(minutes=number)
        show(empty, first, second, prompt="会議室の予約は？", at=at)
        answer(empty, "受付の台帳に書いてください。", question="会議室の予約は？", asked_at=at)
    assert judge(empty) == 6
    assert usage(empty, first, second) == [Usage(6, 6), Usage(6, 0)]
    ledger = empty.store.ledger

    def scores(**options) -> dict[str, float]:
        hits = empty.prompt("会議室の予約", **options).hits
        return {hit.memory.exchange.key: hit.score for hit in hits}

    plain, moved = scores(), scores(usages=ledger.feedback)
    assert moved[first.key] > plain[first.key]
    assert moved.get(second.key, 0.0) < plain[second.key]
