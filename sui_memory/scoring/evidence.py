"""Evidence: whether a hit bears on a cue at all, which its place in a ranking does not tell.

Something is always ranked first. What speaks for a hit is that it holds the telling words of the cue, by
their IDF (Spärck Jones, 1972), and that its vector is nearer than what else this cue finds (its z-score
in the pool: an absolute cosine means nothing, some models put strangers at .85).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence, Set

BAR = 0.42
"""Evidence below this is too little: some two fifths of what the words of the cue weigh, or less where the
vector stands out. Calibrated on Japanese and English questions, with and without vectors of the weakest
model: of questions that belong to another archive 3 % are answered; at .36 it is twice as many, and at .45
one in fifteen natural questions more goes unanswered."""

RIVAL_SHARE = 0.6
"""Share of the best hit's evidence that another one needs: beside a sure answer a vague one only costs room.
It saves a fifth of what is shown, and lost no answer on the questions it was tried on."""

Z_SHARE = 0.08
"""What one standard deviation adds to the coverage, or takes from it: an exact word still outweighs it."""

Z_USUAL = 2.0
"""Standard deviations at which a vector says nothing: some passage is always that much nearer than others."""

Z_MOST = 5.0
"""Standard deviations beyond which nothing is added: one outlier in a poor pool is no proof."""

_POOL = 8  # vectors below which a mean and a deviation mean nothing


def heaviest(unknown: float) -> float:
    """Return the IDF of a term that a single passage holds, from that of one that none does.

    An unknown term weighs no more: in an archive of three passages it would outweigh all others.
    """
    passages = max(1.0, math.exp(unknown) / 2 - 1)  # the IDF of n = 0 is ln(2 N + 2)
    return math.log(1 + (passages - 0.5) / 1.5)


def covered(weights: Mapping[str, float], held: Set[str], unsaid: float = 0.0) -> float:
    """Return the share, 0 to 1, of a cue's weight (term → weight) that is in the terms held.

    `unsaid` is weight that no memory can hold: the less a cue says, the more of it goes uncovered.
    """
    total = sum(weights.values()) + unsaid
    return sum(weight for term, weight in weights.items() if term in held) / total if total else 0.0


def standing_out(scores: Sequence[float]) -> list[float | None]:
    """Return the z-score of each cosine within the pool; None in one too small or too even to tell."""
    spread = statistics.pstdev(scores) if len(scores) >= _POOL else 0.0
    if spread < 1e-9:
        return [None] * len(scores)
    mean = statistics.fmean(scores)
    return [(score - mean) / spread for score in scores]


def bar(evidences: Sequence[float]) -> float:
    """Return the evidence that each of several hits needs to be shown."""
    return max(BAR, RIVAL_SHARE * max(evidences, default=0.0))


def evidence_of(coverage: float, z_score: float | None) -> float:
    """Return what speaks for a hit, about 0 to 1; without a z-score the words decide alone."""
    if z_score is None:
        return coverage
    return coverage + Z_SHARE * (min(z_score, Z_MOST) - Z_USUAL)
