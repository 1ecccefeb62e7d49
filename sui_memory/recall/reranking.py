"""A search whose best hits are read again by a reranker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sui_memory.recall.search import Query
from sui_memory.scoring.reranking import RERANKED, reranked
from sui_memory.types import Hit, Reranker

Find = Callable[[Query], Sequence[Hit]]
"""Gives the page of hits that a query asks for."""


def rerank(query: Query, find: Find, reranker: Reranker) -> list[Hit]:
    """Return a page of hits with the first `RERANKED` of all in the order of the reranker.

    Which those are does not depend on the page, so pages never overlap.
    """
    if query.offset >= RERANKED:
        return list(find(query))
    stop = query.offset + query.limit
    found = find(replace(query, offset=0, limit=max(stop, RERANKED)))
    best = found[:RERANKED]
    scores = reranker.scores(query.text, [_passage(hit) for hit in best])
    return [*reranked(best, scores), *found[RERANKED:]][query.offset : stop]


def _passage(hit: Hit) -> str:
    start, stop = hit.passage
    return hit.memory.exchange.text[start:stop]
