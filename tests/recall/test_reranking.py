"""A search with a reranker reads its best hits again, and pages as one without."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from sui_memory.app import open_app
from sui_memory.config import Settings
from sui_memory.recall.reranking import rerank
from sui_memory.recall.search import Query, recall
from sui_memory.scoring.reranking import RERANKED
from sui_memory.searching import Found, searched
from tests.recall.conftest import NOW, Archive

COUNT = RERANKED + 8


class Longest:
    """A reranker to which the longest passage is the best; it keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[str]]] = []

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        self.asked.append((query, list(passages)))
        return [float(len(passage)) for passage in passages]


@pytest.fixture(name="archive")
def archive_fixture(empty: Archive) -> Archive:
    for number in range(COUNT):
        empty.add(f"会議室の予約 {number}", f"台帳の {number} 頁に書きました。{'。' * (number % 7)}")
    return empty


def page(archive: Archive, reranker: Longest | None, offset: int = 0, limit: int = 10) -> list[str]:
    def find(query: Query):
        return recall(query, store=archive.store, analyzer=archive.tools.analyzer)

    query = Query("会議室の予約", NOW, limit=limit, offset=offset)
    hits = rerank(query, find, reranker) if reranker else find(query)
    return [hit.memory.exchange.key for hit in hits]


def test_the_best_hits_are_read_again_as_passages_and_ordered_anew(archive: Archive):
    reranker = Longest()
    assert page(archive, reranker) != page(archive, None)
    ((query, passages),) = reranker.asked
    assert query == "会議室の予約"
    assert len(passages) == RERANKED
    assert all(passage.startswith("会議室の予約") for passage in passages)


@pytest.mark.parametrize("size", [3, 7, 20, COUNT])
def test_pages_do_not_overlap_and_leave_nothing_out(archive: Archive, size: int):
    whole = page(archive, Longest(), limit=COUNT)
    pages = [key for start in range(0, COUNT, size) for key in page(archive, Longest(), start, size)]
    assert pages == whole
    assert sorted(whole) == sorted(page(archive, None, limit=COUNT))


def test_beyond_the_best_hits_nothing_is_read_again(archive: Archive):
    reranker = Longest()
    assert page(archive, reranker, RERANKED, 5) == page(archive, None, RERANKED, 5)
    assert reranker.asked == []


def test_where_nothing_is_found_nothing_is_read(archive: Archive):
    reranker = Longest()
    query = Query("zzzz", NOW)
    found = rerank(
        query, lambda one: recall(one, store=archive.store, analyzer=archive.tools.analyzer), reranker
    )
    assert found == []


def test_a_search_tells_how_long_it_took_with_the_reading(archive: Archive):
    def find(query: Query) -> Found:
        return Found(recall(query, store=archive.store, analyzer=archive.tools.analyzer), -1.0, "m")

    query = Query("会議室の予約", NOW)
    found = searched(query, find, Longest())
    assert found.milliseconds > 0
    assert found.model == "m"
    assert all("reranker" in dict(hit.trace) for hit in found.hits)
    assert searched(query, find, None).milliseconds == -1.0


def test_a_search_does_without_a_reranker_that_is_not_here(tmp_path: Path):
    settings = Settings(tmp_path, model="none", reranker="someone/was-never-downloaded")
    with open_app(settings) as app:
        assert app.reranker is None
        assert app.search("会議室").hits == []
