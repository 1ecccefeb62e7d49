"""Many weightings of the same rankings at once: what each question would get from each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.collecting import Asked
from benchmarks.evaluation.metrics import DEPTH
from sui_memory.config import Settings
from sui_memory.scoring import Weights, decayed, fold, freshness
from sui_memory.scoring.fusion import strengths
from sui_memory.types import Match

RANKINGS = ("words", "trigrams", "vectors", "coverage", "context", "phrases")
"""The columns of all that is weighed here."""

Floats = NDArray[np.float64]

_OLDEST = datetime.min.replace(tzinfo=UTC)
_DIGITS = 12  # sums of the same shares in another order are equal


@dataclass(frozen=True, slots=True)
class Pool:
    """What was found for one question: a row for each memory, of equal scores the one that comes first.

    `strengths` (memories × rankings) are 0 to 1; `asked` tells which rankings there were.
    """

    question: str
    strengths: Floats
    asked: NDArray[np.bool_]
    fresh: Floats
    gold: NDArray[np.bool_]


def pool_of(asked: Asked, mode: str, settings: Settings) -> Pool:
    """Return the pool of a question, by the fusion of that mode; plain substrings stand in for words."""
    found = ((name, it) for name, it in asked.rankings.items() if it)
    folded = {("words" if name == "substring" else name): fold(it) for name, it in found}
    dates = _dates(folded.values())
    names = sorted(dates, key=lambda name: (dates[name] or _OLDEST, name), reverse=True)
    rows = {name: row for row, name in enumerate(names)}
    table = np.zeros((len(names), len(RANKINGS)))
    for column, ranking in enumerate(RANKINGS):
        matches = folded.get(ranking, [])
        for match, strength in zip(matches, strengths(ranking, matches, mode), strict=True):
            table[rows[match.memory_id], column] = strength
    fresh = [freshness(dates[name], asked.now, settings.half_life_days) for name in names]
    gold = np.array([name in asked.gold for name in names], dtype=np.bool_)
    there = np.array([ranking in folded for ranking in RANKINGS])
    return Pool(asked.question.id, table, there, np.array(fresh), gold)


def _dates(rankings: Iterable[Sequence[Match]]) -> dict[str, datetime | None]:
    return {match.memory_id: match.asked_at for matches in rankings for match in matches}


def reciprocal_ranks(pools: Sequence[Pool], weightings: Floats, settings: Settings) -> Floats:
    """Return MRR@10 of every question under every weighting (questions × weightings).

    `weightings` has a row for each weighting and a column for each of `RANKINGS`.
    """
    decay: Any = decayed  # its formula holds for arrays as well
    found = np.zeros((len(pools), len(weightings)))
    for place, pool in enumerate(pools):
        shares = weightings * pool.asked
        totals = shares.sum(axis=1, keepdims=True)
        scores = pool.strengths @ (shares / np.where(totals, totals, 1)).T
        scores = np.round(decay(scores, pool.fresh[:, None], settings.decay), _DIGITS)
        found[place] = _best_reciprocal(scores, pool.gold)
    return found


def _best_reciprocal(scores: Floats, gold: NDArray[np.bool_]) -> Floats:
    """Return 1 / rank of the best gold row in each column, 0 beyond the depth."""
    best = np.zeros(scores.shape[1])
    for row in np.flatnonzero(gold):
        above = (scores > scores[row]).sum(axis=0) + (scores[:row] == scores[row]).sum(axis=0)
        best = np.maximum(best, np.where(above < DEPTH, 1 / (1 + above), 0))
    return best


def row_of(weights: Weights) -> Floats:
    """Return weights as the single row of a table of weightings."""
    return np.array([[weights.get(name, 0.0) for name in RANKINGS]])


def simplex(columns: Sequence[str], steps: int) -> Floats:
    """Return every weighting of some rankings in so many steps from 0 to 1; the other rankings weigh 0."""
    table = np.array(list(_parts(len(columns), steps)), dtype=np.float64) / steps
    whole = np.zeros((len(table), len(RANKINGS)))
    whole[:, [RANKINGS.index(name) for name in columns]] = table
    return whole


def _parts(count: int, total: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to divide a number into so many parts, in order."""
    if count == 1:
        yield (total,)
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in _parts(count - 1, total - first))
