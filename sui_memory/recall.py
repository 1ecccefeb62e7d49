"""The second use case: from a cue to the memories that answer it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sui_memory.scoring import Rankings, decayed, freshness, fuse
from sui_memory.store.base import MemoryStore
from sui_memory.types import Analyzer, Embedder, Hit, Scope

CANDIDATES = 100
"""Passages asked of each ranking: fusion only reorders what one of them found."""

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
    """Return the memories that bear on the query, best first; of equals the newer one."""
    fused = fuse(candidates(query, store, analyzer, embedder), ranking.fusion)
    memories = {memory.id: memory for memory in store.get([item.memory_id for item in fused])}
    hits = []
    for item in fused:
        memory = memories.get(item.memory_id)
        if memory is None:
            continue
        fresh = freshness(memory.exchange.asked_at, query.now, ranking.half_life_days)
        score = decayed(item.score, fresh, ranking.decay)
        trace = (*item.trace, ("fused", item.score), ("fresh", fresh), ("score", score))
        hits.append(Hit(memory, score, (item.best.start, item.best.stop), trace))
    hits.sort(
        key=lambda hit: (hit.score, hit.memory.exchange.asked_at or _OLDEST, hit.memory.id), reverse=True
    )
    return hits[query.offset : query.offset + query.limit]


def candidates(query: Query, store: MemoryStore, analyzer: Analyzer, embedder: Embedder | None) -> Rankings:
    """Ask every ranking; plain substrings only when neither words nor trigrams find anything."""
    depth = CANDIDATES + query.offset + query.limit
    scope = query.scope
    rankings = {
        "words": store.search_words(analyzer.query_terms(query.text), scope, depth),
        "trigrams": store.search_trigrams(query.text, scope, depth),
    }
    if not any(rankings.values()):
        rankings = {"substring": store.search_substring(query.text, scope, depth)}
    if embedder is not None:
        rankings["vectors"] = store.search_vectors(embedder.embed_query(query.text), scope, depth)
    return rankings
