"""A reranker orders the best hits anew, and cannot lift them above or below all others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.scoring.reranking import reranked
from sui_memory.types import Exchange, Hit, Memory


def hit(key: str, score: float) -> Hit:
    return Hit(Memory(Exchange(key, "f", "s", "/p", key)), score, (0, 0), (("words", 1.0), ("score", score)))


def keys(hits: list[Hit]) -> list[str]:
    return [one.memory.exchange.key for one in hits]


THREE = [hit("a", 0.9), hit("b", 0.88), hit("c", 0.3)]


def test_of_like_hits_the_one_that_reads_better_comes_first():
    assert keys(reranked(THREE, [-3.0, 4.0, -2.0])) == ["b", "a", "c"]


def test_a_far_weaker_hit_needs_more_than_the_reranker():
    assert keys(reranked([hit("a", 0.9), hit("b", 0.85), hit("c", 0.1)], [0.9, 0.8, 1.0]))[0] == "a"


@pytest.mark.parametrize("scores", [[0.0, 0.0, 0.0], [7.5, 7.5, 7.5]])
def test_a_reranker_that_cannot_tell_leaves_the_order(scores: list[float]):
    assert reranked(THREE, scores) == THREE


def test_nothing_stays_nothing():
    assert reranked([], []) == []


def test_the_trace_tells_what_the_reranker_said():
    first = reranked(THREE, [-3.0, 4.0, 0.5])[0]
    assert dict(first.trace) == {"words": 1.0, "reranker": 1.0, "score": first.score}


scored = st.lists(st.tuples(st.floats(0, 1), st.floats(-50, 50)), min_size=1, max_size=20)


@given(scored)
def test_scores_stay_in_the_range_that_the_hits_had(pairs: list[tuple[float, float]]):
    hits = [hit(str(number), score) for number, (score, _) in enumerate(pairs)]
    after = [one.score for one in reranked(hits, [score for _, score in pairs])]
    before = [one.score for one in hits]
    assert min(before) - 1e-9 <= min(after) <= max(after) <= max(before) + 1e-9


@given(scored, st.floats(0.01, 100), st.floats(-10, 10))
def test_the_unit_of_the_reranker_does_not_matter(pairs, factor, shift):
    # Whole numbers, so that no two scores become one by rounding.
    scores = [float(round(score)) for _, score in pairs]
    hits = [hit(str(number), round(score, 3)) for number, (score, _) in enumerate(pairs)]
    one, other = reranked(hits, scores), reranked(hits, [factor * score + shift for score in scores])
    assert [hit.score for hit in one] == pytest.approx([hit.score for hit in other])
