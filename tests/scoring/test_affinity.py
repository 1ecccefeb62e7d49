"""The same project counts a little, and shuts no other out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.scoring import affine


def test_of_like_memories_the_near_one_wins():
    assert affine(0.8, near=True) > affine(0.8, near=False)


def test_a_far_exact_memory_beats_a_near_vague_one():
    assert affine(0.9, near=False) > affine(0.7, near=True)


@given(st.floats(0, 1), st.booleans())
def test_the_score_stays_a_score(score: float, near: bool):
    assert 0 <= affine(score, near=near) <= 1


@pytest.mark.parametrize("near", [True, False])
def test_the_order_among_the_near_and_among_the_far_is_kept(near: bool):
    assert affine(0.6, near=near) > affine(0.5, near=near)
