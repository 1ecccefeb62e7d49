"""Which memories say the same: groups joined by pairs that are alike, by meaning or letter by letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import Literal

import numpy as np

from sui_memory.text import fold
from sui_memory.types import Vector

_ROWS_AT_ONCE = 512  # of the matrix of cosines: 20 MB beside 10,000 memories
_ROUNDING = 1e-9

Way = Literal["meaning", "letters"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts that are alike: their places, how alike, and compared in which way."""

    first: int
    second: int
    likeness: float
    way: Way = "meaning"


@dataclass(frozen=True, slots=True)
class Group:
    """The places of texts that pairs tie together, how alike the pair least alike is, and in which ways."""

    places: tuple[int, ...]
    likeness: float
    ways: frozenset[Way]


def alike_by_meaning(vectors: Sequence[Vector], above: float) -> Iterator[Pair]:
    """Yield the pairs of unit vectors whose cosine is above a threshold."""
    if not vectors:
        return
    matrix = np.asarray(vectors, dtype=np.float32)
    for start in range(0, len(matrix), _ROWS_AT_ONCE):
        cosines = matrix[start : start + _ROWS_AT_ONCE] @ matrix.T
        for first, row in enumerate(cosines, start):
            later = np.flatnonzero(row[first + 1 :] > above) + first + 1
            yield from (Pair(first, second, float(row[second])) for second in later.tolist())


def alike_by_letters(texts: Mapping[int, str], strange: frozenset[int], least: float) -> Iterator[Pair]:
    """Yield the pairs that share at least `least` of their trigrams (Jaccard), one of the two in `strange`.

    `strange` are the places of texts without a vector.
    """
    sets = {place: _trigrams(text) for place, text in texts.items()}
    for first, second in _candidates(sets, least):
        if first in strange or second in strange:
            shared = len(sets[first] & sets[second])
            likeness = shared / (len(sets[first]) + len(sets[second]) - shared)
            if likeness >= least:
                yield Pair(first, second, likeness, "letters")


def _candidates(sets: Mapping[int, frozenset[str]], least: float) -> Iterator[tuple[int, int]]:
    """Yield the pairs that may share so much: prefix filtering (Chaudhuri, Ganti and Kaushik 2006).

    Sets of Jaccard `least` have a member in common among the rarest `size - ceil(least * size) + 1` of each.
    """
    counts = Counter(trigram for trigrams in sets.values() for trigram in trigrams)
    holders: dict[str, list[int]] = {}
    for place, trigrams in sets.items():
        rarest = sorted(trigrams, key=lambda trigram: (counts[trigram], trigram))
        others: set[int] = set()
        for trigram in rarest[: len(rarest) - ceil(least * len(rarest) - _ROUNDING) + 1]:
            others.update(holders.get(trigram, ()))
            holders.setdefault(trigram, []).append(place)
        yield from ((min(other, place), max(other, place)) for other in sorted(others))


def _trigrams(text: str) -> frozenset[str]:
    """Return the trigrams of a folded text without spaces; a shorter text is one itself."""
    letters = "".join(fold(text).split())
    return frozenset(letters[at : at + 3] for at in range(max(1, len(letters) - 2)))


def joined(pairs: Iterable[Pair]) -> list[Group]:
    """Return the groups that pairs tie together (single linkage), in order; pairs are not held."""
    roots: dict[int, int] = {}
    least: dict[int, float] = {}
    ways: dict[int, set[Way]] = {}

    def root(place: int) -> int:
        roots.setdefault(place, place)
        while roots[place] != place:
            roots[place] = roots[roots[place]]
            place = roots[place]
        return place

    for pair in pairs:
        one, other = sorted((root(pair.first), root(pair.second)))
        roots[other] = one
        least[one] = min(least.get(one, inf), least.get(other, inf), pair.likeness)
        ways[one] = ways.get(one, set()) | ways.get(other, set()) | {pair.way}
    groups: dict[int, list[int]] = {}
    for place in sorted(roots):
        groups.setdefault(root(place), []).append(place)
    return [Group(tuple(places), least[one], frozenset(ways[one])) for one, places in groups.items()]
