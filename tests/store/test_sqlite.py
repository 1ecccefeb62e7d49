"""The SQLite store passes what every store must, freshly opened and with its vectors in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sui_memory.store import SqliteStore, open_store
from tests.store.behaviour import StoreBehaviour
from tests.store.samples import PlainAnalyzer


class TestSqlite(StoreBehaviour):
    @pytest.fixture(params=["cold", "warm"])
    def store(self, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[SqliteStore]:
        store = open_store(tmp_path / "home" / "memory.db", analyzer=PlainAnalyzer())
        if request.param == "warm":
            store.warm()
        yield store
        store.close()
