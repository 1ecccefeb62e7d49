"""Fusion: what must hold whatever the scores are."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.scoring.fusion import fold, fuse, normalised, steps
from sui_memory.types import Match

MODES = ("blend", "score", "rrf")
scores = st.floats(-1e6, 1e6, allow_nan=False)
ids = st.text("abcdefgh", min_size=1, max_size=2)
positive = st.floats(1e-3, 1e6)
rankings = st.lists(st.tuples(ids, positive), min_size=1, max_size=20).map(
    lambda found: [
        Match(name, 0, score) for name, score in sorted(found, key=lambda item: (-item[1], item[0]))
    ]
)


def ranking(*names: str) -> list[Match]:
    return [Match(name, 0, float(len(names) - place)) for place, name in enumerate(names)]


@pytest.mark.parametrize("mode", MODES)
def test_a_single_ranking_keeps_its_order(mode):
    assert [item.memory_id for item in fuse({"words": ranking("c", "a", "b")}, mode)] == ["c", "a", "b"]


@pytest.mark.parametrize("mode", MODES)
def test_what_two_rankings_find_beats_what_one_finds(mode):
    fused = fuse({"words": ranking("a", "b", "x"), "trigrams": ranking("b", "c", "y")}, mode)
    assert fused[0].memory_id == "b" or fused[0].score == pytest.approx(
        next(item.score for item in fused if item.memory_id == "a")
    )
    assert [item.memory_id for item in fused].index("b") < [item.memory_id for item in fused].index("c")


def test_a_ranking_that_was_asked_and_found_nothing_has_no_share_of_the_score():
    weights = {"words": 0.6, "trigrams": 0.2, "vectors": 0.2}
    alone = fuse({"vectors": ranking("a", "b")}, "score", weights)[0]
    silent = fuse({"words": [], "trigrams": [], "vectors": ranking("a", "b")}, "score", weights)[0]
    assert alone.score == pytest.approx(1.0)
    assert silent.score == pytest.approx(1.0)


def test_the_passages_of_a_memory_count_once_by_the_best_of_them():
    fused = fuse({"words": [Match("a", 2, 9.0, 20, 30), Match("a", 0, 5.0), Match("b", 0, 1.0)]})
    assert [item.memory_id for item in fused] == ["a", "b"]
    assert (fused[0].best.start, fused[0].best.stop) == (20, 30)


@given(st.dictionaries(st.sampled_from(["words", "trigrams", "vectors"]), rankings, min_size=1))
@pytest.mark.parametrize("mode", MODES)
def test_scores_stay_between_0_and_1_and_the_order_is_total(mode, found):
    fused = fuse(found, mode)
    assert all(0 <= item.score <= 1 + 1e-9 for item in fused)
    assert fused == sorted(fused, key=lambda item: (-item.score, item.memory_id))
    assert {item.memory_id for item in fused} == {
        match.memory_id for group in found.values() for match in group
    }
    for item in fused:
        assert item.score == pytest.approx(sum(share for _, share, _, _ in item.places))


@given(st.dictionaries(st.sampled_from(["words", "trigrams", "vectors"]), rankings, min_size=1), st.randoms())
@pytest.mark.parametrize("mode", MODES)
def test_the_order_in_which_rankings_arrive_does_not_matter(mode, found, draw: random.Random):
    shuffled = list(found.items())
    draw.shuffle(shuffled)
    again = fuse(dict(shuffled), mode)
    for left, right in zip(fuse(found, mode), again, strict=True):
        assert left.memory_id == right.memory_id
        assert left.score == pytest.approx(right.score)


@given(rankings)
def test_scaling_the_scores_of_a_ranking_changes_nothing(found):
    scaled = [Match(match.memory_id, match.ordinal, match.score * 8) for match in found]
    left, right = fuse({"words": found}, "score"), fuse({"words": scaled}, "score")
    assert [item.memory_id for item in left] == [item.memory_id for item in right]


@given(st.lists(scores, min_size=1))
def test_normalising_keeps_the_order_and_spans_0_to_1(values):
    result = normalised(values, low=min(values))
    assert all(0 <= value <= 1 for value in result)
    assert max(result) == pytest.approx(1.0)
    order = sorted(range(len(values)), key=lambda place: values[place])
    assert all(result[low] <= result[high] for low, high in pairwise(order))


def test_the_weakest_match_of_words_still_counts_and_that_of_vectors_does_not():
    weak = [Match("a", 0, 10.0), Match("b", 0, 9.0)]
    assert fuse({"words": weak}, "score")[1].score == pytest.approx(0.9)
    assert fuse({"vectors": weak}, "score")[1].score == 0.0


def test_a_share_of_all_there_could_be_is_taken_as_it_is():
    poor = [Match("a", 0, 0.3), Match("b", 0, 0.15)]
    assert [item.score for item in fuse({"coverage": poor}, "blend")] == [0.3, 0.15]


def test_folding_keeps_the_first_match_of_each_memory():
    assert [
        match.ordinal for match in fold([Match("a", 1, 3.0), Match("b", 0, 2.0), Match("a", 0, 1.0)])
    ] == [1, 0]


def test_each_ranking_tells_the_rank_and_the_score_that_it_found_a_memory_with():
    second = fuse({"words": [Match("a", 0, 9.0), Match("a", 1, 7.0), Match("b", 0, 5.5)]}, "score")[1]
    assert dict(steps(second.places)) == {
        "words": pytest.approx(5.5 / 9),
        "words rank": 2.0,
        "words score": 5.5,
    }
