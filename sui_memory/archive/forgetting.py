"""Forgetting: deletes memories from everything that is stored, and keeps them from coming back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from sui_memory.archive.families import EVERYTHING, families, family_at, family_of, persistently
from sui_memory.archive.family import cut_family
from sui_memory.archive.segments import split
from sui_memory.archive.tools import Tools
from sui_memory.store.base import MemoryStore
from sui_memory.store.kept import KEPT
from sui_memory.types import Exchange, Memory, Scope

_AT_ONCE = 16
"""Exchanges of one transaction. Taking a passage out without a trace costs some 20 ms, and while it
lasts no other process can write."""


def find_matches(text: str | None, scope: Scope, *, store: MemoryStore, tools: Tools) -> list[Memory]:
    """Return the memories in scope whose words contain `text`, both folded; the oldest first."""
    wanted = tools.analyzer.fold(text) if text is not None else ""
    return [memory for memory in store.scan(scope) if _contains(memory.exchange, wanted, tools)]


def _contains(exchange: Exchange, wanted: str, tools: Tools) -> bool:
    texts = (exchange.question, *exchange.followups, exchange.answer)
    return not wanted or any(wanted in tools.analyzer.fold(text) for text in texts)


def forget(
    doomed: Sequence[Exchange],
    *,
    store: MemoryStore,
    tools: Tools,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Delete exchanges for good and return how many went.

    Each transaction deletes some of them with their raw records in every copy, and leaves tombstones;
    cut short, the rest is as it was. Of a session that loses its last exchange, no words are kept at all.
    """
    emptied = _emptied(doomed, store)
    gone = done = 0
    for relatives in _by_family(doomed, store):
        for batch in _batches(relatives):
            gone += persistently(partial(_forget_together, batch, emptied, store, tools))
            done += len(batch)
            on_progress(done, len(doomed))
    for path in _leftovers(emptied, store):
        persistently(partial(_silence_sessions, path, emptied, store, tools))
    store.purge()
    return gone


def _emptied(doomed: Sequence[Exchange], store: MemoryStore) -> set[str]:
    """Return the sessions that will have no exchange left; what was kept on purpose is none of theirs."""
    keys = {exchange.key for exchange in doomed}
    sessions = {exchange.session for exchange in doomed if exchange.agent != KEPT}
    return {
        session
        for session in sessions
        if all(
            memory.exchange.key in keys or memory.exchange.agent == KEPT
            for memory in store.scan(replace(EVERYTHING, session=session))
        )
    }


def _by_family(doomed: Sequence[Exchange], store: MemoryStore) -> list[list[Exchange]]:
    groups: dict[tuple[str, ...], list[Exchange]] = {}
    for exchange in doomed:
        sources = store.family("", [exchange.key], [exchange.fingerprint])
        groups.setdefault(tuple(source.path for source in sources), []).append(exchange)
    return list(groups.values())


def _batches(exchanges: Sequence[Exchange]) -> Iterator[list[Exchange]]:
    rest = iter(exchanges)
    while batch := list(islice(rest, _AT_ONCE)):
        yield batch


def _forget_together(
    batch: Sequence[Exchange], emptied: Collection[str], store: MemoryStore, tools: Tools
) -> int:
    family = family_of(store, batch)
    keys = [exchange.key for exchange in batch]
    forgotten = {*keys, *(exchange.fingerprint for exchange in batch)}
    cutting = cut_family(family.lines, forgotten, tools, sessions=emptied)
    segments = {path: split(lines) for path, lines in cutting.silenced.items()}
    return store.forget(keys, segments, expected=family.sources)


def _leftovers(emptied: Collection[str], store: MemoryStore) -> list[str]:
    """Return a path of each family that names a session without exchanges, be it in an agent's own file."""
    names = [session.encode() for session in emptied]
    if not names:
        return []
    return [
        family.paths[0]
        for family in families(store)
        if any(name in line for lines in family.lines.values() for line in lines for name in names)
    ]


def _silence_sessions(path: str, emptied: Collection[str], store: MemoryStore, tools: Tools) -> None:
    family = family_at(store, path)
    cutting = cut_family(family.lines, (), tools, sessions=emptied)
    if cutting.silenced:
        segments = {path: split(lines) for path, lines in cutting.silenced.items()}
        store.forget([], segments, expected=family.sources)
