"""Likeness by vectors, and from where on it counts: a percentile of what chance gives with this model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sui_memory.mind.ports import MindStore
from sui_memory.store.kept import Link, LinkType
from sui_memory.types import Scope, Vector

PERCENTILE = 99.5
"""Of the cosines of random pairs of passages: one pair in 200 is alike by chance. A fixed cosine links
everything in one model and nothing in another: of 79,800 pairs of the `talk` set, .85 is passed by 41 % with
E5, which says .84 on average, and by .05 % with USE, which says .19. Their percentiles are .92 and .53."""

SAMPLE = 400
"""Passages that are paired: 79,800 pairs, of which 399 lie above the percentile."""

LINKED = 5
"""Likes of one memory, at most."""

_LEAST_PAIRS = 200  # of fewer, the percentile is no more than their maximum
_OVERFETCH = 4  # passages asked for each memory wanted: a long one has many
_WEAKEST = 0.5


@dataclass(frozen=True, slots=True)
class Like:
    """Two memories that are alike, by which cosine, and how strong a tie that makes."""

    memory_id: str
    other_id: str
    cosine: float
    strength: float


@dataclass(frozen=True, slots=True)
class _Threshold:
    model: str
    vectors: int
    cosine: float | None

    def holds(self, model: str, vectors: int) -> bool:
        """Say whether it still goes for that many vectors: until they have doubled, or halved."""
        return model == self.model and self.vectors / 2 < max(vectors, 1) < max(self.vectors, 1) * 2


class Similarity:
    """Finds memories that are alike by the active model. The threshold is kept in this process only."""

    def __init__(self, store: MindStore) -> None:
        self._store = store
        self._threshold: _Threshold | None = None
        self._seen: dict[str, int] = {}

    @property
    def model(self) -> str | None:
        """The active model's id."""
        return self._store.active_model()

    def threshold(self) -> float | None:
        """Return the least cosine of likes; None without a model, or with fewer than 21 vectors."""
        active = next((row for row in self._store.models() if row.active), None)
        if active is None:
            return None
        if self._threshold is None or not self._threshold.holds(active.model_id, active.vectors):
            cosine = percentile(self._store.kept.sample(SAMPLE))
            self._threshold = _Threshold(active.model_id, active.vectors, cosine)
            self._seen.clear()
        return self._threshold.cosine

    def likes(self, vectors: Iterable[tuple[str, Vector]]) -> Iterator[Like]:
        """Yield for each of these memories the nearest others from the threshold on, best first."""
        least = self.threshold()
        if least is None:
            return
        for name, vector in vectors:
            scope = Scope(exclude=frozenset([name]))
            best: dict[str, float] = {}
            for match in self._store.search_vectors(vector, scope, LINKED * _OVERFETCH):
                if match.score >= least:
                    best.setdefault(match.memory_id, match.score)
            for other, cosine in list(best.items())[:LINKED]:
                yield Like(name, other, cosine, strength(cosine, least))

    def fresh(self, vectors: Mapping[str, Vector]) -> dict[str, Vector]:
        """Return those vectors that it is now asked about for the first time since the threshold changed."""
        if self.threshold() is None:
            return {}
        now = {name: hash(tuple(vector)) for name, vector in vectors.items()}
        fresh = {name: vectors[name] for name in vectors if self._seen.get(name) != now[name]}
        self._seen.update(now)
        return fresh

    def links(self, vectors: Iterable[tuple[str, Vector]], now: datetime) -> list[Link]:
        """Return the similarity links of memories with these vectors."""
        return [
            Link(like.memory_id, like.other_id, LinkType.SIMILAR, "", like.strength, now)
            for like in self.likes(vectors)
        ]


def percentile(vectors: Sequence[Vector], percent: float = PERCENTILE) -> float | None:
    """Return that percentile of the cosines of all pairs of unit vectors; None of fewer than 200 pairs."""
    import numpy as np

    if len(vectors) * (len(vectors) - 1) // 2 < _LEAST_PAIRS:
        return None
    matrix = np.array(vectors, dtype=np.float32)
    cosines = (matrix @ matrix.T)[np.triu_indices(len(vectors), k=1)]
    return float(np.percentile(cosines, percent))


def strength(cosine: float, least: float) -> float:
    """Return how strong a tie a cosine makes: .5 at the threshold, rising evenly to 1 for the same words."""
    if least >= 1:
        return 1.0
    share = (cosine - least) / (1 - least)
    return _WEAKEST + (1 - _WEAKEST) * min(1.0, max(0.0, share))
