"""Reranking: the best hits in the order of something that reads query and passage together.

A cross-encoder sees how the words of both bear on each other, which neither BM25 nor two separate vectors
do (Nogueira and Cho, 2019); it is far too slow for more than the first few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sui_memory.scoring.fusion import normalised
from sui_memory.types import Hit

RERANKED = 20
"""Hits that are read again, best first: what ranks lower is rarely the answer, and each costs a pass."""

SHARE = 0.5
"""Share of the reranker's score in the blend: two judges that have not been weighed against each other yet
count alike, so a reranker that does not know the language cannot turn the order round."""


def reranked(hits: Sequence[Hit], scores: Sequence[float]) -> list[Hit]:
    """Return the hits, best first, ordered anew by a score (any unit, higher is better) for each of them.

    Both scores are stretched over the range that the hits had: what ranked below them stays below.
    """
    if not hits or max(scores) <= min(scores):
        return list(hits)
    low, high = (choose(hit.score for hit in hits) for choose in (min, max))
    moved = []
    for hit, score in zip(hits, normalised(scores, low=min(scores)), strict=True):
        blended = SHARE * (low + score * (high - low)) + (1 - SHARE) * hit.score
        kept = (entry for entry in hit.trace if entry[0] != "score")
        trace = (*kept, ("reranker", score), ("score", blended))
        moved.append(replace(hit, score=blended, trace=trace))
    return sorted(moved, key=lambda hit: -hit.score)
