"""The SQLite ledger passes what every ledger must; it stays small and is safe beside other writers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sui_memory.errors import StoreError
from sui_memory.store import SqliteStore, open_store
from sui_memory.store.ledger import Ledger
from sui_memory.store.sqlite.connection import connect, fetch, value
from sui_memory.store.sqlite.ledger import SqliteLedger
from tests.store.behaviours.ledgering import MEMORIES, LedgerBehaviour, ids, injection
from tests.store.samples import PlainAnalyzer, change


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = open_store(tmp_path / "memory.db", analyzer=PlainAnalyzer())
    yield store
    store.close()


class TestSqliteLedger(LedgerBehaviour):
    @pytest.fixture
    def ledger(self, store: SqliteStore) -> Ledger:
        return store.ledger


def test_the_oldest_go_with_all_they_showed(store: SqliteStore) -> None:
    store.commit([change(*MEMORIES)])
    connection = connect(store.path)
    ledger = SqliteLedger(connection, store.path, kept=3)
    numbers = [ledger.record(injection(0, 1)) for _ in range(5)]
    assert [one.id for one in ledger.injections(10)] == numbers[:1:-1]
    assert ledger.injection(numbers[1]) is None
    assert value(connection, "select count(*) from shown") == 6
    connection.close()


def test_an_id_is_never_given_again(store: SqliteStore) -> None:
    connection = connect(store.path)
    number = SqliteLedger(connection, store.path).record(injection())
    fetch(connection, "delete from injections")
    connection.close()
    assert store.ledger.record(injection()) == number + 1


def test_what_another_connection_recorded_is_seen_at_once(store: SqliteStore) -> None:
    store.commit([change(*MEMORIES)])
    other = open_store(store.path, analyzer=PlainAnalyzer())
    other.ledger.record(injection(0))
    assert store.ledger.shown("s1") == ids(0)
    other.close()


def test_an_archive_opened_for_reading_takes_no_injection(store: SqliteStore) -> None:
    reader = open_store(store.path, analyzer=PlainAnalyzer(), read_only=True)
    assert reader.ledger.injections(5) == []
    with pytest.raises(StoreError):
        reader.ledger.record(injection())
    reader.close()


def test_stats_count_what_was_injected(store: SqliteStore) -> None:
    store.commit([change(*MEMORIES)])
    store.ledger.record(injection(0, 1))
    store.ledger.record(injection())
    assert store.stats()["injections"] == 1
