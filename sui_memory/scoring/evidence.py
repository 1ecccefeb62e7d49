"""Evidence: whether a hit bears on a cue at all, which its place in a ranking does not tell.

Something is always ranked first. What speaks for a hit are the telling words of the cue that it holds, by
their IDF (Spärck Jones, 1972), and how well the rankings agree on it; what speaks against it are the words
that it lacks, and that an order asks for nothing said before. A logistic regression weighs the four against
each other (Cox, 1958): it was fitted to hits that are known
to be right or wrong, with the wrong ones of prompts without an answer counted thrice, so its value is no
probability but grows with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from dataclasses import dataclass

BAR = 0.1
"""Evidence that a memory needs to be shown, the default of the setting `bar`: on the tuning half of the
project's own set, 1 % of the prompts that should recall nothing reach it (benchmarks/RESULTS.md)."""

_MOST_HELD, _MOST_MISSED = 6.0, 8.0  # words beyond which more of them prove nothing more


@dataclass(frozen=True, slots=True)
class Grounds:
    """What is known of a hit.

    `held` and `missed` are the weight of the cue's words that it holds and of those that it does not, in
    words of the highest weight; `score` is 0 to 1; an order asks for nothing.
    """

    held: float
    missed: float
    score: float
    is_order: bool = False

    @property
    def columns(self) -> tuple[float, float, float, float]:
        """The four numbers that are weighed."""
        held, missed = min(self.held, _MOST_HELD), min(self.missed, _MOST_MISSED)
        return held, missed, self.score, float(self.is_order)


@dataclass(frozen=True, slots=True)
class Weighing:
    """What each of the grounds adds to the log odds."""

    held: float
    missed: float
    score: float
    order: float
    bias: float


WEIGHING = Weighing(held=1.46, missed=-0.75, score=5.13, order=-2.90, bias=-6.70)
"""Learnt by `python -m benchmarks.calibration`, from prompts with and without the vectors of a model."""


def evidence_of(grounds: Grounds, weighing: Weighing = WEIGHING) -> float:
    """Return what speaks for a hit, 0 to 1."""
    held, missed, score, order = grounds.columns
    odds = weighing.held * held + weighing.missed * missed + weighing.score * score + weighing.order * order
    return 1 / (1 + math.exp(-odds - weighing.bias))


def heaviest(unknown: float) -> float:
    """Return the IDF of a term that a single passage holds, from that of one that none does.

    An unknown term weighs no more: in an archive of three passages it would outweigh all others.
    """
    passages = max(1.0, math.exp(unknown) / 2 - 1)  # the IDF of n = 0 is ln(2 N + 2)
    return math.log(1 + (passages - 0.5) / 1.5)


def covered(weights: Mapping[str, float], held: Set[str]) -> float:
    """Return the share, 0 to 1, of a cue's weight (term → weight) that is in the terms held."""
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in held) / total if total else 0.0
