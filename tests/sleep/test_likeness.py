"""Which texts are alike by their letters: the fast way finds what comparing all pairs does."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.sleep.likeness import Group, Pair, Way, alike_by_letters, alike_by_meaning, joined


def trigrams(text: str) -> set[str]:
    return {text[at : at + 3] for at in range(max(1, len(text) - 2))}


def all_alike(texts: list[str], least: float) -> set[tuple[int, int]]:
    sets = [trigrams(text) for text in texts]
    return {
        (one, other)
        for one, other in combinations(range(len(texts)), 2)
        if len(sets[one] & sets[other]) / len(sets[one] | sets[other]) >= least
    }


@given(st.lists(st.text("abc", min_size=1, max_size=12), max_size=10), st.sampled_from([0.2, 0.5, 0.85, 1.0]))
def test_every_pair_that_shares_enough_is_found(texts: list[str], least: float) -> None:
    places = dict(enumerate(texts))
    found = alike_by_letters(places, frozenset(places), least)
    assert {(pair.first, pair.second) for pair in found} == all_alike(texts, least)


def test_two_texts_that_both_have_vectors_are_not_compared_by_letters() -> None:
    texts = {0: "同じ言葉です", 1: "同じ言葉です", 2: "同じ言葉です"}
    assert [(pair.first, pair.second) for pair in alike_by_letters(texts, frozenset({2}), 0.85)] == [
        (0, 2),
        (1, 2),
    ]


@pytest.mark.parametrize("count", [0, 1, 513, 1_030])
def test_cosines_are_compared_in_blocks(count: int) -> None:
    vectors = [[1.0, 0.0] if place in {0, count - 1} else [0.0, 1.0] for place in range(count)]
    found = [pair for pair in alike_by_meaning(vectors, 0.9) if vectors[pair.first][0]]
    assert found == ([Pair(0, count - 1, 1.0)] if count > 1 else [])


def test_groups_are_chains() -> None:
    pairs = [
        Pair(4, 5, 0.9),
        Pair(0, 2, 0.97),
        Pair(2, 7, 0.95, "letters"),
        Pair(5, 6, 0.99),
        Pair(0, 7, 0.96),
    ]
    both: frozenset[Way] = frozenset({"meaning", "letters"})
    expected = [Group((0, 2, 7), 0.95, both), Group((4, 5, 6), 0.9, frozenset({"meaning"}))]
    assert joined(pairs) == joined(pairs[::-1]) == expected


def test_a_chain_of_chains_is_as_alike_as_its_least() -> None:
    pairs = [Pair(0, 1, 0.99), Pair(2, 3, 0.9), Pair(1, 2, 0.95, "letters")]
    assert joined(pairs) == [Group((0, 1, 2, 3), 0.9, frozenset({"meaning", "letters"}))]
