"""Rankings added up in memory are those of FTS5 and SQLite, whatever was added and removed meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sui_memory.store import SqliteStore, open_store
from sui_memory.store.sqlite import fulltext
from sui_memory.store.sqlite.connection import connect
from sui_memory.store.sqlite.postings import _varints
from sui_memory.types import Match, Role, Scope
from tests.store.samples import PlainAnalyzer, change, exchange

WORDS = ("alpha", "beta", "gamma", "delta", "tests", "testing", "記憶", "鍵")


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[SqliteStore, SqliteStore]]:
    """One store that ranks in SQLite and another, of the same file, that adds up in memory."""
    cold = open_store(tmp_path / "memory.db", analyzer=PlainAnalyzer())
    warm = open_store(tmp_path / "memory.db", analyzer=PlainAnalyzer(), read_only=True)
    warm.warm()
    yield cold, warm
    cold.close()
    warm.close()


def assert_alike(stores: tuple[SqliteStore, SqliteStore], words: list[str], scope: Scope = Scope()) -> None:
    """Both rank the same passages with the same scores."""
    cold, warm = ([*_ranked(store, words, scope)] for store in stores)
    for one, other in zip(cold, warm, strict=True):
        assert _scores(one) == pytest.approx(_scores(other))


def _ranked(store: SqliteStore, words: list[str], scope: Scope) -> Iterator[list[Match]]:
    yield store.search_words(words, scope, 1_000)
    yield store.search_trigrams(" ".join(words), scope, 1_000)


def _scores(matches: list[Match]) -> dict[tuple[str, int], float]:
    return {(match.memory_id, match.ordinal): match.score for match in matches}


TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join)
STEPS = st.lists(
    st.one_of(st.tuples(st.just("add"), TEXTS, TEXTS), st.tuples(st.just("forget"), st.integers(0, 9))),
    min_size=1,
    max_size=15,
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=5))
def test_any_history_gives_the_same_rankings(
    stores: tuple[SqliteStore, SqliteStore], steps: list[tuple[str, ...]], asked: list[str]
) -> None:
    store = stores[0]
    for step, *rest in steps:
        number = len(store.sources())
        if step == "add":
            added = exchange(f"k{number}", question=rest[0], answer=rest[1])
            store.commit([change(added, path=f"/t/{number}.jsonl")])
        else:
            store.forget([f"k{rest[0]}"], {})
        assert_alike(stores, asked)
        cold, warm = (_held(store, asked) for store in stores)
        assert cold == warm


def _held(store: SqliteStore, asked: list[str]) -> dict[str, frozenset[str]]:
    return store.holding([*asked, "unheard"], [memory.id for memory in store.scan(Scope())])


@pytest.mark.parametrize("asked", [["alpha", "gamma"], ["unheard"], [], ["記憶"], ["alpha beta", "鍵"]])
@pytest.mark.parametrize("role", [None, Role.QUESTION, Role.ANSWER])
def test_phrases_and_sides_are_ranked_alike(
    stores: tuple[SqliteStore, SqliteStore], asked: list[str], role: Role | None
) -> None:
    told = [
        "alpha beta beta",
        "beta alpha 記憶",
        "gamma gamma gamma delta " * 40,
        "記憶の鍵 alpha beta",
        "鍵",
    ]
    added = [
        exchange(f"k{number}", question=text, answer=told[-number]) for number, text in enumerate(told, 1)
    ]
    stores[0].commit([change(*added)])
    assert_alike(stores, asked, Scope(role=role))


def test_of_equal_scores_the_newer_passages_come_first(stores: tuple[SqliteStore, SqliteStore]) -> None:
    stores[0].commit([change(*(exchange(f"k{number}", question="alpha beta") for number in range(40)))])
    for one, other in zip(*(_ranked(store, ["alpha"], Scope()) for store in stores), strict=True):
        assert [match.memory_id for match in one] == [match.memory_id for match in other]


def test_the_blank_row_of_a_merge_is_no_passage(
    tmp_path: Path, stores: tuple[SqliteStore, SqliteStore]
) -> None:
    stores[0].commit([change(exchange("k1", question="alpha ---"), exchange("k2", question="beta"))])
    with closing(connect(tmp_path / "memory.db")) as merging:
        for table in fulltext.TABLES:
            merging.execute(f"insert into {fulltext._INTO[table]}", fulltext._BLANK[table])
    for store in stores:
        found = [*_ranked(store, ["alpha", "---"], Scope())]
        assert [len(matches) for matches in found] == [1, 1]


@given(st.lists(st.integers(0, 2**40)))
def test_numbers_of_variable_length_are_read_as_they_were_written(numbers: list[int]) -> None:
    assert _varints(b"".join(map(_packed, numbers))).tolist() == numbers
    assert _varints(b"").dtype == np.int64


def _packed(number: int) -> bytes:
    groups = [number & 127]
    while number := number >> 7:
        groups.append(number & 127 | 128)
    return bytes(reversed(groups))
