"""Which memories say the same: groups joined by pairs that are alike, by meaning or letter by letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from sui_memory.text import fold
from sui_memory.types import Vector

_ROWS_AT_ONCE = 512  # of the matrix of cosines: 20 MB beside 10,000 memories
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts that are alike: their places, and how alike."""

    first: int
    second: int
    likeness: float


def alike_by_meaning(vectors: Sequence[Vector], above: float) -> Iterator[Pair]:
    """Yield the pairs of unit vectors whose cosine is above a threshold."""
    if not vectors:
        return
    matrix = np.asarray(vectors, dtype=np.float32)
    for start in range(0, len(matrix), _ROWS_AT_ONCE):
        cosines = matrix[start : start + _ROWS_AT_ONCE] @ matrix.T
        for row, column in np.argwhere(cosines > above).tolist():
            if start + row < column:
                yield Pair(start + row, column, float(cosines[row, column]))


def alike_by_letters(texts: Mapping[int, str], strange: frozenset[int], least: float) -> Iterator[Pair]:
    """Yield the pairs that share at least `least` of their trigrams (Jaccard), one of the two in `strange`.

    `strange` are the places of texts without a vector.
    """
    sets = {place: _trigrams(text) for place, text in texts.items()}
    for first, second in sorted(_candidates(sets, least)):
        if first in strange or second in strange:
            shared = len(sets[first] & sets[second])
            likeness = shared / (len(sets[first]) + len(sets[second]) - shared)
            if likeness >= least:
                yield Pair(first, second, likeness)


def _candidates(sets: Mapping[int, frozenset[str]], least: float) -> set[tuple[int, int]]:
    """Return the pairs that may share so much: prefix filtering (Chaudhuri, Ganti and Kaushik 2006).

    Sets of Jaccard `least` have a member in common among the rarest `size - ceil(least * size) + 1` of each.
    """
    counts = Counter(trigram for trigrams in sets.values() for trigram in trigrams)
    holders: dict[str, list[int]] = {}
    pairs = set()
    for place, trigrams in sets.items():
        rarest = sorted(trigrams, key=lambda trigram: (counts[trigram], trigram))
        for trigram in rarest[: len(rarest) - ceil(least * len(rarest) - _ROUNDING) + 1]:
            pairs |= {(min(other, place), max(other, place)) for other in holders.get(trigram, ())}
            holders.setdefault(trigram, []).append(place)
    return pairs


def _trigrams(text: str) -> frozenset[str]:
    """Return the trigrams of a folded text without spaces; a shorter text is one itself."""
    letters = "".join(fold(text).split())
    return frozenset(letters[at : at + 3] for at in range(max(1, len(letters) - 2)))


def joined(pairs: Sequence[Pair]) -> list[list[int]]:
    """Return the places of at least two that pairs tie together (single linkage), in order."""
    roots: dict[int, int] = {}

    def root(place: int) -> int:
        roots.setdefault(place, place)
        while roots[place] != place:
            roots[place] = roots[roots[place]]
            place = roots[place]
        return place

    for pair in pairs:
        roots[max(root(pair.first), root(pair.second))] = min(root(pair.first), root(pair.second))
    groups: dict[int, list[int]] = {}
    for place in sorted(roots):
        groups.setdefault(root(place), []).append(place)
    return list(groups.values())
