"""Memories that belong together, in order of time."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import apsw

from sui_memory.errors import NotFoundError
from sui_memory.store.kept import Episode
from sui_memory.store.sqlite.connection import fetch, value
from sui_memory.store.sqlite.packing import to_json
from sui_memory.store.sqlite.rows import to_datetime, to_microseconds

_ID_BYTES = 6  # 12 hexadecimal digits: as long as a memory's id
_MEMORIES = """
    insert or ignore into episode_memories (episode_id, exchange_id)
    select ?, id from exchanges where name in (select value from json_each(?))
"""


def create(connection: apsw.Connection, episode: Episode) -> Episode:
    """Store an episode of at least one known memory, or raise `NotFoundError`; one that is there stays."""
    name = episode.id or secrets.token_hex(_ID_BYTES)
    if (there := one(connection, name)) is not None:
        return there
    number = value(
        connection,
        "insert into episodes (name, title, summary, participants, created_at)"
        " values (?, ?, ?, ?, ifnull(?, cast(unixepoch('subsec') * 1000000 as integer))) returning id",
        (
            name,
            episode.title,
            episode.summary,
            to_json(episode.participants),
            to_microseconds(episode.created_at),
        ),
    )
    connection.execute(_MEMORIES, (number, json.dumps(episode.memory_ids)))
    if not connection.changes():
        raise NotFoundError("An episode needs at least one memory, and none of these is there.")
    stored = one(connection, name)
    return stored or replace(episode, id=name)


def one(connection: apsw.Connection, episode_id: str) -> Episode | None:
    """Return an episode, if it is there."""
    found = _found(connection, "name = ?", (episode_id, 1))
    return found[0] if found else None


def newest(connection: apsw.Connection, limit: int) -> list[Episode]:
    """Return episodes, the newest first."""
    return _found(connection, "true", (limit,))


def _found(connection: apsw.Connection, condition: str, bindings: Sequence[Any]) -> list[Episode]:
    rows = fetch(
        connection,
        f"select id, name, title, summary, participants, created_at from episodes where {condition}"
        " order by created_at desc, id desc limit ?",
        bindings,
    )
    return [_episode(connection, row) for row in rows]


def _episode(connection: apsw.Connection, row: Sequence[Any]) -> Episode:
    number, name, title, summary, participants, created_at = row
    members = fetch(
        connection,
        "select e.name from episode_memories m join exchanges e on e.id = m.exchange_id"
        " where m.episode_id = ? order by ifnull(e.asked_at, 0), e.id",
        (number,),
    )
    return Episode(
        title,
        summary,
        tuple(member[0] for member in members),
        tuple(json.loads(participants)),
        to_datetime(created_at),
        name,
    )


def members(connection: apsw.Connection, ids: Sequence[str]) -> frozenset[str]:
    """Return those of the ids that belong to an episode."""
    rows = connection.execute(
        "select e.name from exchanges e where e.name in (select value from json_each(?))"
        " and exists (select 1 from episode_memories m where m.exchange_id = e.id)",
        (json.dumps(list(ids)),),
    )
    return frozenset(row[0] for row in rows)
