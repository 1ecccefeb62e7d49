"""Injections in an archive, as a daemon would have recorded them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sui_memory.language import JapaneseAnalyzer
from sui_memory.store import open_store
from sui_memory.store.ledger import Injection, Shown
from tests.builders import LIBRARY, START, TIDES, CommandLine

TRACE = (("words", 0.5), ("vectors", 0.25), ("score", 0.9125), ("covered", 0.75), ("evidence", 0.8))


def record(cli: CommandLine, *memories: str, minute: int = 0, **fields: Any) -> int:
    """Record that a session was shown these memories, or nothing, and return the number."""
    shown = tuple(Shown(memory, 0.9125 - place / 10, TRACE) for place, memory in enumerate(memories))
    values = {
        "at": START + timedelta(days=40, minutes=minute),
        "session": TIDES.id,
        "event": "UserPromptSubmit",
        "prompt_hash": "0" * 32,
        "silence": None if shown else "small talk",
        "memories": shown,
        "characters": 1234 if shown else 0,
        "milliseconds": 21.25,
        "model": "fake",
        **fields,
    }
    store = open_store(cli.database, analyzer=JapaneseAnalyzer())
    try:
        return store.ledger.record(Injection(**values))
    finally:
        store.close()


def told(cli: CommandLine) -> tuple[str, str]:
    """Archive the sessions, record one injection of two memories and one silence; return the memories."""
    cli.archive()
    key, deadline = cli.ids("書庫の鍵")[0], cli.ids("返却期限")[0]
    record(cli, key, deadline)
    record(cli, minute=1, session=LIBRARY.id)
    return key, deadline
