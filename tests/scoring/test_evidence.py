"""What counts as evidence: coverage by rare words, and a vector that stands out from its own pool."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.scoring import bar, covered, evidence_of, heaviest, standing_out
from sui_memory.scoring.evidence import BAR, RIVAL_SHARE, Z_MOST, Z_USUAL

WEIGHTS = st.dictionaries(st.text(max_size=3), st.floats(0, 12), max_size=8)
COSINES = st.lists(st.floats(-1, 1), max_size=60)


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


def test_what_is_left_unsaid_lowers_the_coverage():
    assert covered({"鍵": 6.0}, {"鍵"}, unsaid=6.0) == pytest.approx(0.5)


@given(WEIGHTS, st.sets(st.text(max_size=3)), st.floats(0, 20))
def test_coverage_is_a_share(weights: dict[str, float], held: set[str], unsaid: float):
    assert 0 <= covered(weights, held, unsaid) <= 1 + 1e-9


@given(WEIGHTS, st.sets(st.text(max_size=3)), st.text(max_size=3))
def test_holding_one_more_word_never_lowers_the_coverage(weights, held, word):
    assert covered(weights, held | {word}) >= covered(weights, held) - 1e-9


@given(COSINES)
def test_there_is_one_z_score_for_each_cosine(cosines: list[float]):
    assert len(standing_out(cosines)) == len(cosines)


@given(st.lists(st.floats(0.0, 1.0), min_size=8, max_size=60), st.floats(0.1, 0.9), st.floats(0.05, 0.5))
def test_a_z_score_does_not_depend_on_where_a_model_puts_its_cosines(cosines, shift, scale):
    before = standing_out(cosines)
    after = standing_out([cosine * scale + shift for cosine in cosines])
    for one, other in zip(before, after, strict=True):
        if one is not None and other is not None and max(cosines) - min(cosines) > 0.01:
            assert other == pytest.approx(one, abs=1e-3)


def test_a_pool_that_is_small_or_even_tells_nothing():
    assert standing_out([0.9, 0.1]) == [None, None]
    assert standing_out([0.85] * 50) == [None] * 50


def test_without_vectors_the_words_decide_alone():
    assert evidence_of(0.7, None) == 0.7


def test_a_vector_that_stands_out_lifts_a_paraphrase_over_the_bar_and_never_alone():
    assert evidence_of(BAR - 0.1, Z_MOST) >= BAR
    assert evidence_of(0.0, 40.0) < BAR


def test_beside_a_sure_answer_a_vague_one_is_not_shown():
    assert bar([]) == bar([0.2]) == bar([BAR, 0.3]) == BAR
    assert bar([1.0, 0.45]) == RIVAL_SHARE > 0.45


def test_a_usual_vector_changes_nothing():
    assert evidence_of(0.5, Z_USUAL) == 0.5
    assert evidence_of(0.5, 0.0) < 0.5
