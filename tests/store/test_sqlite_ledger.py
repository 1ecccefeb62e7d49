"""The SQLite ledger passes what every ledger must; it stays small and is safe beside other writers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sui_memory.errors import StoreError
from sui_memory.store import SqliteStore, open_store
from sui_memory.store.ledger import Ledger, Shown
from sui_memory.store.sqlite.connection import connect, fetch, value
from sui_memory.store.sqlite.ledger import SqliteLedger
from sui_memory.store.sqlite.migrating import migrate, shipped
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
    for _ in range(4):
        ledger.record(injection(refused=injection(2, 3).memories))
    assert value(connection, "select count(*) from shown") == 0
    assert value(connection, "select count(*) from refused") == 6
    connection.close()


def test_what_was_refused_is_kept_for_less_long(store: SqliteStore) -> None:
    store.commit([change(*MEMORIES)])
    connection = connect(store.path)
    ledger = SqliteLedger(connection, store.path, kept_refused=2)
    for _ in range(4):
        ledger.record(injection(refused=injection(2, 3).memories))
    ledger.record(injection(1))
    assert [len(one.refused) for one in ledger.injections(10)] == [0, 2, 0, 0, 0]
    connection.close()


def test_no_byte_of_a_forgotten_memory_stays_in_what_was_refused(store: SqliteStore) -> None:
    store.commit([change(*MEMORIES)])
    store.ledger.record(injection(refused=(Shown(MEMORIES[0].id, 0.5, (("xylograph", 0.25),)),)))
    assert any(b"xylograph" in file.read_bytes() for file in store.path.parent.iterdir())
    store.forget([MEMORIES[0].key], {})
    store.purge()
    assert not any(b"xylograph" in file.read_bytes() for file in store.path.parent.iterdir())


def test_a_ledger_of_the_version_before_keeps_its_injections(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    connection = connect(path)
    migrate(connection, shipped()[:2], path)
    fetch(
        connection,
        "insert into injections values (7, 0, 's1', 'SessionStart', '', 'small talk', 0, 0, 1.5, null, 0)",
    )
    connection.close()
    store = open_store(path, analyzer=PlainAnalyzer())
    store.commit([change(*MEMORIES)])
    assert [(one.id, one.refused) for one in store.ledger.injections(5)] == [(7, ())]
    number = store.ledger.record(injection(refused=injection(1).memories))
    assert [one.id for one in store.ledger.injections(5)] == [number, 7]
    store.close()


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
