"""Lessons come from and go to JSON, whole or not at all, entry by entry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.errors import UsageError
from sui_memory.mind.registry import add_new, read_registry, registry_of
from sui_memory.redaction import redact
from sui_memory.store import open_store
from sui_memory.store.lessons import Lesson, Lessons
from tests.store.samples import PlainAnalyzer

PUSH = Lesson("check README", ("git push", "プッシュ"), "push(ed)?", "/code/app", "Bash", 4)


@pytest.fixture
def lessons(tmp_path: Path) -> Iterator[Lessons]:
    store = open_store(tmp_path / "memory.db", analyzer=PlainAnalyzer())
    yield store.lessons
    store.close()


def read(value: object) -> tuple[list[Lesson], list[str]]:
    return read_registry(json.dumps(value).encode(), redact)


@pytest.mark.parametrize(
    ("entry", "lesson"),
    [
        ({"keywords": ["deploy"], "action": "ask"}, Lesson("ask", ("deploy",))),
        ({"trigger": "deploy", "then": "ask"}, Lesson("ask", ("deploy",))),
        ({"if": ["deploy"], "action": "ask", "importance": 5}, Lesson("ask", ("deploy",), priority=5)),
        ({"pattern": "de+ploy", "action": "ask", "keywords": []}, Lesson("ask", pattern="de+ploy")),
        ({"trigger": "x1", "action": "ask", "tool": "", "project": None}, Lesson("ask", ("x1",))),
        ({"trigger": "x1", "action": "ask", "confidence": 0.9, "id": "abc"}, Lesson("ask", ("x1",))),
    ],
)
def test_the_parts_of_an_entry_have_several_names(entry: dict[str, object], lesson: Lesson) -> None:
    assert read([entry]) == read({"lessons": [entry], "version": 1}) == ([lesson], [])


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ("deploy", "an object"),
        ({"action": "ask"}, "needs a trigger"),
        ({"trigger": "deploy"}, "needs words"),
        ({"trigger": "deploy", "action": 3}, "Its action is no text"),
        ({"trigger": {"word": "deploy"}, "action": "ask"}, "no list of texts"),
        ({"trigger": ["deploy", 3], "action": "ask"}, "no list of texts"),
        ({"trigger": "deploy", "action": "ask", "priority": 9}, "from 1 to 5, not 9"),
        ({"trigger": "deploy", "action": "ask", "priority": "high"}, "from 1 to 5, not 'high'"),
        ({"trigger": "deploy", "action": "ask", "priority": True}, "from 1 to 5, not True"),
        ({"pattern": "(a+)+", "action": "ask"}, "repeats something that repeats"),
    ],
)
def test_an_entry_that_makes_no_sense_is_left_out_with_a_sentence(entry: object, sentence: str) -> None:
    good = {"trigger": "deploy", "action": "ask"}
    found, problems = read([good, entry])
    assert found == [Lesson("ask", ("deploy",))]
    assert len(problems) == 1
    assert problems[0].startswith("Entry 2 was left out: ")
    assert sentence in problems[0]


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"3", b'{"rules": []}', b"[" * 200_000])
def test_what_is_no_registry_is_refused(data: bytes) -> None:
    with pytest.raises(UsageError):
        read_registry(data, redact)


def test_secrets_in_a_registry_are_masked() -> None:
    (lesson,), _ = read([{"trigger": "deploy", "action": "use password=hunter2-Xk9"}])
    assert "hunter2" not in lesson.action


def test_what_is_there_already_is_not_added_again(lessons: Lessons) -> None:
    found, _ = read(registry_of([PUSH, PUSH]))
    assert [(each.keywords, each.priority) for each in add_new(lessons, found)] == [(PUSH.keywords, 4)]
    assert add_new(lessons, found) == []
    assert len(lessons.lessons()) == 1


_WORDS = st.text("abcデプロイ本番 -", min_size=4, max_size=12).filter(lambda text: len(text.split()) == 1)


@given(st.lists(st.builds(Lesson, _WORDS.map(str.strip), st.tuples(_WORDS), priority=st.integers(1, 5))))
def test_what_is_exported_comes_back_the_same(lessons: list[Lesson]) -> None:
    found, problems = read(registry_of(lessons))
    assert len(found) + len(problems) == len(lessons)
    if not problems:
        assert read(registry_of(found)) == (found, [])
