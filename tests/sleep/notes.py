"""Kept memories as the tests of sleep want them: of some age, dull unless said otherwise."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sui_memory.store.kept import KEPT, Category, Emotion, KeptMemory, Note
from sui_memory.types import Exchange, Memory

NOW = datetime(2026, 11, 30, 3, tzinfo=UTC)


def exchange(text: str = "桟橋のペンキを塗った。", days: float = 60, **fields: Any) -> Exchange:
    """Return what a kept memory of so many days ago says."""
    key = fields.pop("key", f"note:{text} {days}")
    return Exchange(
        key=key,
        fingerprint=key,
        session=KEPT,
        project=fields.pop("project", ""),
        question=text,
        agent=KEPT,
        asked_at=NOW - timedelta(days=days),
        **fields,
    )


def kept(text: str = "桟橋のペンキを塗った。", days: float = 60, **fields: Any) -> KeptMemory:
    """Return a kept memory; fields of the exchange's are `key`, `project` and `pinned`, others the note's."""
    outer = {name: fields.pop(name) for name in ("key", "project") if name in fields}
    pinned = fields.pop("pinned", False)
    return KeptMemory(Memory(exchange(text, days, **outer), pinned=pinned), Note(**fields))


def dull(text: str = "倉庫の鍵を替えた。", days: float = 60, **fields: Any) -> KeptMemory:
    """Return a memory that nothing speaks for."""
    return kept(text, days, **{"importance": 1, "emotion": Emotion.NEUTRAL, **fields})


def pair(days: float = 60, **fields: Any) -> tuple[KeptMemory, KeptMemory]:
    """Return two memories, a day apart, whose `VECTORS` are alike."""
    fields = {"importance": 3, "category": Category.DAILY, **fields}
    return kept("浮標を緑に塗り直した。雨だった。", days, **fields), kept(
        "ブイの色は緑になった。", days - 1, **fields
    )


def vectors(*memories: KeptMemory, cosine: float = 0.9) -> dict[str, list[float]]:
    """Return unit vectors, each with this cosine to the first one and all others on one line with it."""
    others = [cosine, (1 - cosine**2) ** 0.5]
    return {memory.id: others if place else [1.0, 0.0] for place, memory in enumerate(memories)}
