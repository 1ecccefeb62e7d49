"""What is forgotten is in no byte of any file."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sui_memory.errors import StoreBusyError
from sui_memory.store import SqliteStore, open_store
from sui_memory.store.sqlite.connection import value
from sui_memory.store.sqlite.models import quantise
from sui_memory.types import Scope
from tests.store.samples import PlainAnalyzer, change, exchange, indexed, source

SECRET = "quetzalcoatlus"
SECRET_STEM = b"quetzalcoatlu"  # what the Porter stemmer leaves of it in the index
SECRET_VECTOR = (0.6, -0.8, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    """A store where the secret is in one exchange among others that share parts of its words."""
    store = open_store(path, analyzer=PlainAnalyzer())
    others = [
        exchange(f"k{number}", f"query {number} quick {random.Random(number).randbytes(9).hex()}", "answer")
        for number in range(400)
    ]
    secret = exchange("k500", f"the word is {SECRET}", f"{SECRET} it is", followups=(f"so {SECRET}",))
    store.commit([change(*others)])
    store.commit([change(secret, path="/t/b.jsonl", segments=(SECRET.encode(), b"harmless"))])
    store.use_model("m", 8)
    vectors = [
        (item.rowid, SECRET_VECTOR if SECRET in item.text else (1.0, *[0.0] * 7))
        for item in store.pending("m", 1000)
    ]
    store.add_vectors("m", vectors)
    yield store
    store.close()


def traces(path: Path) -> list[str]:
    """Return where something of the secret is left."""
    vector = quantise([SECRET_VECTOR], 8)[0].tobytes()
    needles = {"text": SECRET.encode(), "term": SECRET_STEM[:-1], "prefix": b"quetz", "vector": vector}
    needles["trigram"] = b"tzal"[:3]
    files = [path, path.with_name("memory.db-wal"), path.with_name("memory.db-shm")]
    return [
        f"{name} in {file.name}"
        for file in files
        if file.exists()
        for name, needle in needles.items()
        if needle in file.read_bytes()
    ]


def test_the_search_for_bytes_finds_what_is_there(store: SqliteStore, path: Path) -> None:
    found = {trace.split()[0] for trace in traces(path)}
    assert found == {"text", "term", "prefix", "vector", "trigram"}


@pytest.mark.parametrize("tombstone", [True, False])
def test_forgetting_and_purging_leave_no_byte(store: SqliteStore, path: Path, *, tombstone: bool) -> None:
    store.forget(["k500"], {"/t/b.jsonl": (b"harmless",)}, tombstone=tombstone)
    store.purge()
    assert traces(path) == []
    assert store.check() == []
    assert len(store.search_words(["answer"], Scope(), 1000)) == 400


def test_earlier_versions_of_a_forgotten_exchange_are_gone_too(store: SqliteStore, path: Path) -> None:
    later = exchange("k500", "rewritten", "without it")
    store.commit([change(later, path="/t/b.jsonl", before=source("/t/b.jsonl"), offset=20)])
    store.forget(["k500"], {"/t/b.jsonl": ()})
    store.purge()
    assert traces(path) == []


def test_editing_a_secret_away_and_purging_leave_no_byte(store: SqliteStore, path: Path) -> None:
    secret = store.get(store.find(exchange("k500").id))[0].exchange
    store.edit(indexed(replace(secret, question="[REDACTED]", answer="x", followups=())))
    store.forget([], {"/t/b.jsonl": (b"harmless",)})
    store.purge()
    assert traces(path) == []
    assert store.check() == []


def test_forgetting_the_last_exchange_leaves_no_byte(path: Path, tmp_path: Path) -> None:
    store = open_store(path, analyzer=PlainAnalyzer())
    store.commit([change(exchange(question=SECRET, answer="tzal"), segments=(SECRET.encode(),))])
    store.forget([exchange().key], {"/t/a.jsonl": ()})
    store.purge()
    assert traces(path) == []
    store.close()


def test_no_piece_of_compressed_text_is_left(store: SqliteStore, path: Path) -> None:
    fresh = exchange("k600", answer="\n".join(f"{number} {SECRET[number % 9 :]}" for number in range(2000)))
    store.commit([change(fresh, path="/t/c.jsonl")])
    packed = value(store._connection, "select fields from contents order by exchange_id desc limit 1")
    pieces = [packed[start : start + 16] for start in range(16, len(packed) - 16, 500)]
    assert all(any(piece in file.read_bytes() for file in path.parent.iterdir()) for piece in pieces)
    store.forget(["k600", "k500"], {"/t/b.jsonl": ()})
    store.purge()
    assert not any(piece in file.read_bytes() for file in path.parent.iterdir() for piece in pieces)
    assert traces(path) == []


def test_a_purge_that_a_reader_holds_up_says_so(store: SqliteStore, path: Path) -> None:
    reader = open_store(path, analyzer=PlainAnalyzer(), read_only=True)
    reader._connection.execute("begin")
    list(reader._connection.execute("select count(*) from exchanges"))
    store.forget(["k500"], {"/t/b.jsonl": ()})
    store._connection.set_busy_timeout(1)
    with pytest.raises(StoreBusyError, match="reading"):
        store.purge()
    reader.close()
    store.purge()
    assert traces(path) == []
