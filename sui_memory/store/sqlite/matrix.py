"""The active model's vectors in memory, where numpy scans them ten times as fast as sqlite-vec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import apsw

from sui_memory.store.sqlite.connection import fetch
from sui_memory.store.sqlite.models import Model, quantise
from sui_memory.types import Vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEADROOM = 1.125  # room for new vectors before the matrix is copied
_DEAD_SHARE = 0.1  # of rows whose passage is gone, before the matrix is loaded anew
_RESCORED, _RESCORED_SHARE = 3_000, 1 / 32
"""Rows whose cosine is computed, at least, and of many as a share: those whose signs differ least from the
query's. Of the 10 nearest they hold .999 at 17,000 passages and .997 at 73,000; without the share it would
be .98 at 207,000 (benchmarks/RESULTS.md)."""

_BLOCK = 512  # rows multiplied at once: as floats they stay in the processor's cache

_WORD_BITS = 64


@dataclass(slots=True)
class Matrix:
    """The stored int8 vectors, shape (capacity, dim), with their passage ids; `size` rows are in use.

    `scales` make unit vectors of them. `signs` has a bit for each dimension that is above 0, 64 of a row in a
    word: shape (words, capacity), because a scan along the rows is five times as fast.
    """

    model_id: int
    ids: NDArray[np.int64]
    packed: NDArray[np.int8]
    scales: NDArray[np.float32]
    signs: NDArray[np.uint64]
    size: int
    added: int
    removed: int

    def nearest(
        self, vector: Vector, limit: int, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return (passage id, cosine) of the nearest rows, best first; some may be of passages gone since."""
        import numpy as np

        # Rounded as sqlite-vec needs it, so that both give the same scores.
        query = quantise([vector], self.packed.shape[1])
        unit = (query[0] * _scales(query)[0]).astype(np.float32)
        rescored = max(_RESCORED, int(self.size * _RESCORED_SHARE), limit)
        rows = self._candidates(query, rescored, among)
        scores = self._cosines(rows, unit)
        best = highest(scores, limit)
        return list(zip(self.ids[rows[best]].tolist(), scores[best].tolist(), strict=True))

    def _cosines(self, rows: NDArray[np.int64], unit: NDArray[np.float32]) -> NDArray[np.float32]:
        import numpy as np

        scores = np.empty(len(rows), np.float32)
        for start in range(0, len(rows), _BLOCK):
            block = slice(start, start + _BLOCK)
            # Not `@`: a threaded BLAS wakes its threads for it, which costs 20 ms on a busy machine.
            scores[block] = np.einsum("ij,j->i", self.packed[rows[block]].astype(np.float32), unit)
        return scores * self.scales[rows]

    def _candidates(
        self, query: NDArray[np.int8], count: int, among: Sequence[int] | None
    ) -> NDArray[np.int64]:
        """Return the rows whose signs differ least from a query's, in the order of rows."""
        import numpy as np

        rows = None
        if among is not None:
            rows = np.flatnonzero(np.isin(self.ids[: self.size], np.asarray(among, dtype=np.int64)))
        if (self.size if rows is None else len(rows)) <= count:
            return np.arange(self.size) if rows is None else rows
        differing = self._differing(_signs(query)[:, 0])
        if rows is None:
            return _lowest(differing, count)
        return rows[_lowest(differing[rows], count)]

    def _differing(self, signs: NDArray[np.uint64]) -> NDArray[np.uint16]:
        """Return how many signs of each row differ from these."""
        import numpy as np

        differing = np.zeros(self.size, dtype=np.uint16)
        for word, own in zip(signs, self.signs, strict=True):
            differing += np.bitwise_count(own[: self.size] ^ word)
        return differing


def _lowest(counts: NDArray[np.uint16], count: int) -> NDArray[np.int64]:
    """Return the places of the lowest counts in order, at least `count`: of equals all or none."""
    import numpy as np

    border = int(np.searchsorted(np.cumsum(np.bincount(counts)), count))
    return np.flatnonzero(counts <= border)


def highest(scores: NDArray[np.floating[Any]], limit: int) -> NDArray[np.int64]:
    """Return the places of the highest scores, best first, of equals the first."""
    import numpy as np

    if limit >= len(scores):
        return np.argsort(-scores, kind="stable")
    least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    among = np.flatnonzero(scores >= least)
    return among[np.argsort(-scores[among], kind="stable")[:limit]]


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
    ids, packed = _read_all(connection, model)
    return Matrix(
        model.id, ids, packed, _scales(packed), _signs(packed), len(ids), model.added, model.removed
    )


def _read(
    connection: apsw.Connection, model: Model, after: int
) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
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
    return ids[order], packed[order]


def _read_all(connection: apsw.Connection, model: Model) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Read the chunks of a vec0 table as they are stored: forty times as fast as row by row.

    A chunk has room for a number of vectors; `validity` has a bit for each, the lowest first, that says
    whether it is taken (sqlite-vec 0.1, ARCHITECTURE.md).
    """
    import numpy as np

    chunks = connection.execute(
        f"select c.validity, c.rowids, v.vectors from {model.table}_chunks c"
        f" join {model.table}_vector_chunks00 v on v.rowid = c.chunk_id order by c.chunk_id"
    )
    ids, vectors = [np.empty(0, np.int64)], [np.empty((0, model.dim), np.int8)]
    for validity, rowids, packed in chunks:
        taken = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little").astype(bool)
        ids.append(np.frombuffer(rowids, np.int64)[taken])
        vectors.append(np.frombuffer(packed, np.int8).reshape(-1, model.dim)[taken])
    all_ids = np.concatenate(ids)
    order = np.argsort(all_ids)
    return all_ids[order], np.concatenate(vectors)[order]


def _scales(packed: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return by what each int8 vector has to be multiplied to have length 1."""
    import numpy as np

    squares = np.einsum("ij,ij->i", packed, packed, dtype=np.int32)
    scales: NDArray[np.float32] = (1 / np.sqrt(np.maximum(squares, 1))).astype(np.float32)
    return scales


def _signs(packed: NDArray[np.int8]) -> NDArray[np.uint64]:
    """Return which dimensions of each row are above 0, as bits: shape (words, rows)."""
    import numpy as np

    missing = -packed.shape[1] % _WORD_BITS
    bits = np.packbits(np.pad(packed > 0, ((0, 0), (0, missing))), axis=1)
    return np.ascontiguousarray(bits.view(np.uint64).T)


def _append(matrix: Matrix, ids: NDArray[np.int64], packed: NDArray[np.int8]) -> None:
    needed = matrix.size + len(ids)
    if needed > len(matrix.ids):
        _grow(matrix, int(needed * _HEADROOM) + 1)
    new = slice(matrix.size, needed)
    matrix.ids[new] = ids
    matrix.packed[new] = packed
    matrix.scales[new] = _scales(packed)
    matrix.signs[:, new] = _signs(packed)
    matrix.size = needed


def _grow(matrix: Matrix, capacity: int) -> None:
    import numpy as np

    more = capacity - len(matrix.ids)
    matrix.ids = np.pad(matrix.ids, (0, more))
    matrix.packed = np.pad(matrix.packed, ((0, more), (0, 0)))
    matrix.scales = np.pad(matrix.scales, (0, more))
    matrix.signs = np.pad(matrix.signs, ((0, 0), (0, more)))
