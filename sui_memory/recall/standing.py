"""What of a cue stands in the memories that were found: its words, words side by side, and words around.

BM25 looks at one passage, and rewards a rare word said often over several said once. Here a memory counts
as a whole, by the share of the cue's weight that it holds at all (the coordination of Fox, 1983, weighed by
IDF); and by the share of the pairs of neighbouring words, which tell 「鍵の回転」 from a key and a rotation.
What is said in one breath is spread over several exchanges, so a memory counts together with those just
before and after it, too, as far as they were found themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from itertools import pairwise

from sui_memory.recall.cue import Cue
from sui_memory.scoring import Rankings, covered, fold
from sui_memory.store.base import MemoryStore
from sui_memory.types import Match

LOOKED_AT = 20
"""Memories of each ranking that are looked into: one further down is not lifted to the top by what it holds,
and looking into all of them finds the same."""


def standing(rankings: Rankings, cue: Cue, store: MemoryStore) -> Rankings:
    """Return more rankings of what others found: by `coverage` of the cue, its `phrases`, and in `context`.

    Scores are shares, 0 to 1. There are no phrases of a single term.
    """
    found = _best_of_each(rankings)
    if not found or not cue.terms:
        return {}
    weights = cue.weights
    pairs = {f"{one} {other}": min(weights[one], weights[other]) for one, other in pairwise(cue.terms)}
    held = store.holding([*cue.terms, *pairs], list(found))
    around = {
        name: held[name].union(*(held[other] for other in others if other in held))
        for name, others in store.adjacent(list(found)).items()
    }
    by_words = {"coverage": _by_share(found, weights, held), "context": _by_share(found, weights, around)}
    return {**by_words, "phrases": _by_share(found, pairs, held)} if pairs else by_words


def _best_of_each(rankings: Rankings) -> dict[str, Match]:
    """Return memory id → the match by which it was found first, in the order of the rankings."""
    best: dict[str, Match] = {}
    for matches in rankings.values():
        for match in fold(matches)[:LOOKED_AT]:
            best.setdefault(match.memory_id, match)
    return best


def _by_share(
    found: Mapping[str, Match], weights: Mapping[str, float], held: Mapping[str, Set[str]]
) -> list[Match]:
    """Return what holds any of the weighed terms, the largest share first; of equals what was found first."""
    shares = [
        replace(match, score=covered(weights, held[name])) for name, match in found.items() if name in held
    ]
    return sorted((match for match in shares if match.score > 0), key=lambda match: -match.score)
