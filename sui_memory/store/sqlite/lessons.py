"""The SQLite backend of `Lessons`: a row for each lesson and each reminder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw

from sui_memory.errors import NotFoundError
from sui_memory.store.lessons import Lesson, Reminder
from sui_memory.store.sqlite.connection import fetch, value
from sui_memory.store.sqlite.failures import reported
from sui_memory.store.sqlite.packing import to_json
from sui_memory.store.sqlite.rows import to_datetime, to_microseconds
from sui_memory.store.sqlite.side import Side

_LESSONS = """
    select l.id, l.action, l.keywords, l.pattern, l.project, l.tool, l.priority, e.name, l.fired, l.fired_at,
        l.created_at
    from lessons l left join exchanges e on e.id = l.source_id
    order by l.priority desc, l.id
"""
_COLUMNS = ("action", "keywords", "pattern", "project", "tool", "priority", "source_id")
_INSERT = f"""
    insert into lessons ({", ".join(_COLUMNS)}, created_at)
    values (?, ?, ?, ?, ?, ?, (select id from exchanges where name = ?), ?) returning id
"""
_UPDATE = """
    update lessons set action = ?, keywords = ?, pattern = ?, project = ?, tool = ?, priority = ?,
        source_id = (select id from exchanges where name = ?)
    where id = ?
"""


class SqliteLessons(Side):
    """`Lessons` beside the memories, on the store's own connection and thread.

    A lesson outlives the memory that it comes from.
    """

    def lessons(self) -> list[Lesson]:
        """See `Lessons.lessons`."""
        with self._read() as connection:
            return [_lesson(row) for row in fetch(connection, _LESSONS)]

    def add(self, lesson: Lesson) -> Lesson:
        """See `Lessons.add`."""
        created = to_microseconds(lesson.created_at or datetime.now(UTC))
        with self._write() as connection:
            number = int(value(connection, _INSERT, (*_values(lesson), created)))
        return self._stored(number)

    def replace(self, lesson: Lesson) -> None:
        """See `Lessons.replace`."""
        with self._write() as connection:
            connection.execute(_UPDATE, (*_values(lesson), lesson.id))
            _require_change(connection, "lesson", lesson.id)

    def remove(self, lesson_id: int) -> None:
        """See `Lessons.remove`."""
        with self._write() as connection:
            connection.execute("delete from lessons where id = ?", (lesson_id,))
            _require_change(connection, "lesson", lesson_id)

    def fired(self, lesson_ids: Sequence[int], at: datetime) -> None:
        """See `Lessons.fired`."""
        rows = [(to_microseconds(at), number) for number in lesson_ids]
        with self._write() as connection:
            connection.executemany("update lessons set fired = fired + 1, fired_at = ? where id = ?", rows)

    def last_fired(self, lesson_ids: Sequence[int]) -> dict[int, datetime]:
        """See `Lessons.last_fired`."""
        query = """
            select id, fired_at from lessons
            where fired_at is not null and id in (select value from json_each(?))
        """
        with self._read() as connection:
            rows = fetch(connection, query, (json.dumps(list(lesson_ids)),))
        return {number: moment for number, at in rows if (moment := to_datetime(at))}

    def reminders(self) -> list[Reminder]:
        """See `Lessons.reminders`."""
        query = """
            select id, action, trigger, at, until, remaining, told, created_at from reminders
            where remaining is null or remaining > 0 order by id
        """
        with self._read() as connection:
            return [_reminder(row) for row in fetch(connection, query)]

    def remind(self, reminder: Reminder) -> Reminder:
        """See `Lessons.remind`."""
        query = """
            insert into reminders (action, trigger, at, until, remaining, created_at)
            values (?, ?, ?, ?, ?, ?) returning id
        """
        created = reminder.created_at or datetime.now(UTC)
        times = [to_microseconds(moment) for moment in (reminder.at, reminder.until)]
        bindings = (reminder.action, reminder.trigger, *times, reminder.left, to_microseconds(created))
        with self._write() as connection:
            number = int(value(connection, query, bindings))
        return next(each for each in self.reminders() if each.id == number)

    def told(self, reminder_ids: Sequence[int], at: datetime) -> None:
        """See `Lessons.told`."""
        rows = [(number,) for number in reminder_ids]
        with self._write() as connection:
            connection.executemany("update reminders set told = told + 1 where id = ?", rows)
            connection.executemany(
                "update reminders set remaining = remaining - 1 where id = ? and remaining > 0", rows
            )
            connection.execute("delete from reminders where remaining = 0")

    def dismiss(self, reminder_id: int) -> None:
        """See `Lessons.dismiss`."""
        with self._write() as connection:
            connection.execute("delete from reminders where id = ?", (reminder_id,))
            _require_change(connection, "reminder", reminder_id)

    def version(self) -> int:
        """See `Lessons.version`."""
        with reported(self._path):
            return int(value(self._connection, "select number from lesson_changes"))

    def _stored(self, number: int) -> Lesson:
        return next(lesson for lesson in self.lessons() if lesson.id == number)


def tools_in(path: Path) -> tuple[str, ...]:
    """Return the tools that the lessons of an archive name; one without lessons is not upgraded for it."""
    if not path.exists():
        return ()
    try:
        connection = apsw.Connection(str(path), apsw.SQLITE_OPEN_READONLY)
    except apsw.Error:
        return ()
    try:
        rows = fetch(connection, "select distinct tool from lessons where tool is not null order by tool")
    except apsw.Error:
        return ()
    finally:
        connection.close()
    return tuple(str(row[0]) for row in rows)


def _require_change(connection: apsw.Connection, kind: str, number: int) -> None:
    if not connection.changes():
        raise NotFoundError(f"There is no {kind} {number}.")


def _values(lesson: Lesson) -> tuple[Any, ...]:
    """Return the values of `_COLUMNS`, the source by its name."""
    keywords = to_json(list(lesson.keywords))
    return (
        lesson.action,
        keywords,
        lesson.pattern,
        lesson.project,
        lesson.tool,
        lesson.priority,
        lesson.source_id,
    )


def _lesson(row: Sequence[Any]) -> Lesson:
    number, action, keywords, pattern, project, tool, priority, source, fired, fired_at, created = row
    return Lesson(
        action=action,
        keywords=tuple(json.loads(keywords)),
        pattern=pattern,
        project=project,
        tool=tool,
        priority=priority,
        source_id=source,
        fired=fired,
        fired_at=to_datetime(fired_at),
        created_at=to_datetime(created),
        id=number,
    )


def _reminder(row: Sequence[Any]) -> Reminder:
    number, action, trigger, at, until, left, told, created = row
    return Reminder(
        action=action,
        trigger=trigger,
        at=to_datetime(at),
        until=to_datetime(until),
        left=left,
        told=told,
        created_at=to_datetime(created),
        id=number,
    )
