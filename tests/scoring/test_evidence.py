"""What counts as evidence: words that a hit holds and misses, the rankings' agreement, no order."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.scoring import BAR, Grounds, covered, evidence_of, heaviest

WEIGHTS = st.dictionaries(st.text(max_size=3), st.floats(0, 12), max_size=8)
GROUNDS = st.builds(Grounds, st.floats(0, 40), st.floats(0, 40), st.floats(0, 1), st.booleans())


def idf(passages: int, holders: int) -> float:
    return math.log(1 + (passages - holders + 0.5) / (holders + 0.5))


@pytest.mark.parametrize("passages", [1, 3, 100, 7_000, 1_000_000])
def test_the_heaviest_weight_is_that_of_a_word_in_one_passage(passages: int):
    assert heaviest(idf(passages, 0)) == pytest.approx(idf(passages, 1))


def test_an_empty_archive_has_weights_too():
    assert heaviest(idf(0, 0)) >= 0
    assert heaviest(0.0) >= 0


def test_coverage_is_the_share_of_weight_not_of_words():
    weights = {"鍵": 6.0, "設定": 1.0, "する": 1.0}
    assert covered(weights, {"鍵"}) == pytest.approx(0.75)
    assert covered(weights, {"設定", "する"}) == pytest.approx(0.25)


@given(WEIGHTS, st.sets(st.text(max_size=3)))
def test_coverage_is_a_share(weights: dict[str, float], held: set[str]):
    assert 0 <= covered(weights, held) <= 1 + 1e-9


@given(WEIGHTS, st.sets(st.text(max_size=3)), st.text(max_size=3))
def test_holding_one_more_word_never_lowers_the_coverage(weights, held, word):
    assert covered(weights, held | {word}) >= covered(weights, held) - 1e-9


@given(GROUNDS)
def test_evidence_is_between_nothing_and_certainty(grounds: Grounds):
    assert 0 < evidence_of(grounds) < 1


@given(GROUNDS, st.floats(0, 5))
def test_a_word_more_never_speaks_against_a_hit_and_a_missing_one_never_for_it(grounds: Grounds, more: float):
    held, missed, score = grounds.held, grounds.missed, grounds.score
    plain = evidence_of(Grounds(held, missed, score))
    assert evidence_of(Grounds(held + more, missed, score)) >= plain
    assert evidence_of(Grounds(held, missed + more, score)) <= plain
    assert evidence_of(Grounds(held, missed, score, is_order=True)) < plain


def test_a_question_whose_words_are_all_there_passes_and_one_of_strange_words_does_not():
    assert evidence_of(Grounds(held=2.0, missed=0.0, score=0.8)) > BAR
    assert evidence_of(Grounds(held=1.0, missed=4.0, score=0.3)) < BAR


def test_a_vector_alone_is_no_evidence():
    assert evidence_of(Grounds(held=0.0, missed=1.0, score=0.6)) < BAR
