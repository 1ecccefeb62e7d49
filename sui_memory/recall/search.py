"""A search: from a cue to the memories that bear on it, best first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sui_memory.scoring import Fused, Rankings, decayed, fold, freshness, fuse
from sui_memory.store.base import MemoryStore
from sui_memory.types import Analyzer, Embedder, Hit, Scope

POOL = 100
"""Passages asked of each ranking: fusion orders what one of them found among its best."""

TAIL = 2_000
"""Passages that pages beyond the pool may show, in the order of the words; the pool's order must not
depend on the page, and the scores of a pool depend on its size."""

_OLDEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked for, of whom, and when. `offset` and `limit` page through a stable order."""

    text: str
    now: datetime
    scope: Scope = Scope()
    limit: int = 10
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Ranking:
    """How candidates become hits: the settings that steer it."""

    fusion: str = "blend"
    decay: str = "bonus"
    half_life_days: float = 30.0


def recall(
    query: Query,
    *,
    store: MemoryStore,
    analyzer: Analyzer,
    embedder: Embedder | None = None,
    ranking: Ranking = Ranking(),
) -> list[Hit]:
    """Return a page of the memories that bear on the query, best first; of equals the newer one."""
    ranked = _ranked(candidates(query, store, analyzer, embedder), query.now, ranking)
    stop = query.offset + query.limit
    if len(ranked) < stop:
        ranked += _tail(query, store, analyzer, known={item.memory_id for item in ranked})
    page = ranked[query.offset : stop]
    memories = {memory.id: memory for memory in store.get([item.memory_id for item in page])}
    return [
        Hit(memories[item.memory_id], item.score, (item.best.start, item.best.stop), item.trace)
        for item in page
        if item.memory_id in memories
    ]


def candidates(
    query: Query, store: MemoryStore, analyzer: Analyzer, embedder: Embedder | None = None
) -> Rankings:
    """Ask every ranking; plain substrings only when neither words nor trigrams find anything."""
    rankings = {
        "words": store.search_words(analyzer.query_terms(query.text), query.scope, POOL),
        "trigrams": store.search_trigrams(query.text, query.scope, POOL),
    }
    if not any(rankings.values()):
        rankings = {"substring": store.search_substring(query.text, query.scope, POOL)}
    if embedder is not None:
        vector = embedder.embed_query(query.text)
        rankings["vectors"] = store.search_vectors(vector, query.scope, POOL)
    return rankings


def _ranked(rankings: Rankings, now: datetime, ranking: Ranking) -> list[Fused]:
    """Fuse and let decay; the order is total, so that pages never overlap."""
    aged = []
    for item in fuse(rankings, ranking.fusion):
        fresh = freshness(item.best.asked_at, now, ranking.half_life_days)
        score = decayed(item.score, fresh, ranking.decay)
        trace = (*item.trace, ("fused", item.score), ("fresh", fresh), ("score", score))
        aged.append(replace(item, score=score, trace=trace))
    return sorted(
        aged, key=lambda item: (item.score, item.best.asked_at or _OLDEST, item.memory_id), reverse=True
    )


def _tail(query: Query, store: MemoryStore, analyzer: Analyzer, known: set[str]) -> list[Fused]:
    """Return what the words find beyond the pool, without a score of its own."""
    matches = store.search_words(analyzer.query_terms(query.text), query.scope, TAIL)
    return [Fused(match.memory_id, 0.0, match, ()) for match in fold(matches) if match.memory_id not in known]
