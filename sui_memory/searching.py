"""What a search returns, and the second reading of its best hits."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from sui_memory.config import Settings
from sui_memory.embedding.reranker import open_reranker
from sui_memory.errors import ModelError
from sui_memory.recall import Query
from sui_memory.recall.reranking import rerank
from sui_memory.types import Hit, Reranker


@dataclass(frozen=True, slots=True)
class Found:
    """What a search returned, and how long it took. `model` is what ranked by meaning, if anything did."""

    hits: list[Hit]
    milliseconds: float
    model: str | None = None


def searched(query: Query, find: Callable[[Query], Found], reranker: Reranker | None) -> Found:
    """Return what `find` does for a query, the best hits in the order of the reranker, if there is one."""
    if reranker is None:
        return find(query)
    started = time.perf_counter()
    found: list[Found] = []

    def hits(asked: Query) -> list[Hit]:
        found.append(find(asked))
        return found[-1].hits

    page = rerank(query, hits, reranker)
    return replace(found[-1], hits=page, milliseconds=(time.perf_counter() - started) * 1000)


def usable_reranker(settings: Settings) -> Reranker | None:
    """Load the reranker that the settings name; the order of a search stands without one that is broken."""
    if settings.reranker == "none":
        return None
    try:
        return open_reranker(
            settings.reranker, models_dir=settings.models_dir, threads=settings.threads or None
        )
    except ModelError:
        return None
