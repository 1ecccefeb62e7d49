"""Rebuilding: makes exchanges and indexes anew from the raw archive, as after a better chunker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sui_memory.archive.families import (
    Family,
    cut_remembered,
    families,
    persistently_on,
    remembering_projects,
)
from sui_memory.archive.family import changed, indexed
from sui_memory.archive.tools import Tools
from sui_memory.errors import StoreBusyError
from sui_memory.store.base import Change, Committed, MemoryStore


@dataclass(slots=True)
class Rebuilt:
    """What a rebuild changed; `indexed` are the passages whose index was made anew."""

    sources: int = 0
    new: int = 0
    updated: int = 0
    deleted: int = 0
    unchanged: int = 0
    indexed: int = 0


def rebuild(
    *,
    store: MemoryStore,
    tools: Tools,
    on_progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Rebuilt:
    """Cut every family anew and store what comes out differently; pinned, edited and imported memories stay.

    The words and trigrams are made anew when another analysis made them, or when they are damaged. Cut
    short, running it again goes on. `on_progress` is told what is being made, and (done, total).
    """
    result = Rebuilt()
    if store.check():
        for done, total in store.rebuild_index():
            result.indexed = done
            on_progress("index", done, total)
    tools = remembering_projects(store, tools)
    total = len(store.sources())
    for family in families(store):
        work = partial(_rebuild, result=result, store=store, tools=tools)
        persistently_on(family, work, store)
        result.sources += len(family.sources)
        on_progress("exchanges", min(result.sources, total), total)
    return result


def _rebuild(family: Family, *, result: Rebuilt, store: MemoryStore, tools: Tools) -> None:
    cutting = cut_remembered(family.lines, store, tools)
    hashes = store.hashes(family.paths)
    upserts = changed(cutting.exchanges, hashes)
    deletes = tuple(sorted(hashes.keys() - {exchange.key for exchange in cutting.exchanges}))
    committed = Committed()
    if upserts or deletes or cutting.silenced:
        change = Change(family.changes(cutting.silenced), indexed(upserts, tools), deletes)
        committed = store.commit([change])
    if committed.stale:
        raise StoreBusyError(f"Another process keeps archiving {family.paths[0]}: run the command again.")
    result.new += committed.new
    result.updated += committed.updated
    result.deleted += committed.deleted
    result.unchanged += len(cutting.exchanges) - committed.new - committed.updated
