"""What a sleep changes, and how it is undone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

import apsw

from sui_memory.store.kept import Rest, Slept
from sui_memory.store.sqlite import committing, notes
from sui_memory.store.sqlite.connection import fetch, value
from sui_memory.store.sqlite.packing import unpacked_uuid
from sui_memory.store.sqlite.rows import to_datetime, to_microseconds
from sui_memory.types import Analyzer

# Only what was kept on purpose ever goes to rest.
_KEPT = "exists (select 1 from notes n where n.exchange_id = exchanges.id)"
_SLEPT_AT = "slept_at"  # in `meta`
_NAMED = "name in (select value from json_each(?))"


def apply(connection: apsw.Connection, analyzer: Analyzer, slept: Slept) -> None:
    """Store summaries, send what they sum up and what is let go of to rest, and lower what fades."""
    merged = [(indexed, note) for indexed, note in slept.merged if _are_open(connection, note.sources)]
    fresh = [(indexed, None, committing.UNMARKED) for indexed, _ in merged]
    committing.insert(connection, fresh, analyzer)
    for indexed, note in merged:
        notes.write(connection, indexed.exchange.id, note)
        _lay_down(connection, note.sources, Rest.MERGED)
    _fade(connection, dict(slept.faded or {}))
    _lay_down(connection, slept.forgotten, Rest.FORGOTTEN)
    if slept.at:
        moment = str(to_microseconds(slept.at))
        connection.execute("insert or replace into meta (name, value) values (?, ?)", (_SLEPT_AT, moment))


def slept_at(connection: apsw.Connection) -> datetime | None:
    """Return when the last sleep was that named its time."""
    rows = fetch(connection, "select value from meta where name = ?", (_SLEPT_AT,))
    return to_datetime(int(rows[0][0])) if rows else None


def _are_open(connection: apsw.Connection, ids: Sequence[str]) -> bool:
    """Say whether all are there, awake and not pinned: a summary must not bring back forgotten words."""
    query = f"select count(*) from exchanges where {_NAMED} and {_KEPT} and rest is null and not pinned"
    return bool(value(connection, query, (json.dumps(list(ids)),)) == len(set(ids)))


def _lay_down(connection: apsw.Connection, ids: Sequence[str], rest: Rest) -> None:
    query = f"update exchanges set rest = ? where {_NAMED} and {_KEPT} and not pinned"
    connection.execute(query, (rest.value, json.dumps(list(ids))))


def _fade(connection: apsw.Connection, importance: dict[str, int]) -> None:
    connection.executemany(
        "update notes set importance = ? where exchange_id = (select id from exchanges where name = ?)",
        [(number, name) for name, number in importance.items()],
    )


def wake(connection: apsw.Connection, ids: Iterable[str]) -> int:
    """Bring memories at rest back to mind; return how many."""
    query = f"update exchanges set rest = null where {_NAMED} and rest is not null"
    connection.execute(query, (json.dumps(list(ids)),))
    return connection.changes()


def forgotten(connection: apsw.Connection) -> list[str]:
    """Return the keys of what sleep let go of."""
    query = "select key from exchanges where rest = ? order by id"
    return [unpacked_uuid(row[0]) for row in fetch(connection, query, (Rest.FORGOTTEN.value,))]
