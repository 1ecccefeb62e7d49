"""Evidence: whether a hit bears on a cue at all, which its place in a ranking does not tell.

Something is always ranked first. What speaks for a hit is that it holds the telling words of the cue, by
their IDF (Spärck Jones, 1972), and that its vector is nearer than what this cue finds anywhere (its
z-score in the pool: an absolute cosine means nothing, some models put strangers at .85).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence, Set

UNKNOWN_SHARE = 0.5
"""Weight of a word that no memory holds, against that of the rarest there can be: it may name something
new, and may as well be another word for something known."""

BAR = 0.5
"""Evidence below this is none."""

OUTSTANDING = 6.0
"""A z-score in the pool at which a vector alone is full evidence."""

VECTOR_SHARE = 0.4
"""What a vector that stands out adds to the coverage of the words."""


def covered(weights: Mapping[str, float], held: Set[str]) -> float:
    """Return the share, 0 to 1, of a cue's weight (term → weight) that is in the terms held."""
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in held) / total if total else 0.0


def standing_out(scores: Sequence[float]) -> list[float]:
    """Return the z-score of each cosine within the pool; 0 in a pool too small or too even to tell."""
    if len(scores) < 8:
        return [0.0] * len(scores)
    mean, spread = statistics.fmean(scores), statistics.pstdev(scores)
    return [(score - mean) / spread if spread > 1e-9 else 0.0 for score in scores]


def evidence(coverage: float, z_score: float) -> float:
    """Return how much speaks for a hit: 1 is beyond doubt, below `BAR` is too little."""
    return coverage + VECTOR_SHARE * min(1.0, max(0.0, z_score / OUTSTANDING))


def weights_of(rarity: Mapping[str, float], ceiling: float) -> dict[str, float]:
    """Return term → weight from term → IDF; `ceiling` is the IDF of what no memory holds."""
    return {
        term: UNKNOWN_SHARE * ceiling if math.isclose(idf, ceiling) else idf for term, idf in rarity.items()
    }
