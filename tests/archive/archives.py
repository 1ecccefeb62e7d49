"""Archives in temporary folders, filled in this process, and everything that is in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sui_memory.archive import Report, Tools, sync
from sui_memory.store import SqliteStore, open_store
from sui_memory.transcript.claude_code import ClaudeCode
from sui_memory.types import Analyzer, Exchange, Memory, Passage, Scope
from tests.store.samples import PlainAnalyzer
from tests.transcript.script import PlainRedactor

EVERYTHING = Scope(auto=True, sidechains=True)


def whole(exchange: Exchange, analyzer: Analyzer) -> tuple[Passage, ...]:
    """Cut an exchange into a single passage."""
    terms = analyzer.terms(exchange.human), analyzer.terms(exchange.answer)
    return (Passage(0, 0, len(exchange.text), exchange.human, exchange.answer, *terms),)


TOOLS = Tools(ClaudeCode(), PlainRedactor, PlainAnalyzer(), whole, lambda cwd: cwd or "unknown")


@contextmanager
def opened(home: Path) -> Iterator[SqliteStore]:
    store = open_store(home / "memory.db", analyzer=TOOLS.analyzer)
    try:
        yield store
    finally:
        store.close()


def fill(home: Path, *roots: Path, workers: int = 0) -> Report:
    """Archive what lies below the roots."""
    with opened(home) as store:
        return sync(roots, store=store, tools=TOOLS, workers=workers)


def contents(home: Path) -> list[Memory]:
    """Return everything that is archived, oldest first."""
    with opened(home) as store:
        assert store.check() == []
        return sorted(store.scan(EVERYTHING), key=lambda memory: memory.exchange.key)


def talk(home: Path) -> set[tuple[str, str]]:
    """Return (everything the person typed, answer) of all that is archived."""
    return {(memory.exchange.human, memory.exchange.answer) for memory in contents(home)}
