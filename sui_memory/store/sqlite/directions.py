"""Vectors of memories by the active model, of unit length again."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence

import apsw

from sui_memory.store.sqlite import models
from sui_memory.store.sqlite.connection import fetch, value
from sui_memory.types import Vector

_DRAWN = 2  # ids drawn for each vector asked for: deleted passages leave gaps, and few vectors are pending


def of(connection: apsw.Connection, ids: Sequence[str]) -> dict[str, Vector]:
    """Return id → the vector of its first passage, if it has one."""
    model = models.active(connection)
    if model is None:
        return {}
    rows = fetch(
        connection,
        """
        select p.id, e.name from exchanges e join passages p on p.exchange_id = e.id
        where p.ordinal = 0 and e.name in (select value from json_each(?))
        """,
        (json.dumps(list(ids)),),
    )
    names: dict[int, str] = dict(rows)
    return {names[passage]: vector for passage, vector in _read(connection, model, names)}


def sample(connection: apsw.Connection, count: int, seed: int) -> list[Vector]:
    """Return vectors of so many passages, or of all, chosen by the seed."""
    model = models.active(connection)
    if model is None:
        return []
    return [vector for _, vector in _read(connection, model, _chosen(connection, model, count, seed))]


def _chosen(connection: apsw.Connection, model: models.Model, count: int, seed: int) -> list[int]:
    """Return so many passages, or all. Most ids up to the last are there, so that few have to be drawn."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    last = value(connection, f"select ifnull(max(rowid), 0) from {model.table}_rowids")
    drawn = chance.sample(range(1, last + 1), min(count * _DRAWN, last))
    there = _there(connection, model, drawn)
    if len(there) < count:
        rows = fetch(connection, f"select rowid from {model.table}_rowids order by rowid")
        there = [row[0] for row in rows]
        chance.shuffle(there)
    return there[:count]


def _there(connection: apsw.Connection, model: models.Model, drawn: list[int]) -> list[int]:
    """Return those of the ids that have a vector, in the same order."""
    query = f"select rowid from {model.table}_rowids where rowid in (select value from json_each(?))"
    known = {row[0] for row in connection.execute(query, (json.dumps(drawn),))}
    return [passage for passage in drawn if passage in known]


def _read(
    connection: apsw.Connection, model: models.Model, passages: Iterable[int]
) -> list[tuple[int, Vector]]:
    """Return (passage id, vector) of those that have one with a direction, in order of id."""
    import numpy as np

    rows = connection.execute(
        f"select rowid, embedding from {model.table} where rowid in (select value from json_each(?))",
        (json.dumps(list(passages)),),
    )
    found: list[tuple[int, Vector]] = []
    for passage, packed in sorted(rows):
        vector = np.frombuffer(packed, np.int8).astype(np.float32)
        if length := float(np.linalg.norm(vector)):
            found.append((passage, (vector / length).tolist()))
    return found
