"""The ranking by meaning: the nearest vectors of the active model, in sqlite-vec or held in memory."""

from __future__ import annotations

import json

import apsw

from sui_memory.store.sqlite import models
from sui_memory.store.sqlite.matrix import Matrix, refreshed
from sui_memory.store.sqlite.scoping import barred, unbarred, where
from sui_memory.store.sqlite.searching import in_scope
from sui_memory.types import Match, Scope, Vector

# Nearest vectors looked at for each match asked for, since a scope drops some.
_OVERFETCH = 4
# So many when those were not enough, but tell that these will be: listing the passages of a wide scope
# takes 15 ms at 40,000 exchanges, looking at 3,200 passages 5.
_WIDE_OVERFETCH = 32


class Vectors:
    """Finds the nearest passages of a scope. `warm` holds the vectors in memory from then on."""

    def __init__(self) -> None:
        self._matrix: Matrix | None = None
        self._resident = False

    def search(self, connection: apsw.Connection, vector: Vector, scope: Scope, limit: int) -> list[Match]:
        """Return the passages nearest to `vector`, the highest cosine first."""
        model = models.active(connection)
        if model is None or limit <= 0:
            return []
        out = barred(connection, scope)
        for factor in (_OVERFETCH, _WIDE_OVERFETCH):
            wanted = limit * factor + len(out)
            best = self._nearest(connection, model, vector, wanted)
            matches = in_scope(
                connection, [pair for pair in best if pair[0] not in out], unbarred(scope), limit
            )
            if len(matches) >= limit or len(best) < min(wanted, models.MAX_NEAREST):
                return matches
            if len(matches) * _WIDE_OVERFETCH < limit * factor:
                break
        among = _passages_in(connection, scope)
        return in_scope(connection, self._nearest(connection, model, vector, limit, among), scope, limit)

    def _nearest(
        self,
        connection: apsw.Connection,
        model: models.Model,
        vector: Vector,
        limit: int,
        among: list[int] | None = None,
    ) -> list[tuple[int, float]]:
        if self._resident:
            self._matrix = refreshed(connection, model, self._matrix)
            return self._matrix.nearest(vector, limit, among)
        return models.nearest(connection, model, vector, limit, None if among is None else json.dumps(among))

    def warm(self, connection: apsw.Connection) -> None:
        """Hold the active model's vectors in memory, 4 bytes a dimension."""
        self._resident = True
        model = models.active(connection)
        if model is not None:
            self._matrix = refreshed(connection, model, self._matrix)

    def release(self) -> None:
        """Let go of the vectors in memory."""
        self._matrix = None


def _passages_in(connection: apsw.Connection, scope: Scope) -> list[int]:
    condition, bindings = where(scope, role=True)
    found = connection.execute(
        f"select p.id from passages p join exchanges e on e.id = p.exchange_id where {condition}", bindings
    )
    return [row[0] for row in found]
