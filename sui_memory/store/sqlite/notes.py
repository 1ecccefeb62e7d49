"""What is known of kept memories beside their text, in tables of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from sui_memory.errors import NotFoundError
from sui_memory.store.kept import Category, Emotion, KeptMemory, Kinds, Note, Rest
from sui_memory.store.sqlite.connection import fetch, value
from sui_memory.store.sqlite.packing import to_json
from sui_memory.store.sqlite.rows import (
    MEMORY_COLUMNS,
    MEMORY_TABLES,
    memory,
    to_datetime,
    to_microseconds,
)

_COLUMNS = "emotion, importance, category, tags, accessed, accessed_at, pan_angle, tilt_angle"
_WRITE = f"insert or replace into notes (exchange_id, {_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SOURCES = """
    insert or ignore into note_sources (exchange_id, source_id)
    select ?, id from exchanges where name in (select value from json_each(?))
"""


def write(connection: apsw.Connection, memory_id: str, note: Note) -> None:
    """Store the note of a memory, in the place of the one it has."""
    row_id = value(connection, "select id from exchanges where name = ?", (memory_id,))
    connection.execute(_WRITE, (row_id, *_values(note)))
    connection.execute("delete from note_sources where exchange_id = ?", (row_id,))
    connection.execute(_SOURCES, (row_id, json.dumps(note.sources)))
    connection.execute("update exchanges set rest = ? where id = ?", (note.rest, row_id))


def rewrite(connection: apsw.Connection, memory_id: str, note: Note) -> None:
    """Replace the note of a kept memory."""
    if not of(connection, [memory_id]):
        raise NotFoundError(f"There is no kept memory {memory_id}.")
    write(connection, memory_id, note)


def _values(note: Note) -> tuple[Any, ...]:
    """Return the values of `_COLUMNS`."""
    return (
        note.emotion.value,
        note.importance,
        note.category.value,
        to_json(note.tags),
        note.accessed,
        to_microseconds(note.accessed_at),
        note.pan_angle,
        note.tilt_angle,
    )


def of(connection: apsw.Connection, ids: Iterable[str]) -> dict[str, Note]:
    """Return id → note, of those that are kept memories."""
    wanted = {"ids": json.dumps(list(ids))}
    rows = fetch(
        connection,
        f"select e.name, {_COLUMNS}, e.rest from notes n join exchanges e on e.id = n.exchange_id"
        " where e.name in (select value from json_each(:ids))",
        wanted,
    )
    sources = _sources(connection, wanted)
    return {name: _note(columns, tuple(sources.get(name, ()))) for name, *columns in rows}


def _sources(connection: apsw.Connection, wanted: dict[str, str]) -> dict[str, list[str]]:
    """Return id → the ids of what it sums up, in order of time."""
    rows = connection.execute(
        """
        select e.name, s.name
        from exchanges e join note_sources n on n.exchange_id = e.id join exchanges s on s.id = n.source_id
        where e.name in (select value from json_each(:ids)) order by ifnull(s.asked_at, 0), s.id
        """,
        wanted,
    )
    found: dict[str, list[str]] = {}
    for name, source in rows:
        found.setdefault(name, []).append(source)
    return found


def summaries(connection: apsw.Connection, ids: Iterable[str]) -> frozenset[str]:
    """Return the ids of what sums up any of these."""
    rows = connection.execute(
        """
        select e.name from exchanges s
        join note_sources n on n.source_id = s.id join exchanges e on e.id = n.exchange_id
        where s.name in (select value from json_each(?))
        """,
        (json.dumps(list(ids)),),
    )
    return frozenset(row[0] for row in rows)


def _note(columns: Sequence[Any], sources: tuple[str, ...]) -> Note:
    emotion, importance, category, tags, accessed, accessed_at, pan_angle, tilt_angle, rest = columns
    return Note(
        emotion=Emotion(emotion),
        importance=importance,
        category=Category(category),
        tags=tuple(json.loads(tags)),
        accessed=accessed,
        accessed_at=to_datetime(accessed_at),
        sources=sources,
        pan_angle=pan_angle,
        tilt_angle=tilt_angle,
        rest=Rest(rest) if rest else None,
    )


def recent(connection: apsw.Connection, kinds: Kinds, limit: int, offset: int) -> list[KeptMemory]:
    """Return kept memories of these kinds, the newest first."""
    condition, bindings = _where(kinds)
    rows = fetch(
        connection,
        f"select {MEMORY_COLUMNS} from {MEMORY_TABLES} join notes n on n.exchange_id = e.id"
        f" where {condition} order by ifnull(e.asked_at, 0) desc, e.id desc limit :limit offset :offset",
        {**bindings, "limit": limit, "offset": offset},
    )
    return _with_notes(connection, rows)


def kept(connection: apsw.Connection, ids: Sequence[str]) -> list[KeptMemory]:
    """Return the kept memories of these ids, in the order asked; all others are left out."""
    rows = fetch(
        connection,
        f"select {MEMORY_COLUMNS} from {MEMORY_TABLES} where e.name in (select value from json_each(?))",
        (json.dumps(list(ids)),),
    )
    found = {one.id: one for one in _with_notes(connection, rows)}
    return [found[name] for name in ids if name in found]


def _with_notes(connection: apsw.Connection, rows: Iterable[Sequence[Any]]) -> list[KeptMemory]:
    memories = [memory(row) for row in rows]
    known = of(connection, [one.id for one in memories])
    return [KeptMemory(one, known[one.id]) for one in memories if one.id in known]


def _where(kinds: Kinds) -> tuple[str, dict[str, Any]]:
    """Return a condition over `notes n` and `exchanges e`, and its bindings."""
    clauses = {
        "n.category = :category": kinds.category,
        "n.emotion = :emotion": kinds.emotion,
        "e.project = :project": kinds.project,
        "ifnull(e.asked_at, 0) >= :since": to_microseconds(kinds.since),
        "ifnull(e.asked_at, 0) < :until": to_microseconds(kinds.until),
    }
    wanted = {clause: wish for clause, wish in clauses.items() if wish is not None}
    conditions = [*wanted, *([] if kinds.rest else ["e.rest is null"])]
    return " and ".join(conditions) or "true", {
        clause.rpartition(":")[2]: wish for clause, wish in wanted.items()
    }
