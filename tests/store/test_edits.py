"""Edits between two words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.store.edits import distance, heads, is_replaced

WORDS = st.text("abcd", max_size=8)


@pytest.mark.parametrize(
    ("one", "other", "edits"),
    [
        ("", "", 0),
        ("a", "", 1),
        ("server", "server", 0),
        ("serevr", "server", 1),
        ("gralde", "gradle", 1),
        ("databse", "database", 1),
        ("colour", "color", 1),
        ("threshhold", "treshold", 2),
        ("サーバ", "サーパ", 1),
        ("ca", "abc", 3),  # the swapped letters are not edited again: unrestricted, it would be 2
    ],
)
def test_edits_are_counted(one, other, edits):
    assert distance(one, other, 2) == edits


def whole(one, other):
    """The textbook's table of optimal string alignment."""
    table = {(-1, column): column + 1 for column in range(-1, len(other))}
    table |= {(row, -1): row + 1 for row in range(-1, len(one))}
    for row, letter in enumerate(one):
        for column, facing in enumerate(other):
            best = min(
                table[row - 1, column] + 1,
                table[row, column - 1] + 1,
                table[row - 1, column - 1] + (letter != facing),
            )
            if row and column and letter == other[column - 1] and one[row - 1] == facing:
                best = min(best, table[row - 2, column - 2] + 1)
            table[row, column] = best
    return table[len(one) - 1, len(other) - 1]


@given(WORDS, WORDS, st.integers(0, 2))
def test_the_count_is_that_of_the_textbook_up_to_the_bound(one, other, most):
    assert distance(one, other, most) == min(whole(one, other), most + 1)


@given(st.text(max_size=12), st.integers(0, 4))
def test_heads_are_one_edit_away_and_keep_the_rest(word, size):
    for head in heads(word, size):
        assert distance(word, head, 1) == 1
        assert head.endswith(word[size + 1 :])


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("whose", "whole", True),
        ("servwr", "server", False),  # the next key
        ("sarver", "server", False),  # another vowel
        ("defence", "defense", False),
        ("serer", "server", False),
        ("server", "server", False),
        ("サーハ", "サーバ", False),
    ],
)
def test_a_letter_that_is_no_slip_of_a_finger_makes_another_word(one, other, expected):
    assert is_replaced(one, other) is expected
