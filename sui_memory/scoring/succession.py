"""The later word: of two memories that were asked the same, the one that was said afterwards comes first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sui_memory.types import Exchange, Hit

SAME_QUESTION = 0.5
"""Share of the shorter question's character bigrams in the other from which two ask the same. On the tuning
half of the project's own set the later of two contradicting decisions then comes first in 87 % of the cases,
without this stage in 33 %, and an old exact answer keeps its place before fresh vague talk; at .4 it loses
some (benchmarks/RESULTS.md)."""

GIVEN_UP = 0.3
"""Coverage of the cue that the later one may lack: it is told in other words, but about the same."""

ALIKE = 0.7
"""Share of the earlier one's score that the later one must have."""

_COMPARED = 200  # characters of a question: more is a pasted log


def succeeded(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits, best first, with a later one before an earlier one of its project and question.

    Hits carry their `covered` share in the trace. A hit rises past those next before it, one by one, and
    stops at the first that it does not succeed.
    """
    order: list[Hit] = []
    for hit in hits:
        place = len(order)
        while place and _succeeds(hit, order[place - 1]):
            place -= 1
        order.insert(place, hit)
    return order


def _succeeds(later: Hit, earlier: Hit) -> bool:
    said, before = later.memory.exchange, earlier.memory.exchange
    if said.project != before.project or said.session == before.session:
        return False
    if said.asked_at is None or before.asked_at is None or said.asked_at <= before.asked_at:
        return False
    covered = dict(later.trace)["covered"] >= dict(earlier.trace)["covered"] - GIVEN_UP
    return covered and later.score >= ALIKE * earlier.score and _ask_the_same(said, before)


def _ask_the_same(one: Exchange, other: Exchange) -> bool:
    first, second = _bigrams(one.question[:_COMPARED]), _bigrams(other.question[:_COMPARED])
    return len(first & second) >= SAME_QUESTION * max(1, min(len(first), len(second)))


@lru_cache(maxsize=256)
def _bigrams(text: str) -> frozenset[str]:
    """Return the character bigrams of a question, those of hiragana alone left out as mere grammar."""
    folded = " ".join(text.split()).casefold()
    pairs = (folded[start : start + 2] for start in range(len(folded) - 1))
    return frozenset(pair for pair in pairs if not all(char == " " or _is_hiragana(char) for char in pair))


def _is_hiragana(char: str) -> bool:
    return "\u3041" <= char <= "\u309f"
