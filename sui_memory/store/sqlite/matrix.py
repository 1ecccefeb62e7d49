"""The active model's vectors in memory, where numpy scans them ten times as fast as sqlite-vec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from sui_memory.store.sqlite.connection import fetch
from sui_memory.store.sqlite.models import Model, quantise
from sui_memory.types import Vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEADROOM = 1.125  # room for new vectors before the matrix is copied
_DEAD_SHARE = 0.1  # of rows whose passage is gone, before the matrix is loaded anew


@dataclass(slots=True)
class Matrix:
    """Unit vectors as float32, shape (capacity, dim), with their passage ids; `size` rows are in use."""

    model_id: int
    ids: NDArray[np.int64]
    vectors: NDArray[np.float32]
    size: int
    added: int
    removed: int

    def nearest(
        self, vector: Vector, limit: int, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return (passage id, cosine) of the nearest rows, best first; some may be of passages gone since."""
        import numpy as np

        # Rounded as sqlite-vec needs it, so that both give the same scores.
        query = _unit(quantise([vector], self.vectors.shape[1]))[0]
        ids, vectors = self.ids[: self.size], self.vectors[: self.size]
        if among is not None:
            allowed = np.isin(ids, np.asarray(among, dtype=np.int64))
            ids, vectors = ids[allowed], vectors[allowed]
        # Not `vectors @ query`: a threaded BLAS wakes its threads for it, which costs 20 ms on a busy machine
        # where this takes 0.4 (7,000 x 512), and is no faster on an idle one, for memory is the limit.
        scores = np.einsum("ij,j->i", vectors, query)
        limit = min(limit, len(scores))
        if not limit:
            return []
        best = np.argpartition(scores, -limit)[-limit:]
        best = best[np.argsort(-scores[best], kind="stable")]
        return list(zip(ids[best].tolist(), scores[best].tolist(), strict=True))


def refreshed(connection: apsw.Connection, model: Model, matrix: Matrix | None) -> Matrix:
    """Return the matrix brought up to date: the same one when new rows could be appended, else a new one."""
    if matrix is None or matrix.model_id != model.id:
        return _load(connection, model)
    if model.removed - matrix.removed > matrix.size * _DEAD_SHARE:
        return _load(connection, model)
    if model.added == matrix.added:
        return matrix
    last = int(matrix.ids[matrix.size - 1]) if matrix.size else 0
    ids, vectors = _read(connection, model, last)
    # New vectors of old passages lie before the last row: then reading on does not find them.
    if matrix.size == 0 or len(ids) < model.added - matrix.added:
        return _load(connection, model)
    _append(matrix, ids, vectors)
    matrix.added = model.added
    return matrix


def _load(connection: apsw.Connection, model: Model) -> Matrix:
    ids, vectors = _read_all(connection, model)
    return Matrix(model.id, ids, vectors, len(ids), model.added, model.removed)


def _read(
    connection: apsw.Connection, model: Model, after: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    import numpy as np

    rows = fetch(
        connection,
        f"select rowid, embedding from {model.table}"
        f" where rowid in (select rowid from {model.table}_rowids where rowid > ?)",
        (after,),
    )
    ids = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
    packed = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.int8).reshape(len(rows), model.dim)
    order = np.argsort(ids)
    return ids[order], _unit(packed[order])


def _read_all(connection: apsw.Connection, model: Model) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Read the chunks of a vec0 table as they are stored: forty times as fast as row by row.

    A chunk has room for a number of vectors; `validity` has a bit for each, the lowest first, that says
    whether it is taken (sqlite-vec 0.1, ARCHITECTURE.md).
    """
    import numpy as np

    chunks = connection.execute(
        f"select c.validity, c.rowids, v.vectors from {model.table}_chunks c"
        f" join {model.table}_vector_chunks00 v on v.rowid = c.chunk_id order by c.chunk_id"
    )
    ids, vectors = [np.empty(0, np.int64)], [np.empty((0, model.dim), np.float32)]
    for validity, rowids, packed in chunks:
        taken = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little").astype(bool)
        ids.append(np.frombuffer(rowids, np.int64)[taken])
        vectors.append(_unit(np.frombuffer(packed, np.int8).reshape(-1, model.dim)[taken]))
    all_ids = np.concatenate(ids)
    order = np.argsort(all_ids)
    return all_ids[order], np.concatenate(vectors)[order]


def _unit(packed: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return int8 vectors as float32 ones of length 1."""
    import numpy as np

    vectors = packed.astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1)
    return vectors


def _append(matrix: Matrix, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
    import numpy as np

    needed = matrix.size + len(ids)
    if needed > len(matrix.ids):
        capacity = int(needed * _HEADROOM) + 1
        matrix.ids = np.resize(matrix.ids, capacity)
        grown = np.zeros((capacity, matrix.vectors.shape[1]), dtype=np.float32)
        grown[: matrix.size] = matrix.vectors[: matrix.size]
        matrix.vectors = grown
    matrix.ids[matrix.size : needed] = ids
    matrix.vectors[matrix.size : needed] = vectors
    matrix.size = needed
