"""Learning what each ranking counts for: the mean over sets of MRR@10, every set the same weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.collecting import Asked, hashed
from benchmarks.evaluation.weighing import RANKINGS, Floats, Pool, pool_of, reciprocal_ranks, row_of, simplex
from sui_memory.config import Settings
from sui_memory.scoring import Weights

STEPS = 10
"""Of the grid: shares in tenths."""

PLATEAU = 0.03
"""Weightings this far below the best in MRR count as good, and what is learned is the middle of them: the
best itself is the luck of these questions. Held out, a middle of .001 gets .769 without a model, of .01 .772,
of .03 .786 (with `use` .793, .802, .804)."""

FOLDS = 5

WITHIN = 0.005
"""What the vectors of the weakest model may cost in MRR on the mean of all sets: .01 is to be lost on none,
and sets differ."""

_PLACES = 2  # decimals of a share


@dataclass(frozen=True, slots=True)
class Tried:
    """One set under one mode of fusion: its pools, which of them are for tuning, and MRR by weighting."""

    pools: tuple[Pool, ...]
    tuning: NDArray[np.bool_]
    gains: Floats
    settings: Settings

    def mrr(self, weights: Weights, chosen: NDArray[np.bool_] | None = None) -> float:
        """Return the mean MRR@10 under some weights, of all questions or of the chosen ones."""
        return float(np.mean(self.each(weights)[slice(None) if chosen is None else chosen]))

    def each(self, weights: Weights) -> Floats:
        """Return the reciprocal rank of each question under some weights."""
        return reciprocal_ranks(self.pools, row_of(weights), self.settings)[:, 0]


def grid(with_vectors: bool) -> Floats:
    """Return the weightings that are tried; without a model the vectors have no share."""
    return simplex([name for name in RANKINGS if with_vectors or name != "vectors"], STEPS)


def tried(asked: Sequence[Asked], mode: str, settings: Settings, weightings: Floats) -> Tried:
    """Return a set under every weighting."""
    pools = tuple(pool_of(question, mode, settings) for question in asked)
    tuning = np.array([question.is_tuning for question in asked])
    return Tried(pools, tuning, reciprocal_ranks(pools, weightings, settings), settings)


def learned(sets: Mapping[str, Tried], weightings: Floats) -> dict[str, float]:
    """Return the weights that do best on the tuning questions of all sets."""
    return _middle([each.gains[each.tuning] for each in sets.values()], weightings)


def _middle(gains: Sequence[Floats], weightings: Floats) -> dict[str, float]:
    """Return the mean of the best weightings, of a sum of 1 (gains: for each set, questions × weightings)."""
    means = np.mean([some.mean(axis=0) for some in gains if len(some)], axis=0)
    middle = weightings[means >= means.max() - PLATEAU].mean(axis=0)
    shares = {name: round(float(share), _PLACES) for name, share in zip(RANKINGS, middle, strict=True)}
    largest = max(shares, key=lambda name: shares[name])
    rest = sum(share for name, share in shares.items() if name != largest)
    shares[largest] = round(1 - rest, _PLACES)
    return {name: share for name, share in shares.items() if share}


def held_out(sets: Mapping[str, Tried], weightings: Floats) -> dict[str, float]:
    """Return for each set the MRR of its tuning questions under weights learned from others of them.

    Five folds, dealt by a hash of the question's id (cross validation: Stone, 1974).
    """
    found: dict[str, list[float]] = {name: [] for name in sets}
    folds = {
        name: np.array([hashed(pool.question) // 2 % FOLDS for pool in it.pools]) for name, it in sets.items()
    }
    for fold in range(FOLDS):
        rest = [it.gains[it.tuning & (folds[name] != fold)] for name, it in sets.items()]
        weights = _middle(rest, weightings)
        for name, it in sets.items():
            found[name] += list(it.each(weights)[it.tuning & (folds[name] == fold)])
    return {name: float(np.mean(values)) for name, values in found.items() if values}


def harmless(sets: Mapping[str, Tried], without: Weights) -> dict[str, float]:
    """Return weights with the largest share of vectors that costs no more than `WITHIN`, tuning or not.

    Meant for the weakest model there is. `without` are the weights of doing without any.
    """
    lowest = _mean(sets, without) - WITHIN
    for percent in range(30, 0, -5):
        weights = {name: round(share * (100 - percent) / 100, 3) for name, share in without.items()}
        weights["vectors"] = round(1 - sum(weights.values()), 3)
        if _mean(sets, weights) >= lowest:
            return weights
    return dict(without)


def _mean(sets: Mapping[str, Tried], weights: Weights) -> float:
    return float(np.mean([each.mrr(weights) for each in sets.values()]))
