"""What a session made of the memories it was shown is known once its answer is archived."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sui_memory.store import open_store
from sui_memory.store.ledger import Injection
from sui_memory.types import Usage
from tests.builders import SESSIONS, Session, Turn, write_session
from tests.daemon.workbench import Daemon, until
from tests.store.samples import PlainAnalyzer

QUESTION = "返却期限は会議で何日と決めたんだっけ？"


@pytest.fixture
def library(daemon: Daemon) -> Daemon:
    """A daemon that has archived the conversations about the library and the tides."""
    for session in SESSIONS:
        write_session(daemon.cli.config, session)
    daemon.hook("SessionStart", daemon.transcript("early").event(source="startup"))
    until(lambda: len(daemon.archived()) == 6, "the archive of the sessions")
    return daemon


def ledger(daemon: Daemon) -> tuple[list[Injection], dict[str, Usage]]:
    """Return the injections, and the usage of what they showed."""
    store = open_store(daemon.database, analyzer=PlainAnalyzer(), read_only=True)
    try:
        injections = store.ledger.injections(10, silent=False)
        shown = [memory.memory_id for injection in injections for memory in injection.memories]
        return injections, store.ledger.feedback(shown)
    finally:
        store.close()


@pytest.mark.parametrize(
    ("answer", "used"),
    [
        ("返却期限は 14 日、延長は 1 回で 7 日までです。", 1),
        # Each takes the five seconds after which an answer is taken for whole.
        pytest.param("分かりません。議事録を見てください。", 0, marks=pytest.mark.slow),
    ],
)
def test_an_answer_tells_whether_the_memory_before_it_was_used(library: Daemon, answer: str, used: int):
    later = library.transcript("later")
    assert library.prompt(later, QUESTION)
    until(lambda: ledger(library)[0], "the ledger's entry")
    session = Session("later", (Turn(QUESTION, answer),), cwd="/code/app", start=datetime.now(UTC))
    path = write_session(library.cli.config, session)
    library.hook("Stop", {**later.event(), "transcript_path": str(path)})
    until(lambda: ledger(library)[1], "the verdict")

    injections, usages = ledger(library)
    assert usages[injections[0].memories[0].memory_id] == Usage(1, used)
