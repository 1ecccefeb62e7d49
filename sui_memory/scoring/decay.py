"""Forgetting: of two like memories the newer one counts for more."""

from __future__ import annotations

from datetime import datetime

HALF_LIFE_DAYS = 30.0

BONUS = 0.05
"""What a memory of today gains on a score of 0 to 1: enough to decide between likes, too little to lift a
vague one over an exact one. It costs nothing where answers are old, while a pure factor ruins them
(benchmarks/RESULTS.md)."""


def freshness(asked_at: datetime | None, now: datetime, half_life_days: float = HALF_LIFE_DAYS) -> float:
    """Return 1 for a memory of this moment, halving with every half-life; 0 when its date is unknown."""
    if asked_at is None:
        return 0.0
    age_days = max(0.0, (now - asked_at).total_seconds() / 86_400)
    return float(0.5 ** (age_days / half_life_days))


def decayed(score: float, fresh: float, mode: str = "bonus") -> float:
    """Return a score of 0 to 1 after decay: a small `bonus`, the pure `factor`, or `off`."""
    if mode == "bonus":
        return score * (1 - BONUS) + BONUS * fresh
    return score * fresh if mode == "factor" else score
