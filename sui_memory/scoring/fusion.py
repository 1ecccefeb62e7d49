"""Several rankings become one: by score, by rank, or by both.

Reciprocal rank fusion: Cormack, Clarke and Büttcher, SIGIR 2009. Convex combination of min-max
normalised scores: Bruch, Gai and Ingber, TOIS 2023.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sui_memory.scoring.weights import UNMEASURED, Weights, weights_of
from sui_memory.types import Match

Rankings = Mapping[str, Sequence[Match]]

RRF_K = 60
"""From the paper; damps the lead of the first ranks."""

_RELATIVE = frozenset(("vectors",))
"""Rankings whose scores mean nothing by themselves: cosines crowd in a narrow band that differs from model
to model, so the worst of the pool is 0. BM25 and sums of IDF begin at 0, and a weak match is still one."""


Place = tuple[str, float, int, float]
"""Where a ranking has a memory: its name, the share of the fused score, the rank from 1, its own score."""

_ABSOLUTE = frozenset(("coverage", "context", "phrases"))
"""Rankings whose scores are shares of all there could be: 1 is everything, and the best of a poor pool stays
poor. Many are equal, so that their ranks mean little."""


@dataclass(frozen=True, slots=True)
class Fused:
    """A memory after fusion: a score of 0 to 1, its best passage, and its place in each ranking."""

    memory_id: str
    score: float
    best: Match
    places: tuple[Place, ...] = ()
    trace: tuple[tuple[str, float], ...] = ()


def fuse(rankings: Rankings, mode: str = "blend", weights: Weights | None = None) -> list[Fused]:
    """Return the memories of all rankings, best first; equal scores are ordered by id.

    `mode` is `score`, `rrf`, or `blend`, the mean of the two. `weights` are by default those of a model
    that was never measured. The passages of a memory count as one, by the best of them. The shares are
    of the rankings that found something: no trigram stands in a word of two letters.
    """
    folded = {name: fold(matches) for name, matches in rankings.items() if matches}
    shares = _shares(folded, weights or weights_of(UNMEASURED))
    places: dict[str, list[Place]] = {}
    for name, matches in folded.items():
        found = zip(matches, strengths(name, matches, mode), strict=True)
        for rank, (match, strength) in enumerate(found, 1):
            places.setdefault(match.memory_id, []).append((name, shares[name] * strength, rank, match.score))
    best = _best_passages(folded, shares)
    fused = [
        Fused(memory_id, sum(share for _, share, _, _ in placed), best[memory_id], tuple(placed))
        for memory_id, placed in places.items()
    ]
    return sorted(fused, key=lambda item: (-item.score, item.memory_id))


def steps(places: Sequence[Place]) -> tuple[tuple[str, float], ...]:
    """Return places as a trace tells them: of each ranking the share, the rank, and the score as found."""
    return tuple(
        step
        for name, share, rank, score in places
        for step in ((name, share), (f"{name} rank", float(rank)), (f"{name} score", score))
    )


def fold(matches: Sequence[Match]) -> list[Match]:
    """Return the best match of each memory, in order."""
    first: dict[str, Match] = {}
    for match in matches:
        first.setdefault(match.memory_id, match)
    return list(first.values())


def _shares(names: Iterable[str], weights: Weights) -> dict[str, float]:
    """Return name → share, of a sum of 1; a search for a plain substring stands in for the words."""
    told = {name: weights.get("words" if name == "substring" else name, 0.0) for name in names}
    total = sum(told.values())
    return {name: weight / total if total else 1 / len(told) for name, weight in told.items()}


def strengths(name: str, matches: Sequence[Match], mode: str) -> list[float]:
    """Return a strength of 0 to 1 for each match of one ranking."""
    ranks = [(RRF_K + 1) / (RRF_K + 1 + place) for place in range(len(matches))]
    if mode == "rrf":
        return ranks
    found = [match.score for match in matches]
    if name in _ABSOLUTE:
        return found
    scores = normalised(found, low=min(found, default=0.0) if name in _RELATIVE else 0.0)
    if mode == "score":
        return scores
    return [(rank + score) / 2 for rank, score in zip(ranks, scores, strict=True)]


def normalised(scores: Sequence[float], *, low: float) -> list[float]:
    """Return the scores stretched so that `low` is 0 and the best is 1; all 1 when none is above `low`."""
    high = max(scores, default=low)
    if high <= low:
        return [1.0] * len(scores)
    return [max(0.0, score - low) / (high - low) for score in scores]


def _best_passages(folded: Mapping[str, Sequence[Match]], shares: Mapping[str, float]) -> dict[str, Match]:
    """Return for each memory the passage that the ranking with the largest share likes best."""
    best: dict[str, Match] = {}
    for name in sorted(folded, key=lambda name: -shares[name]):
        for match in folded[name]:
            best.setdefault(match.memory_id, match)
    return best
