"""Nearness: of two like memories the one from the same project counts for more."""

from __future__ import annotations

BONUS = 0.05
"""What a memory of the same project gains on a score of 0 to 1: as much as one of today. It decides between
likes and shuts nothing out: a decision of another project is often the very thing that is wanted."""


def affine(score: float, *, near: bool) -> float:
    """Return a score of 0 to 1 after affinity; `near` says that a memory is of the project that asks."""
    return score * (1 - BONUS) + BONUS * near
