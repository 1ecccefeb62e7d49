"""Lessons and reminders in SQLite: kept, counted, and known to have changed by whoever holds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sui_memory.errors import NotFoundError, StoreError
from sui_memory.store import SqliteStore, open_store
from sui_memory.store.lessons import Lesson, Lessons, Reminder
from sui_memory.store.sqlite.lessons import tools_in
from tests.store.behaviours.ledgering import MEMORIES
from tests.store.samples import PlainAnalyzer, change

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
PUSH = Lesson(
    "check that README exists", ("git push", "プッシュ"), "push(?:ed)?", "/p", "Bash", 4, created_at=NOW
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = open_store(tmp_path / "memory.db", analyzer=PlainAnalyzer())
    yield store
    store.close()


@pytest.fixture
def lessons(store: SqliteStore) -> Lessons:
    return store.lessons


def test_a_lesson_comes_back_as_it_was_stored(lessons: Lessons) -> None:
    stored = lessons.add(PUSH)
    assert stored == replace(PUSH, id=stored.id)
    assert lessons.lessons() == [stored]


def test_the_highest_priority_comes_first_then_the_oldest(lessons: Lessons) -> None:
    ids = [lessons.add(Lesson("do", ("x",), priority=priority)).id for priority in (2, 5, 2, 3)]
    assert [lesson.id for lesson in lessons.lessons()] == [ids[1], ids[3], ids[0], ids[2]]


def test_a_lesson_is_replaced_and_removed_by_its_id(lessons: Lessons) -> None:
    stored = lessons.add(PUSH)
    lessons.fired([stored.id], NOW)
    lessons.replace(replace(stored, action="look twice", keywords=("force",), tool=None))
    assert [(one.action, one.keywords, one.tool, one.fired) for one in lessons.lessons()] == [
        ("look twice", ("force",), None, 1)
    ]
    lessons.remove(stored.id)
    assert lessons.lessons() == []


@pytest.mark.parametrize(
    "change",
    [lambda lessons: lessons.replace(replace(PUSH, id=7)), lambda lessons: lessons.remove(7)],
)
def test_a_lesson_that_is_not_there_can_be_neither_replaced_nor_removed(
    lessons: Lessons, change: Callable[[Lessons], None]
) -> None:
    with pytest.raises(NotFoundError, match="no lesson 7"):
        change(lessons)


def test_an_id_is_never_given_twice(lessons: Lessons) -> None:
    first = lessons.add(PUSH)
    lessons.remove(first.id)
    assert lessons.add(PUSH).id > first.id


def test_firing_is_counted_and_dated(lessons: Lessons) -> None:
    one, other = lessons.add(PUSH), lessons.add(PUSH)
    lessons.fired([one.id, 99], NOW)
    lessons.fired([one.id], NOW + timedelta(hours=1))
    assert [(each.fired, each.fired_at) for each in lessons.lessons()] == [
        (2, NOW + timedelta(hours=1)),
        (0, None),
    ]
    assert lessons.last_fired([one.id, other.id]) == {one.id: NOW + timedelta(hours=1)}


def test_a_priority_out_of_range_is_refused(lessons: Lessons) -> None:
    with pytest.raises(StoreError):
        lessons.add(replace(PUSH, priority=9))


def test_a_lesson_outlives_the_memory_that_it_comes_from(store: SqliteStore) -> None:
    store.commit([change(*MEMORIES)])
    source = MEMORIES[0].id
    stored = store.lessons.add(replace(PUSH, source_id=source))
    assert stored.source_id == source
    before = store.lessons.version()
    store.forget([MEMORIES[0].key], {})
    assert [lesson.source_id for lesson in store.lessons.lessons()] == [None]
    assert store.lessons.version() != before


def test_the_version_changes_with_what_fires_and_not_with_counting(
    lessons: Lessons, store: SqliteStore
) -> None:
    seen = [lessons.version()]

    def changed() -> bool:
        seen.append(lessons.version())
        return seen[-1] != seen[-2]

    stored = lessons.add(PUSH)
    assert changed()
    lessons.fired([stored.id], NOW)
    assert not changed()
    lessons.replace(replace(stored, action="other"))
    assert changed()
    lessons.remove(stored.id)
    assert changed()
    reminder = lessons.remind(Reminder("call", "phone", left=1))
    assert changed()
    lessons.told([reminder.id], NOW)
    assert changed()
    other = open_store(store.path, analyzer=PlainAnalyzer())
    other.lessons.add(PUSH)
    other.close()
    assert changed()


def test_a_reminder_comes_back_as_it_was_stored(lessons: Lessons) -> None:
    reminder = Reminder("call", "phone", NOW, NOW + timedelta(days=1), left=3, created_at=NOW)
    stored = lessons.remind(reminder)
    assert stored == replace(reminder, id=stored.id)
    assert lessons.reminders() == [stored]


def test_a_reminder_that_was_told_often_enough_is_gone(lessons: Lessons) -> None:
    twice, ever = lessons.remind(Reminder("a", "x", left=2)), lessons.remind(Reminder("b", "x"))
    lessons.told([twice.id, ever.id], NOW)
    assert [(one.left, one.told) for one in lessons.reminders()] == [(1, 1), (None, 1)]
    lessons.told([twice.id, ever.id], NOW)
    assert [one.id for one in lessons.reminders()] == [ever.id]
    lessons.dismiss(ever.id)
    assert lessons.reminders() == []
    with pytest.raises(NotFoundError, match="no reminder"):
        lessons.dismiss(ever.id)


def test_secrets_in_lessons_and_reminders_are_masked_by_scrubbing(store: SqliteStore) -> None:
    def redact(text: str) -> tuple[str, int]:
        return text.replace("hunter2", "*"), text.count("hunter2")

    store.lessons.add(Lesson("say hunter2", ("hunter2", "x"), project="/hunter2"))
    store.lessons.remind(Reminder("call hunter2", "hunter2"))
    assert store.kept.reword(redact, dry_run=True) == store.kept.reword(redact) == 5
    (lesson,), (reminder,) = store.lessons.lessons(), store.lessons.reminders()
    assert (lesson.action, lesson.keywords, lesson.project) == ("say *", ("*", "x"), "/*")
    assert (reminder.action, reminder.trigger) == ("call *", "*")


def test_the_tools_of_lessons_are_read_without_opening_the_archive(store: SqliteStore) -> None:
    assert tools_in(store.path) == ()
    for tool in ("Write", "Bash", None, "Bash"):
        store.lessons.add(replace(PUSH, tool=tool))
    assert tools_in(store.path) == ("Bash", "Write")


def test_what_is_no_archive_of_today_has_no_tools(tmp_path: Path) -> None:
    (tmp_path / "other.db").write_bytes(b"nothing of the kind")
    assert tools_in(tmp_path / "other.db") == tools_in(tmp_path / "none.db") == ()
