"""The archive suggests lessons where something was mended, or had to be corrected, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from sui_memory.mind.suggesting import CORRECTED, MENDED, Candidate, suggest
from sui_memory.types import Branch, Exchange, Memory

START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)


def session(*turns: tuple[str, str], name: str = "s", day: int = 0) -> list[Memory]:
    """Return the memories of a session, a question and an answer each."""
    return [
        Memory(
            Exchange(
                f"{name}-{number}",
                "f",
                name,
                "/code/app",
                question,
                answer,
                asked_at=START + timedelta(days=day, minutes=number),
            )
        )
        for number, (question, answer) in enumerate(turns)
    ]


FAILED = ("npm test がエラーになる: ModuleNotFoundError", "調べました。")
FIX = ("もう一度みて", "`NODE_ENV=test` を付けないと設定が読まれません。付けて実行してください。")


@pytest.mark.parametrize(
    "word", ["直った！", "動いたよ、ありがとう", "works now, thanks", "it's fixed", "that worked"]
)
def test_what_failed_and_was_mended_is_a_candidate(word: str) -> None:
    memories = session(FAILED, FIX, (word, "何よりです。"))
    assert suggest(memories) == [
        Candidate(MENDED, ("npm test",), FIX[1], memories[1].id),
    ]


@pytest.mark.parametrize("word", ["まだ直ってない", "does it work?", "still failing", "動かない"])
def test_what_is_not_mended_is_none(word: str) -> None:
    assert suggest(session(FAILED, FIX, (word, "もう一度。"))) == []


def test_what_works_much_later_may_be_something_else() -> None:
    between = [(f"別の話 {number}", "はい。") for number in range(5)]
    assert suggest(session(FAILED, *between, ("動いた", "はい。"))) == []


@pytest.mark.parametrize(
    "correction",
    [
        "違う、migrationは別ファイルにして",
        "そうじゃなくて、既存の関数を使って",
        "新しい関数じゃなくて既存のを使って",
        "no, don't touch the schema",
        "Not like that, keep the old name",
        "use the helper instead",
    ],
)
def test_a_correction_after_an_answer_is_a_candidate(correction: str) -> None:
    memories = session(("users.sql を直して", "直しました。"), (correction, "分かりました。"))
    assert suggest(memories) == [Candidate(CORRECTED, ("users.sql",), correction, memories[1].id)]


@pytest.mark.parametrize(
    "text",
    [
        "続けて",
        "同じ要領で tides.sql も",
        "I don't know what this means",
        "間違いを探して",
        "いい感じ",
        "no problem",
    ],
)
def test_what_is_no_correction_is_none(text: str) -> None:
    assert suggest(session(("users.sql を直して", "直しました。"), (text, "はい。"))) == []


def test_a_correction_needs_something_that_was_done() -> None:
    assert suggest(session(("users.sql を直して", ""), ("違う、別のファイル", "はい。"))) == []


def test_near_duplicates_are_one_and_counted_the_latest_first() -> None:
    pushed = ("git push して", "しました。")
    words = "違う、pushの前にREADMEがあるか確かめてから進めてほしい"
    memories = [
        *session(pushed, (words, "はい。"), name="a"),
        *session(pushed, (f"{words}。", "はい。"), name="b", day=1),
        *session(("users.sql を直して", "直しました。"), ("違う、戻して", "はい。"), name="c", day=2),
    ]
    found = suggest(memories)
    assert [(each.times, each.source_id) for each in found] == [(2, memories[3].id), (1, memories[5].id)]
    assert suggest(memories, limit=1) == found[:1]


def test_what_was_rewound_or_said_by_programs_suggests_nothing() -> None:
    memories = session(("users.sql を直して", "直しました。"), ("違う、戻して", "はい。"))
    for changes in ({"branch": Branch.ABANDONED}, {"auto": True}, {"sidechain": True}):
        others = [replace(each, exchange=replace(each.exchange, **changes)) for each in memories]
        assert suggest(others) == []


def test_a_long_answer_is_told_by_its_first_sentences() -> None:
    answer = "まず設定を直します。" + "そのあと説明が続きます。" * 60
    (found,) = suggest(session(FAILED, ("?", answer), ("直った", "はい")))
    assert found.action.startswith("まず設定を直します。")
    assert len(found.action) <= 300
