"""Weights: what each ranking counts for, model by model."""

import math

import pytest

from sui_memory.scoring import fuse, weights_of
from sui_memory.scoring.weights import learned
from sui_memory.types import Match

FOUND = {"words": [Match("a", 0, 2.0)], "vectors": [Match("b", 0, 0.9)]}


def test_a_model_that_was_never_measured_has_the_weights_of_the_default():
    assert weights_of("a-model-of-tomorrow") == learned()["default"]


def test_without_a_model_vectors_count_for_nothing():
    assert weights_of(None) == learned()["none"]
    assert "vectors" not in weights_of(None)


@pytest.mark.parametrize("model", learned())
def test_shares_add_up_to_1_and_none_is_below_0(model):
    shares = learned()[model]
    assert math.isclose(sum(shares.values()), 1.0)
    assert min(shares.values()) >= 0


@pytest.mark.parametrize(("words", "vectors", "first"), [(0.9, 0.1, "a"), (0.1, 0.9, "b")])
def test_the_ranking_that_counts_for_more_decides(words, vectors, first):
    assert fuse(FOUND, weights={"words": words, "vectors": vectors})[0].memory_id == first


def test_rankings_that_weigh_nothing_count_alike():
    assert {item.score for item in fuse(FOUND, weights={"words": 0.0, "vectors": 0.0})} == {0.5}
