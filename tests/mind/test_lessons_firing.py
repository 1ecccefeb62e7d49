"""Lessons fire on their words and on nothing else, and the most important first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.mind.firing import MOST, Rules, Telling, fire, holds_in
from sui_memory.mind.patterns import SECONDS
from sui_memory.mind.triggers import HEAD, TAIL, Triggers, folded, is_word
from sui_memory.store import SqliteStore, open_store
from sui_memory.store.lessons import Lesson, Reminder
from tests.store.samples import PlainAnalyzer

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
SET = json.loads((Path(__file__).parents[2] / "benchmarks" / "lessons.json").read_text("utf-8"))["lessons"]


def lesson_of(entry: dict[str, Any], number: int = 0) -> Lesson:
    return Lesson(
        entry["action"],
        tuple(entry.get("keywords", ())),
        entry.get("pattern"),
        priority=entry["priority"],
        id=number,
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = open_store(tmp_path / "memory.db", analyzer=PlainAnalyzer())
    yield store
    store.close()


@pytest.fixture
def rules(store: SqliteStore) -> Rules:
    return Rules(store.lessons)


CASES = [(entry, prompt) for entry in SET for prompt in entry["prompts"]]
OTHERS = [(entry, text) for entry in SET for text in entry["others"]]


def test_the_prepared_set_is_large_enough_to_say_something() -> None:
    assert len(SET) >= 20
    assert all(len(entry["prompts"]) >= 3 for entry in SET)


@pytest.mark.parametrize(("entry", "prompt"), CASES)
def test_a_lesson_fires_on_a_prompt_with_its_words(entry: dict[str, Any], prompt: str) -> None:
    assert fire([lesson_of(entry)], prompt)


@pytest.mark.parametrize(("entry", "text"), OTHERS)
def test_a_lesson_does_not_fire_on_words_that_only_look_like_its_own(
    entry: dict[str, Any], text: str
) -> None:
    assert fire([lesson_of(entry)], text) == []


@pytest.mark.parametrize(
    ("keyword", "text", "fires"),
    [
        ("api", "ＡＰＩを叩く", True),
        ("api", "the API.", True),
        ("api", "rapid", False),
        ("api", "api_key", False),
        ("api", "my-api-key", True),
        ("push", "rapush, then push", True),
        ("git push", "git\n  push", True),
        ("Straße", "die STRASSE", True),
        ("エラー", "エラーメッセージ", True),
        ("c++", "in C++ it is", True),
        ("c++", "objc++", False),
        (".env", "read .env now", True),
        ("ruby3", "ruby30", False),
        ("v2を", "api_v2を", False),
        ("кот", "который", False),
    ],
)
def test_a_keyword_is_a_whole_word_where_words_have_ends(keyword: str, text: str, *, fires: bool) -> None:
    assert is_word(folded(keyword), folded(text)) is fires


@given(st.text(max_size=60), st.text(min_size=1, max_size=20))
def test_firing_takes_any_text_and_finds_only_what_is_there(text: str, keyword: str) -> None:
    found = Triggers([[keyword]], [None]).found(text)
    assert found in ([0], [])
    assert not found or folded(keyword) in folded(text)


@given(st.lists(st.sampled_from(["push", "deploy", "本番", "csv"]), max_size=6))
def test_many_lessons_fire_as_each_alone_would(words: list[str]) -> None:
    text = " ".join(words)
    keywords = ["push", "deploy", "本番", "csv", "never"]
    together = Triggers([[word] for word in keywords], [None] * 5).found(text)
    assert together == [number for number, word in enumerate(keywords) if fire([Lesson("a", (word,))], text)]


def test_a_long_text_is_looked_at_where_it_begins_and_ends() -> None:
    triggers = Triggers([["deploy"]], [None])
    assert triggers.found("deploy" + " x" * 9_000) == triggers.found("x " * 9_000 + "deploy") == [0]
    assert triggers.found("x " * HEAD + "deploy" + " x" * TAIL) == []


def test_a_pattern_fires_in_any_case_and_width() -> None:
    lesson = Lesson("look", pattern=r"drop\s+table")
    assert fire([lesson], "DROP\nTABLE users") == [lesson]
    assert fire([lesson], "ＤＲＯＰ　ＴＡＢＬＥ") == [lesson]
    assert fire([lesson], "drop the table") == []


def test_two_fire_at_most_the_highest_priority_first_then_the_least_recent() -> None:
    lessons = [
        Lesson("a", ("x1",), priority=3, id=1, fired_at=NOW),
        Lesson("b", ("x1",), priority=3, id=2),
        Lesson("c", ("x1",), priority=3, id=3, fired_at=NOW - timedelta(days=1)),
        Lesson("d", ("x1",), priority=5, id=4, fired_at=NOW),
        Lesson("e", ("x1",), priority=1, id=5),
    ]
    assert [lesson.id for lesson in fire(lessons, "x1")] == [4, 2]
    assert [lesson.id for lesson in fire(lessons[:1] + lessons[2:3], "x1")] == [3, 1]


@pytest.mark.parametrize(
    ("own", "project", "holds"),
    [
        (None, "/code/app", True),
        (None, None, True),
        ("/code/app", "/code/app", True),
        ("/code/app", "/code/app/web", True),
        ("/code/app", "/code/application", False),
        ("/code/app", "/backup/code/app", False),
        ("app", "/code/app", True),
        ("code/app", "/home/code/app", True),
        ("app", "/code/myapp", False),
        ("/code/app", None, False),
    ],
)
def test_a_lesson_holds_in_its_project_alone(own: str | None, project: str | None, *, holds: bool) -> None:
    lesson = Lesson("a", ("deploy",), project=own)
    assert holds_in(lesson, project) is holds
    assert bool(fire([lesson], "deploy", project)) is holds


def test_rules_follow_the_store(rules: Rules, store: SqliteStore) -> None:
    assert rules.for_prompt("deploy", None, NOW) == Telling()
    lesson = store.lessons.add(Lesson("ask", ("deploy",)))
    assert rules.for_prompt("deploy", None, NOW).lessons == (lesson,)
    store.lessons.remove(lesson.id)
    assert not rules.for_prompt("deploy", None, NOW)


def test_what_fired_last_gives_way_to_others(rules: Rules, store: SqliteStore) -> None:
    ids = [store.lessons.add(Lesson("ask", ("deploy",))).id for _ in range(4)]
    seen: list[int] = []
    for hour in range(3):
        fired = [lesson.id for lesson in rules.for_prompt("deploy", None, NOW).lessons]
        store.lessons.fired(fired, NOW + timedelta(hours=hour))
        seen += fired
    assert seen == [*ids, *ids[:2]]
    assert MOST == 2


def test_what_a_session_was_told_is_not_told_again(rules: Rules, store: SqliteStore) -> None:
    lessons = [store.lessons.add(Lesson("ask", ("deploy",))) for _ in range(3)]
    store.lessons.remind(Reminder("call", "deploy"))
    first = rules.for_prompt("deploy", None, NOW)
    assert first.names == {"lesson 1", "lesson 2", "reminder 1"}
    then = rules.for_prompt("deploy", None, NOW, first.names)
    assert then == Telling((lessons[2],))


def test_a_lesson_of_a_tool_fires_before_that_tool_alone(rules: Rules, store: SqliteStore) -> None:
    lesson = store.lessons.add(Lesson("check README", ("git push",), tool="Bash", project="/code/app"))
    assert not rules.for_prompt("git push", "/code/app", NOW)
    assert rules.for_tool("Bash", "git push origin", "/code/app").lessons == (lesson,)
    assert not rules.for_tool("Bash", "git push origin", "/code/other")
    assert not rules.for_tool("Bash", "git status", "/code/app")
    assert not rules.for_tool("Write", "git push", "/code/app")
    assert not rules.for_tool("Bash", "git push", "/code/app", frozenset({f"lesson {lesson.id}"}))


def test_a_telling_is_cut_to_its_first_lines() -> None:
    telling = Telling((Lesson("a"), Lesson("b")), (Reminder("c"), Reminder("d")))
    assert [telling.first(number) for number in (0, 1, 3, 9)] == [
        Telling(),
        Telling(telling.lessons[:1]),
        Telling(telling.lessons, telling.reminders[:1]),
        telling,
    ]
    assert replace(telling) == telling


def test_many_patterns_that_never_end_keep_no_prompt_waiting() -> None:
    endless = [f"(a+)+{end}$" for end in "bcdefghij" * 20]
    started = monotonic()
    assert Triggers([["deploy"], *([] for _ in endless)], [None, *endless]).found(
        "deploy bcdefghij " + "a" * 1_000 + "!"
    ) == [0]
    assert monotonic() - started < len(endless) * SECONDS / 2
