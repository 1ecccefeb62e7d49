"""Timeliness: what was said when the prompt says that it was said."""

from __future__ import annotations

from datetime import datetime

BONUS = 0.15
"""What a memory of the days that a prompt names gains on a score of 0 to 1 (benchmarks/RESULTS.md)."""

_LEAST_DAYS = 2.0  # what a distance is measured by at least: people are off by a day or two


def closeness(asked_at: datetime | None, start: datetime, stop: datetime) -> float:
    """Return 1 for a moment in the span, halving with every length of the span that lies between them."""
    if asked_at is None:
        return 0.0
    length = max(_LEAST_DAYS, (stop - start).total_seconds() / 86_400)
    away = max((start - asked_at).total_seconds(), (asked_at - stop).total_seconds(), 0.0) / 86_400
    return float(0.5 ** (away / length))


def timely(score: float, close: float) -> float:
    """Return a score of 0 to 1 with what a memory's `closeness` to the days asked about adds."""
    return score * (1 - BONUS) + BONUS * close
