"""Kept memories as the tests of sleep want them: of some age, dull unless said otherwise."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw

from sui_memory.app import App
from sui_memory.language import cut
from sui_memory.store.kept import KEPT, Category, Emotion, Episode, KeptMemory, Note
from sui_memory.types import Exchange, Indexed, Memory

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


def keep(app: App, *memories: KeptMemory) -> list[str]:
    """Store kept memories and return their ids."""
    for memory in memories:
        exchange = memory.memory.exchange
        app.store.kept.keep(Indexed(exchange, cut(exchange, app.analyzer)), memory.note)
    return [memory.id for memory in memories]


def fill(app: App) -> dict[str, str]:
    """Store a memory for every rule and return what it is for → its id."""
    one, other = pair()
    memories = {
        "merged, one": one,
        "merged, other": replace(other, memory=kept("浮標を緑に塗り直した。雨だった！", 59).memory),
        "fades": kept("桟橋の板が一枚ゆるんでいる。", importance=3, emotion=Emotion.SAD),
        "goes": dull("倉庫の鍵を替えた。"),
        "protected": dull("初めて灯台に登った。"),
        "in an episode": dull("船が三隻、霧の中を出ていった。"),
        "young": dull("今朝は凪。", days=3),
    }
    ids = dict(zip(memories, keep(app, *memories.values()), strict=True))
    app.store.kept.create_episode(Episode("霧の朝", "", (ids["in an episode"],)))
    return ids


def contents(database: Path) -> list[str]:
    """Return every row of every table that holds something a user could miss, in words."""
    store = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        tables = ("exchanges", "contents", "passages", "notes", "note_sources", "meta", "tombstones")
        return [f"{table} {row}" for table in tables for row in store.execute(f"select * from {table}")]
    finally:
        store.close()
