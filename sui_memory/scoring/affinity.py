"""Nearness: of two like memories the one from the same project counts for more."""

from __future__ import annotations

BONUS = 0.15
"""What a memory of the same project gains on a score of 0 to 1. Of the same words in two projects those of
the asker's come first in 70 % of the cases instead of 48 % with .05. More gains little, and a decision of
another project is often the very thing that is wanted (benchmarks/RESULTS.md)."""


def affine(score: float, *, near: bool) -> float:
    """Return a score of 0 to 1 after affinity; `near` says that a memory is of the project that asks."""
    return score * (1 - BONUS) + BONUS * near
