"""Figures of one ranking, their means, and how sure they are."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

DEPTH = 10
"""Ranks looked at: what a first page shows."""

CUTS = (1, 3, 5, 10)

RESAMPLES = 1_000
"""Of the bootstrap: the ends of an interval of 95 % are then the 25th from either side."""

_SEED = 20_261_130  # any number, so that the same figures have the same interval


def ranking_figures(found: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    """Return Recall@k, MRR@10 and nDCG@10 of one query, each 0 to 1; `gold` must not be empty.

    A document counts once, where it stands first. Gains of nDCG are 0 or 1, its discount log2(rank + 1)
    (Järvelin and Kekäläinen, TOIS 2002).
    """
    distinct = list(dict.fromkeys(found))[:DEPTH]
    places = [place for place, key in enumerate(distinct) if key in gold]
    ideal = sum(_discount(place) for place in range(min(len(gold), DEPTH)))
    return {
        **{f"recall@{cut}": sum(place < cut for place in places) / len(gold) for cut in CUTS},
        "mrr@10": 1 / (places[0] + 1) if places else 0.0,
        "ndcg@10": sum(_discount(place) for place in places) / ideal,
    }


def is_right_first(found: Sequence[str], gold: Collection[str], older: Collection[str]) -> bool:
    """Say whether a gold document is found, and none of the older ones that it replaces stands above it."""
    first = next((key for key in found if key in gold or key in older), None)
    return first is not None and first in gold


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the mean of at least one value, by the percentile bootstrap.

    Seeded, and blind to the order of the values (Efron and Tibshirani, 1993, chapter 13).
    """
    sample = np.sort(np.asarray(values, dtype=np.float64))
    drawn = np.random.default_rng(_SEED).integers(0, len(sample), (RESAMPLES, len(sample)))
    low, high = np.percentile(sample[drawn].mean(axis=1), (2.5, 97.5))
    return float(low), float(high)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` per cent of at least one value lie."""
    return float(np.percentile(np.asarray(values, dtype=np.float64), share))


def _discount(place: int) -> float:
    return 1 / math.log2(place + 2)
