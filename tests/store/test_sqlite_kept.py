"""SQLite keeps what every `Kept` must; it stays small, is deleted to the last byte, and survives a kill."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from sui_memory.errors import StoreError
from sui_memory.store import SqliteStore, open_store
from sui_memory.store.kept import Episode, Link, LinkType, Medium, Note, Slept
from sui_memory.store.sqlite import activations, committing, fulltext
from sui_memory.store.sqlite.connection import connect, value, writing
from sui_memory.store.sqlite.migrating import migrate, shipped
from sui_memory.types import Memory, Scope
from tests.store.behaviours.keeping import IDS, NOTES, KeptBehaviour, kept
from tests.store.samples import START, PlainAnalyzer, exchange, indexed, words
from tests.store.test_sqlite_processes import SPAWN, start

SECRETS = ("quetzalcoatlus", "xylograph", "zyzzyva", "bathykolpian", "syzygial", "flapdoodle", "gongoozler")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = open_store(tmp_path / "memory.db", analyzer=PlainAnalyzer())
    yield store
    store.close()


class TestSqliteKept(KeptBehaviour):
    pass


def traces(store: SqliteStore) -> set[str]:
    """Return the secrets of which a byte is left in any file."""
    files = [file.read_bytes() for file in store.path.parent.iterdir()]
    return {secret for secret in SECRETS if any(secret.encode() in data for data in files)}


def keep_secrets(store: SqliteStore) -> None:
    """Keep a memory with a secret of its own in each place that holds text, among others without any."""
    words_, tag, name, data, note, title, summary = SECRETS
    for other in NOTES:
        store.kept.keep(indexed(other), Note(tags=("harbour",)), Medium("audio", "audio/wav", "a", b"sound"))
    one = indexed(kept(9, f"the word is {words_}"))
    store.kept.keep(one, Note(tags=(tag,)), Medium("picture", "image/png", name, data.encode() * 9_000))
    store.kept.link([Link(kept(9).id, IDS[0], LinkType.FOLLOWS, note)])
    store.kept.create_episode(Episode(title, "", (kept(9).id,)))
    store.kept.create_episode(Episode("a day", f"there was {summary}", (kept(9).id, IDS[0])))


def test_forgetting_and_purging_leave_no_byte_of_a_kept_memory(store: SqliteStore) -> None:
    keep_secrets(store)
    assert traces(store) == set(SECRETS)
    store.forget([kept(9).key], {})
    store.purge()
    assert traces(store) == set()
    assert store.check() == []
    assert len(list(store.scan(Scope()))) == len(NOTES)


def test_a_vacuum_leaves_no_byte_of_what_sleep_let_go_of(store: SqliteStore) -> None:
    keep_secrets(store)
    store.kept.sleep(Slept(forgotten=(kept(9).id,)))
    store.purge()
    assert traces(store) == set(SECRETS)
    store.kept.vacuum()
    store.purge()
    assert traces(store) == set()


def test_the_oldest_activations_go(store: SqliteStore) -> None:
    for note in NOTES[:2]:
        store.kept.keep(indexed(note), Note())
    with writing(store._connection):
        for number in range(5):
            activations.add(store._connection, IDS[:2], START + timedelta(minutes=number), kept=4)
    assert [one.at.minute for one in store.kept.activations()] == [4, 4, 3, 3]


def test_an_archive_of_the_version_before_keeps_all_and_can_keep_more(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    connection = connect(path)
    migrate(connection, shipped()[:4], path)
    with writing(connection):
        fulltext.create(connection, PlainAnalyzer())
        old = [(indexed(exchange(f"k{number}")), None, committing.UNMARKED) for number in range(3)]
        committing.insert(connection, old, PlainAnalyzer())
    connection.close()
    store = open_store(path, analyzer=PlainAnalyzer())
    assert list(store.scan(Scope())) == [Memory(exchange(f"k{number}")) for number in range(3)]
    assert len(words(store, "鍵はどこですか")) == 3
    store.kept.keep(indexed(kept(9)), Note(sources=(exchange("k1").id,)))
    assert store.kept.notes([kept(9).id])[kept(9).id].sources == (exchange("k1").id,)
    assert store.check() == []
    store.close()


def test_an_index_of_another_analysis_takes_no_kept_memory(store: SqliteStore) -> None:
    for note in NOTES[:2]:
        store.kept.keep(indexed(note), Note())
    store.close()
    other = open_store(store.path, analyzer=PlainAnalyzer(version="plain-2"))
    for write in (
        lambda: other.kept.keep(indexed(kept(9)), Note()),
        lambda: other.kept.sleep(Slept(forgotten=(IDS[0],))),
        other.kept.vacuum,
    ):
        with pytest.raises(StoreError, match="sui-memory rebuild"):
            write()
    other.kept.annotate(IDS[0], Note(importance=5))
    assert other.kept.recent(limit=5)[1].note.importance == 5
    other.close()


def test_an_archive_opened_for_reading_takes_nothing(store: SqliteStore) -> None:
    store.kept.keep(indexed(NOTES[0]), Note())
    reader = open_store(store.path, analyzer=PlainAnalyzer(), read_only=True)
    assert [one.id for one in reader.kept.recent()] == IDS[:1]
    with pytest.raises(StoreError):
        reader.kept.activate(IDS[:1], START)
    reader.close()


def sleep_forever(path: Path, report: Connection) -> None:
    """Merge memories into a summary night after night, saying how many nights there were, until killed."""
    store = open_store(path, analyzer=PlainAnalyzer())
    for night in range(10**6):
        old = [kept(10 * night + number, "a long thought " * 40) for number in range(5)]
        for one in old:
            store.kept.keep(indexed(one), Note())
        ids = tuple(one.id for one in old)
        summary = indexed(kept(10 * night + 9, "a summary " * 40))
        store.kept.sleep(Slept(((summary, Note(sources=ids[:3])),), {ids[3]: 1}, ids[4:], at=START))
        report.send(night + 1)


@pytest.mark.parametrize(
    "seed", [0, 1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)]
)
def test_a_sleep_that_is_killed_leaves_what_was_before_or_what_is_after(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "memory.db"
    open_store(path, analyzer=PlainAnalyzer()).close()
    receiver, sender = SPAWN.Pipe(duplex=False)
    sleeper = start(sleep_forever, path, sender)
    nights = [receiver.recv() for _ in range(random.Random(seed).randint(1, 12))][-1]
    assert sleeper.pid
    os.kill(sleeper.pid, signal.SIGKILL)
    sleeper.join()
    store = open_store(path, analyzer=PlainAnalyzer())
    summaries = value(store._connection, "select count(distinct exchange_id) from note_sources")
    faded = value(store._connection, "select count(*) from notes where importance = 1")
    assert summaries >= nights
    assert store.kept.counts()["resting"] == 4 * summaries
    assert faded == summaries
    assert store.check() == []
    store.close()
