"""Scrubbing: applies today's redaction rules to everything that was stored under older ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from pydantic_core import from_json

from sui_memory.archive.families import (
    EVERYTHING,
    Family,
    cut_remembered,
    families,
    persistently_on,
    remembering_projects,
)
from sui_memory.archive.family import indexed
from sui_memory.archive.masking import mask
from sui_memory.archive.tools import Tools
from sui_memory.errors import StoreBusyError
from sui_memory.store.base import Change, MemoryStore
from sui_memory.store.kept import KeepingStore
from sui_memory.transcript.slim import Slimmer
from sui_memory.types import Exchange, Memory

_MASK = "[REDACTED:"


@dataclass(slots=True)
class Scrubbed:
    """How many values were masked in how many exchanges; `records` are the raw records that changed."""

    values: int = 0
    exchanges: int = 0
    records: int = 0

    def add(self, other: Scrubbed) -> None:
        """Add what was found elsewhere."""
        self.values += other.values
        self.exchanges += other.exchanges
        self.records += other.records


def scrub(
    *,
    store: KeepingStore,
    tools: Tools,
    dry_run: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Scrubbed:
    """Mask what today's rules call a secret in raw records, texts and indexes, family by family.

    Cut short, what was done is done, and running it again goes on. With `dry_run` it only counts.
    """
    tools = remembering_projects(store, tools)
    found = Scrubbed()
    derived: set[str] = set()
    done, total = 0, len(store.sources())
    for family in families(store):
        work = partial(_scrub_family, derived=derived, store=store, tools=tools, dry_run=dry_run)
        found.add(persistently_on(family, work, store))
        done += len(family.sources)
        on_progress(min(done, total), total)
    for memory in store.scan(EVERYTHING):
        if memory.edited or memory.exchange.key not in derived:
            found.add(_scrub_memory(memory, store, tools, dry_run=dry_run))
    found.values += store.kept.reword(lambda text: tools.new_redactor().redact(text), dry_run=dry_run)
    if not dry_run:
        store.purge()
    return found


def _scrub_family(
    family: Family, *, derived: set[str], store: MemoryStore, tools: Tools, dry_run: bool
) -> Scrubbed:
    """Scrub one family in one transaction; what its exchanges are called is added to `derived`."""
    before = family.lines
    after = {path: _slimmed(lines, tools) for path, lines in before.items()}
    derived.update(store.hashes(family.paths))
    if after == before:
        return Scrubbed()
    old, new = (cut_remembered(lines, store, tools).exchanges for lines in (before, after))
    touched = _touched(old, new)
    # Two prompts that became alike may count as one now; the other's exchange is then masked as it lies.
    derived.difference_update({gone.key for gone in old} - {left.key for left in new})
    derived.update(left.key for _, left in touched)
    if not dry_run:
        changed = {path: lines for path, lines in after.items() if lines != before[path]}
        upserts = indexed([left for _, left in touched], tools)
        if store.commit([Change(family.changes(changed), upserts)]).stale:
            raise StoreBusyError(f"Another process keeps archiving {family.paths[0]}: run the command again.")
    return Scrubbed(
        values=sum(max(0, _masks(left) - _masks(was)) for was, left in touched),
        exchanges=len(touched),
        records=sum(map(_differences, before.values(), after.values())),
    )


def _touched(before: Sequence[Exchange], after: Sequence[Exchange]) -> list[tuple[Exchange, Exchange]]:
    """Return the exchanges that change, before and after."""
    old = {exchange.key: exchange for exchange in before}
    return [(old[new.key], new) for new in after if new.key in old and old[new.key] != new]


def _differences(before: Sequence[bytes], after: Sequence[bytes]) -> int:
    return sum(old != new for old, new in zip(before, after, strict=True))


def _slimmed(lines: Sequence[bytes], tools: Tools) -> list[bytes]:
    slimmer = Slimmer(tools.new_redactor)
    return [slimmer.slim(from_json(line)) for line in lines]


def _masks(exchange: Exchange) -> int:
    return repr(exchange).count(_MASK)


def _scrub_memory(memory: Memory, store: MemoryStore, tools: Tools, *, dry_run: bool) -> Scrubbed:
    """Scrub what no raw record tells: words of the user's own, and of an import."""
    masked, values = mask(memory.exchange, tools.new_redactor)
    if not values:
        return Scrubbed()
    if not dry_run and memory.edited:
        store.edit(indexed([masked], tools)[0])
    elif not dry_run:
        store.commit([Change((), indexed([masked], tools))])
    return Scrubbed(values, 1)
