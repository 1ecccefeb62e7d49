"""Injections in an archive, as a daemon would have recorded them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sui_memory.app import open_app
from sui_memory.config import Settings
from sui_memory.language import JapaneseAnalyzer
from sui_memory.recall import Prompt
from sui_memory.store import open_store
from sui_memory.store.ledger import Injection, Shown
from tests.builders import LIBRARY, START, TIDES, CommandLine

TRACE = (
    *(("words", 0.5), ("words rank", 2.0), ("words score", 11.5), ("vectors", 0.25)),
    *(("score", 0.9125), ("covered", 0.75), ("evidence", 0.8)),
)
"""What the ledger holds of a hit; that of meaning as older versions noted it, without rank and score."""


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


def refused(memory: str, evidence: float) -> Shown:
    """Return a memory that was found, with too little evidence to be shown."""
    return Shown(memory, 0.4, (("words", 0.4), ("score", 0.4), ("evidence", evidence), ("bar", 0.42)))


def asked(cli: CommandLine, text: str) -> Injection:
    """Answer a prompt from the archive as the daemon does, record what came of it, and return that."""
    now = START + timedelta(days=40)
    with open_app(Settings(cli.home, model="none")) as app:
        answer = app.answer(Prompt(text, "asking", now, LIBRARY.cwd), "UserPromptSubmit", None, None)
        app.store.ledger.record(answer.injection)
        assert app.store.ledger.shown("asking") == {one.memory_id for one in answer.injection.memories}
    return answer.injection


def told(cli: CommandLine) -> tuple[str, str]:
    """Archive the sessions, record one injection of two memories and one silence; return the memories."""
    cli.archive()
    key, deadline = cli.ids("書庫の鍵")[0], cli.ids("返却期限")[0]
    record(cli, key, deadline)
    record(cli, minute=1, session=LIBRARY.id)
    return key, deadline
