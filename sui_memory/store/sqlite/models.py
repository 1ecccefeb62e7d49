"""Embedding models and their vectors: one sqlite-vec table for each model, rowid = passage id.

Unit vectors are kept as int8 (x 127): a quarter of float32's bytes for no measured loss of ranking.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from sui_memory.errors import StoreError
from sui_memory.store.base import ModelRow, Pending
from sui_memory.store.sqlite.connection import fetch, value
from sui_memory.store.sqlite.rows import MEMORY_COLUMNS, memory
from sui_memory.types import Vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SCALE = 127  # the largest int8 of both signs
# Vectors in one blob of vec0: a small archive pays for a whole chunk, a scan for each chunk's opening.
_CHUNK_SIZE = 256
MAX_NEAREST = 4096  # sqlite-vec refuses a larger k


@dataclass(frozen=True, slots=True)
class Model:
    """A row of `models`."""

    id: int
    name: str
    dim: int
    active: int
    watermark: int
    added: int
    removed: int

    @property
    def table(self) -> str:
        """The vec0 table of this model; vec0 keeps its row ids in `<table>_rowids`."""
        return f"vectors_{self.id}"


def all_models(connection: apsw.Connection) -> list[Model]:
    """Return the known models, the active one first."""
    rows = fetch(
        connection,
        "select id, name, dim, active, watermark, added, removed from models order by active desc, id",
    )
    return [Model(*row) for row in rows]


def find_model(connection: apsw.Connection, name: str) -> Model:
    """Return the model of this name, or raise `StoreError`."""
    for model in all_models(connection):
        if model.name == name:
            return model
    raise StoreError(f"The store has no model {name}: select it with `sui-memory model use` first.")


def listed(connection: apsw.Connection) -> list[ModelRow]:
    """Return the models with how many passages have a vector and how many wait for one."""
    total = value(connection, "select count(*) from passages")
    found = []
    for model in all_models(connection):
        have = _count(connection, model)
        found.append(ModelRow(model.name, model.dim, bool(model.active), have, total - have))
    return found


def _count(connection: apsw.Connection, model: Model) -> int:
    return int(value(connection, f"select count(*) from {model.table}_rowids"))


def use(connection: apsw.Connection, name: str, dim: int) -> None:
    """Make `name` the model to fill, and forget any other that was only being filled."""
    for model in all_models(connection):
        if model.name == name and model.dim != dim:
            raise StoreError(
                f"The vectors of {name} have {model.dim} dimensions here, not {dim}: drop it first."
            )
        if model.name != name and not model.active:
            _drop(connection, model)
    if not any(model.name == name for model in all_models(connection)):
        _create(connection, name, dim)
    _settle(connection, find_model(connection, name))


def _create(connection: apsw.Connection, name: str, dim: int) -> None:
    connection.execute(
        "insert into models (name, dim, active) select ?, ?, not exists (select 1 from models where active)",
        (name, dim),
    )
    connection.execute(
        f"create virtual table {find_model(connection, name).table} using vec0"
        f" (embedding int8[{dim}] distance_metric=cosine, chunk_size={_CHUNK_SIZE})"
    )


def drop(connection: apsw.Connection, name: str) -> None:
    """Delete a model and its vectors; the one being filled, if any, answers searches from now on."""
    for model in all_models(connection):
        if model.name == name:
            _drop(connection, model)
    connection.execute(
        "update models set active = 1 where id = (select max(id) from models)"
        " and not exists (select 1 from models where active)"
    )


def _drop(connection: apsw.Connection, model: Model) -> None:
    connection.execute(f"drop table {model.table}")
    connection.execute("delete from models where id = ?", (model.id,))


def pending(connection: apsw.Connection, name: str, limit: int) -> list[Pending]:
    """Return the next passages without a vector of this model, in order of id."""
    model = find_model(connection, name)
    rows = connection.execute(
        f"""
        select p.id, p.start, p.stop, {MEMORY_COLUMNS}
        from passages p
        join exchanges e on e.id = p.exchange_id
        join contents c on c.exchange_id = e.id
        left join {model.table}_rowids v on v.rowid = p.id
        where p.id > ? and v.rowid is null
        order by p.id limit ?
        """,
        (model.watermark, limit),
    )
    return [Pending(row[0], memory(row[3:]).exchange.text[row[1] : row[2]]) for row in rows]


def add_vectors(connection: apsw.Connection, name: str, vectors: Sequence[tuple[int, Vector]]) -> None:
    """Store vectors by passage id; passages gone meanwhile, or that have one, are passed over."""
    model = find_model(connection, name)
    wanted = _without_vector(connection, model, [passage_id for passage_id, _ in vectors])
    kept = {passage_id: vector for passage_id, vector in vectors if passage_id in wanted}
    if kept:
        quantised = quantise(list(kept.values()), model.dim)
        connection.executemany(
            f"insert into {model.table} (rowid, embedding) values (?, vec_int8(?))",
            ((passage_id, row.tobytes()) for passage_id, row in zip(kept, quantised, strict=True)),
        )
        connection.execute("update models set added = added + ? where id = ?", (len(kept), model.id))
    _settle(connection, model)


def _without_vector(connection: apsw.Connection, model: Model, ids: Sequence[int]) -> set[int]:
    rows = connection.execute(
        f"select id from passages where id in (select value from json_each(?))"
        f" and id not in (select rowid from {model.table}_rowids)",
        (json.dumps(list(ids)),),
    )
    return {row[0] for row in rows}


def _settle(connection: apsw.Connection, model: Model) -> None:
    """Move the watermark up; when nothing is pending any more, the model takes over from the others."""
    first = value(
        connection,
        f"""
        select min(p.id) from passages p left join {model.table}_rowids v on v.rowid = p.id
        where p.id > ? and v.rowid is null
        """,
        (model.watermark,),
    )
    complete = first is None
    watermark = value(connection, "select ifnull(max(id), 0) from passages") if complete else first - 1
    connection.execute("update models set watermark = ? where id = ?", (watermark, model.id))
    if complete:
        _activate(connection, model)


def _activate(connection: apsw.Connection, model: Model) -> None:
    for other in all_models(connection):
        if other.id != model.id:
            _drop(connection, other)
    connection.execute("update models set active = 1 where id = ?", (model.id,))


def remove(connection: apsw.Connection, passage_ids: Sequence[int]) -> None:
    """Delete the vectors of these passages in every model; vec0 zeroes their bytes."""
    for model in all_models(connection):
        present = connection.execute(
            f"select rowid from {model.table}_rowids where rowid in (select value from json_each(?))",
            (json.dumps(list(passage_ids)),),
        ).fetchall()
        connection.executemany(f"delete from {model.table} where rowid = ?", present)
        connection.execute("update models set removed = removed + ? where id = ?", (len(present), model.id))


def active(connection: apsw.Connection) -> Model | None:
    """Return the model that answers searches, if there is one."""
    return next((model for model in all_models(connection) if model.active), None)


def answering(connection: apsw.Connection) -> str | None:
    """Return the name of the active model when it has a vector at all; counts nothing."""
    model = active(connection)
    if model is None or not value(connection, f"select exists (select 1 from {model.table}_rowids)"):
        return None
    return model.name


def nearest(
    connection: apsw.Connection, model: Model, vector: Vector, limit: int, among: str | None = None
) -> list[tuple[int, float]]:
    """Return (passage id, cosine) of the nearest vectors by a scan in sqlite-vec, best first.

    `among` is a JSON array of the passage ids to look at; None means all.
    """
    query = quantise([vector], model.dim)[0].tobytes()
    limited = "" if among is None else " and rowid in (select value from json_each(:among))"
    rows = connection.execute(
        f"select rowid, distance from {model.table}"
        f" where embedding match vec_int8(:query) and k = :k{limited} order by distance",
        {"query": query, "k": min(limit, MAX_NEAREST), **({} if among is None else {"among": among})},
    )
    # A vector of zeros has no direction; vec0 gives it a distance of None.
    return [(row[0], 1.0 - row[1]) for row in rows if row[1] is not None]


def quantise(vectors: Sequence[Vector], dim: int) -> NDArray[np.int8]:
    """Return unit vectors as int8, shape (len(vectors), dim)."""
    import numpy as np

    matrix = np.asarray(vectors, dtype=np.float32)
    if matrix.shape != (len(vectors), dim):
        raise StoreError(f"Vectors of {dim} dimensions were expected, not of shape {matrix.shape[1:]}.")
    scaled: NDArray[np.int8] = np.clip(np.rint(matrix * _SCALE), -_SCALE, _SCALE).astype(np.int8)
    return scaled
