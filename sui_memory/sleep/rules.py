"""What the night may touch: protections, and how well a kept memory has held."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import exp

from sui_memory.store.kept import Emotion, KeptMemory, Note
from sui_memory.text import fold

STRENGTHS = {
    Emotion.EXCITED: 1.0,
    Emotion.SURPRISED: 0.9,
    Emotion.MOVED: 0.8,
    Emotion.HAPPY: 0.7,
    Emotion.SAD: 0.6,
    Emotion.CURIOUS: 0.5,
    Emotion.NOSTALGIC: 0.4,
    Emotion.NEUTRAL: 0.0,
}
"""How strongly an emotion keeps a memory, 0 to 1. What arouses is consolidated better, pleasant or not
(McGaugh 2004), so the order is that of arousal (Russell 1980); the steps between are even, by choice."""

PROTECTED_IMPORTANCE = 4
PROTECTED_EMOTIONS = frozenset({Emotion.HAPPY, Emotion.MOVED, Emotion.EXCITED, Emotion.SURPRISED})
FIRST_TIMES = ("初めて", "はじめて", "first time")

RETENTION_BAR = 0.4
_RECENCY_DAYS = 30
_FULL_ACCESS = 10  # times called to mind, beyond which more does not count

FORGETTING_DAYS = 14
MOST_ACCESSES = 3

SIMILARITY = 0.85
MIN_AGE_DAYS = 14

NIGHT = timedelta(hours=18)
"""The shortest time from one fading to the next: once a night, the latest being followed by an early one."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What is merged: older than so many days, and more alike than this: a cosine, or a share of trigrams.

    `chance` is the cosine that strangers reach with the active model, which likes have to exceed as well: of
    random pairs under E5, two in five are above .85.
    """

    min_age_days: float = MIN_AGE_DAYS
    similarity: float = SIMILARITY
    chance: float = 0.0


def protection(kept: KeptMemory) -> str | None:
    """Return why a memory is left alone whatever its age; None when it is not."""
    if kept.note.importance >= PROTECTED_IMPORTANCE:
        return f"importance {kept.note.importance}"
    if kept.note.emotion in PROTECTED_EMOTIONS:
        return kept.note.emotion.value
    if kept.memory.pinned:
        return "pinned"
    text = " ".join(fold(kept.memory.exchange.text).split())
    return next((f"“{words}”" for words in FIRST_TIMES if words in text), None)


def age_days(kept: KeptMemory, now: datetime) -> float:
    """Return how many days ago a memory was kept; 0 where no date is known, for nobody knows it to be old."""
    asked_at = kept.memory.exchange.asked_at
    return max(0.0, (now - asked_at) / timedelta(days=1)) if asked_at else 0.0


def retention(note: Note, age: float) -> float:
    """Return how well a memory of this age in days has held, 0 to 1: the formula of docs/sleep.md."""
    recency = exp(-age / _RECENCY_DAYS)
    access = min(1.0, note.accessed / _FULL_ACCESS)
    held = note.importance / 5 * 0.3 + STRENGTHS[note.emotion] * 0.2 + recency * 0.3 + access * 0.2
    return round(held, 9)  # so that what is 0.4 on paper is 0.4


def is_let_go(note: Note, age: float) -> bool:
    """Say whether a memory that nothing protects and no episode holds is forgotten."""
    return (
        note.importance == 1
        and note.emotion is Emotion.NEUTRAL
        and age > FORGETTING_DAYS
        and note.accessed <= MOST_ACCESSES
    )


def fades(now: datetime, slept_at: datetime | None) -> bool:
    """Say whether memories may fade now: once a night, however often sleep is called for."""
    return slept_at is None or now - slept_at >= NIGHT
