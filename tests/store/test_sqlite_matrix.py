"""The vectors in memory answer as sqlite-vec does, whatever was added and removed meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sui_memory.store import SqliteStore, open_store
from sui_memory.store.sqlite.matrix import Matrix, _scales, _signs
from sui_memory.store.sqlite.models import quantise
from sui_memory.types import Scope
from tests.store.samples import PlainAnalyzer, change, exchange

DIM = 16


def vector(number: int) -> list[float]:
    """Return a unit vector that depends on the number alone."""
    values = np.random.default_rng(number).normal(size=DIM)
    return list(values / np.linalg.norm(values))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def stores(path: Path) -> Iterator[tuple[SqliteStore, SqliteStore]]:
    """One store that scans in sqlite-vec and another, of the same file, that holds the vectors in memory."""
    cold = open_store(path, analyzer=PlainAnalyzer())
    cold.use_model("m", DIM)
    warm = open_store(path, analyzer=PlainAnalyzer(), read_only=True)
    warm.warm()
    yield cold, warm
    cold.close()
    warm.close()


def embed(store: SqliteStore, count: int = 10**6, *, backwards: bool = False) -> None:
    """Give pending passages their vectors."""
    pending = store.pending("m", 10**6)[:: -1 if backwards else 1][:count]
    store.add_vectors("m", [(item.rowid, vector(item.rowid)) for item in pending])


def assert_alike(stores: tuple[SqliteStore, SqliteStore], scope: Scope = Scope(), limit: int = 7) -> None:
    """Both give the same memories in the same order with the same scores."""
    for number in (3, 1000):
        cold, warm = (store.search_vectors(vector(number), scope, limit) for store in stores)
        assert [match.score for match in warm] == pytest.approx([match.score for match in cold], abs=1e-4)
        assert {match.memory_id for match in warm} == {match.memory_id for match in cold}


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "embed", "embed one", "embed last", "forget", "search"]), st.integers(0, 9)
    ),
    max_size=12,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_any_history_gives_the_same_neighbours(
    stores: tuple[SqliteStore, SqliteStore], steps: list[tuple[str, int]]
) -> None:
    store = stores[0]
    for step, number in steps:
        if step == "add":
            transcript = f"/t/{len(store.sources())}.jsonl"
            fresh = [exchange(f"{transcript}-{part}") for part in range(number)]
            store.commit([change(*fresh, path=transcript)])
        if step.startswith("embed"):
            embed(store, 10**6 if step == "embed" else 1, backwards=step == "embed last")
        if step == "forget":
            store.forget([stored.exchange.key for stored in list(store.scan(Scope()))[:number]], {})
        assert_alike(stores)


def test_more_vectors_than_one_chunk_are_read_rightly(stores: tuple[SqliteStore, SqliteStore]) -> None:
    store = stores[0]
    store.commit([change(*(exchange(f"k{number}", auto=number % 3 == 0) for number in range(700)))])
    embed(store, 400)
    store.forget([f"k{number}" for number in range(100, 300)], {})
    assert_alike(stores)
    embed(store)
    assert_alike(stores)
    assert_alike(stores, Scope(until=exchange("k50").asked_at), 20)
    assert_alike(stores, Scope(session="none"))


def test_another_model_replaces_the_matrix(stores: tuple[SqliteStore, SqliteStore]) -> None:
    store = stores[0]
    store.commit([change(exchange("k1"), exchange("k2"))])
    embed(store)
    assert_alike(stores)
    store.use_model("n", 2)
    store.add_vectors("n", [(item.rowid, (1.0, 0.0)) for item in store.pending("n", 10)])
    for one in stores:
        assert len(one.search_vectors((1.0, 0.0), Scope(), 5)) == 2


def test_among_very_many_vectors_the_nearest_are_found_by_their_signs() -> None:
    draw = np.random.default_rng(1)
    rows = quantise(draw.normal(size=(20_000, 128)) / 12, 128)
    ids = np.arange(20_000) * 2
    matrix = Matrix(1, ids, rows, _scales(rows), _signs(rows), len(ids), 0, 0)
    asked = rows[123] / np.linalg.norm(rows[123]) + draw.normal(size=128) / 30
    exact = np.argsort(-(rows.astype(np.float32) @ asked) * _scales(rows))[:100] * 2

    found = [passage for passage, _ in matrix.nearest(list(asked / np.linalg.norm(asked)), 100)]
    assert found[0] == 246
    assert len(set(found) & set(exact.tolist())) >= 60  # without any structure, the hardest case
