"""What the archive holds raw, family by family: the ground on which exchanges are made anew."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from sui_memory.archive.family import Cutting, cut_family
from sui_memory.archive.segments import split, unpack
from sui_memory.archive.silencing import Lines
from sui_memory.archive.tools import Tools
from sui_memory.errors import StoreBusyError
from sui_memory.store.base import MemoryStore, Source, SourceChange
from sui_memory.types import Exchange, Scope

EVERYTHING = Scope(auto=True, sidechains=True, rest=True)
"""All that is stored: sub-agents, automated sessions and what is at rest included."""

_MAX_TRIES = 4
"""How often a family is read again because another process archived more of it in between."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Family:
    """The sources that share exchanges, as they are stored, with their slim records by path."""

    sources: tuple[Source, ...]
    segments: Mapping[str, tuple[bytes, ...]]

    @property
    def paths(self) -> list[str]:
        """The paths of the sources."""
        return [source.path for source in self.sources]

    @property
    def lines(self) -> dict[str, list[bytes]]:
        """The slim records by path."""
        return {path: unpack(self.segments[path]) for path in self.paths}

    def changes(self, lines: Mapping[str, Sequence[bytes]]) -> tuple[SourceChange, ...]:
        """Return the sources as they are, but with these lines in the place of all raw records."""
        return tuple(
            _rewritten(source, split(lines[source.path]))
            if source.path in lines
            else SourceChange(source, source, (), keep=len(self.segments[source.path]))
            for source in self.sources
        )


def _rewritten(source: Source, segments: tuple[bytes, ...]) -> SourceChange:
    """Replace all raw records. A time that no file has marks the source as changed, as `forget` does."""
    return SourceChange(source, replace(source, mtime_ns=-time.time_ns()), segments)


def families(store: MemoryStore) -> Iterator[Family]:
    """Yield every family once, reading its raw records when it is asked for."""
    seen: set[str] = set()
    for path, source in store.sources().items():
        if path not in seen:
            family = _read(store, [source, *store.family(path, (), ())])
            seen.update(family.paths)
            yield family


def family_at(store: MemoryStore, path: str) -> Family:
    """Return the family of the source at `path`; empty when there is none any more."""
    source = store.source(path)
    return _read(store, [*([source] if source else []), *store.family(path, (), ())])


def family_of(store: MemoryStore, exchanges: Sequence[Exchange]) -> Family:
    """Return all sources that hold one of these exchanges; none when they were imported."""
    keys = [exchange.key for exchange in exchanges]
    return _read(store, store.family("", keys, [exchange.fingerprint for exchange in exchanges]))


def _read(store: MemoryStore, sources: Sequence[Source]) -> Family:
    # The sources come first: records that change afterwards make them stale, and the change is refused.
    return Family(tuple(sources), {source.path: tuple(store.segments(source.path)) for source in sources})


def cut_remembered(lines: Lines, store: MemoryStore, tools: Tools) -> Cutting:
    """Cut a family without what the user had forgotten, or has put other words in the place of."""
    cutting = cut_family(lines, (), tools)
    keys = [exchange.key for exchange in cutting.exchanges]
    forgotten = store.tombstones(keys, [exchange.fingerprint for exchange in cutting.exchanges])
    return cut_family(lines, forgotten, tools) if forgotten else cutting


def persistently(work: Callable[[], _T]) -> _T:
    """Do work that reads a family and changes it, again when somebody got in between."""
    for _ in range(_MAX_TRIES - 1):
        try:
            return work()
        except StoreBusyError:
            continue
    return work()


def persistently_on(family: Family, work: Callable[[Family], _T], store: MemoryStore) -> _T:
    """Do work that changes a family, again with what is stored by then when somebody got in between."""
    try:
        return work(family)
    except StoreBusyError:
        return persistently(lambda: work(family_at(store, family.paths[0])))


def remembering_projects(store: MemoryStore, tools: Tools) -> Tools:
    """Return the tools with the stored projects of folders that are gone, which nothing else tells."""
    known: dict[str, str] = {}
    for memory in store.scan(EVERYTHING):
        if memory.exchange.cwd:
            known.setdefault(memory.exchange.cwd, memory.exchange.project)
    gone = {cwd: project for cwd, project in known.items() if not Path(cwd).is_dir()}
    return replace(tools, project_of=lambda cwd: gone.get(cwd or "") or tools.project_of(cwd))
