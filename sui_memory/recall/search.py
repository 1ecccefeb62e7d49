"""A search: from a cue to the memories that bear on it, best first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from operator import itemgetter

from sui_memory.recall.cue import Cue, cue_of
from sui_memory.recall.spelling import respelled
from sui_memory.recall.standing import standing
from sui_memory.recall.when import When, when_said
from sui_memory.scoring import (
    BAR,
    Fused,
    Rankings,
    Weights,
    closeness,
    decayed,
    fold,
    freshness,
    fuse,
    steps,
    timely,
)
from sui_memory.store.base import MemoryStore
from sui_memory.types import Analyzer, Embedder, Hit, Scope, Vector

Embed = Callable[[str], Callable[[], Vector | None]]
"""Begins to make the vector of a cue. What it returns waits for it, and gives None when it is late."""

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
    """How candidates become hits: the settings that steer it, and the weights of the model that is asked.

    Without weights they are those of a model that was never measured. `bar` is the evidence that a memory
    needs to be shown to a prompt; a search shows all.
    """

    fusion: str = "blend"
    decay: str = "bonus"
    half_life_days: float = 30.0
    weights: Weights | None = None
    bar: float = BAR


def recall(
    query: Query,
    *,
    store: MemoryStore,
    analyzer: Analyzer,
    embedder: Embedder | None = None,
    ranking: Ranking = Ranking(),
) -> list[Hit]:
    """Return a page of the memories that bear on the query, best first; of equals the newer one."""
    spelled = respelled(query.text, analyzer.query_terms(query.text), store=store, analyzer=analyzer)
    cue = cue_of(spelled.text, spelled.terms, store, spelled.trust, spelled.rarity)
    query = replace(query, text=cue.text)
    embed = when_asked(embedder) if embedder else None
    stop = query.offset + query.limit
    when = when_said(query.text, query.now.astimezone())
    found = ranked(candidates(query, cue, store=store, embed=embed), query.now, ranking, stop, when)
    if len(found) < stop:
        found += _tail(query, spelled.terms, store, known={item.memory_id for item in found})
    return hits_of(found[query.offset : stop], store)


def when_asked(embedder: Embedder) -> Embed:
    """Return what makes vectors here and now, when they are asked for."""
    return lambda text: partial(embedder.embed_query, text)


def candidates(
    query: Query, cue: Cue, *, store: MemoryStore, embed: Embed | None = None, pool: int = POOL
) -> Rankings:
    """Ask every ranking; plain substrings only when neither words nor trigrams find anything.

    A model works while the words are looked up; there is no ranking of vectors when its own is late. What was
    found is ranked by what it holds of the cue, too, as far as any words were found. `pool` is how many
    passages words and trigrams are asked for.
    """
    vector_of = embed(query.text) if embed else None
    rankings = {
        "words": store.search_words(cue.terms, query.scope, pool),
        "trigrams": store.search_trigrams(query.text, query.scope, pool),
    }
    if not any(rankings.values()):
        rankings = {"substring": store.search_substring(query.text, query.scope, POOL)}
    vector = vector_of() if vector_of else None
    if vector is not None:
        rankings["vectors"] = store.search_vectors(vector, query.scope, POOL)
    return {**rankings, **standing(rankings, cue, store)} if rankings.get("words") else rankings


def hits_of(found: Sequence[Fused], store: MemoryStore) -> list[Hit]:
    """Return what was found as hits, in the same order; a memory gone meanwhile is left out."""
    memories = {memory.id: memory for memory in store.get([item.memory_id for item in found])}
    return [
        Hit(memories[item.memory_id], item.score, (item.best.start, item.best.stop), item.trace)
        for item in found
        if item.memory_id in memories
    ]


def ranked(
    rankings: Rankings,
    now: datetime,
    ranking: Ranking,
    limit: int | None = None,
    when: When | None = None,
) -> list[Fused]:
    """Fuse, let decay, prefer the days that were named, and return the best.

    The order is total, so that pages never overlap.
    """
    aged = []
    for rank, item in enumerate(fuse(rankings, ranking.fusion, ranking.weights), 1):
        asked_at = item.best.asked_at
        fresh = freshness(asked_at, now, ranking.half_life_days)
        score = decayed(item.score, fresh, ranking.decay)
        close = closeness(asked_at, when.start, when.stop) if when else None
        score = score if close is None else timely(score, close)
        aged.append((score, asked_at or _OLDEST, item.memory_id, _aged(item, rank, fresh, close, score)))
    best = sorted(aged, key=itemgetter(0, 1, 2), reverse=True)[:limit]
    return [replace(item, trace=(*steps(item.places), *item.trace)) for *_, item in best]


def _aged(item: Fused, rank: int, fresh: float, close: float | None, score: float) -> Fused:
    """Return what was fused with its score now, and how that came about."""
    named = () if close is None else (("close", close),)
    trace = (("fused", item.score), ("fused rank", float(rank)), ("fresh", fresh), *named, ("score", score))
    return replace(item, score=score, trace=trace)


def _tail(query: Query, terms: Sequence[str], store: MemoryStore, known: set[str]) -> list[Fused]:
    """Return what the words find beyond the pool, without a score of its own."""
    matches = store.search_words(terms, query.scope, TAIL)
    return [Fused(match.memory_id, 0.0, match) for match in fold(matches) if match.memory_id not in known]
