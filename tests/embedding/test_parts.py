from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.embedding.fake import FakeEmbedder
from sui_memory.embedding.text import MAX_CHARS, batches, clean
from sui_memory.embedding.threads import MAX_THREADS, polite_threads
from sui_memory.embedding.throughput import throughput
from sui_memory.embedding.vector import unit_vectors


@given(st.text(st.characters(codec=None)))
def test_clean_text_can_be_encoded_and_is_clean(text: str):
    cleaned = clean(text)
    assert b"\0" not in cleaned.encode("utf-8")
    assert clean(cleaned) == cleaned


def test_clean_keeps_only_the_head():
    assert len(clean("x" * 10_000)) == MAX_CHARS


@given(st.lists(st.text(max_size=30)), st.integers(1, 100))
def test_batches_hold_every_text_once_within_their_budget(texts: list[str], budget: int):
    cut = list(batches(texts, budget))
    assert sorted(index for batch in cut for index in batch) == list(range(len(texts)))
    assert all(len(batch) == 1 or len(batch) * max(len(texts[i]) for i in batch) <= budget for batch in cut)


@pytest.mark.parametrize("row", [[0.0, 0.0, 0.0], [nan, 1.0, 0.0], [inf, 0.0, 0.0], [-inf, nan, 0.0]])
def test_a_row_without_a_direction_becomes_the_first_axis(row: list[float]):
    (vector,) = unit_vectors(np.array([row]))
    assert list(vector) == [1.0, 0.0, 0.0]


def test_a_sound_row_is_divided_by_its_length():
    assert list(unit_vectors(np.array([3.0, 4.0]))[0]) == pytest.approx([0.6, 0.8])


def test_a_background_job_leaves_cores_to_others():
    assert 1 <= polite_threads() <= MAX_THREADS


def test_throughput_is_a_positive_rate():
    assert throughput(FakeEmbedder()) > 0
