"""What of a prompt is asked of the archive."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.recall.cue import HEAD, NOWHERE, TAIL, TERMS, bounded, cue_of
from sui_memory.scoring import heaviest


@given(st.text(max_size=3_000))
def test_a_cue_is_bounded_and_keeps_both_ends(text: str):
    kept = bounded(text)
    assert len(kept) <= HEAD + TAIL + 1
    assert kept.startswith(text[:HEAD])
    assert kept.endswith(text[-TAIL:])


def test_an_ordinary_prompt_is_kept_whole():
    assert bounded("鍵は？" * 300) == "鍵は？" * 300


def test_a_rare_word_weighs_more_than_a_common_one_and_an_unknown_one_no_more_than_the_rarest(empty):
    for number in range(20):
        empty.add(f"設定 {number} 番", "保存した")
    empty.add("鍵の設定", "")
    cue = cue_of("鍵 設定 聞いたことのない", ["鍵", "設定", "zyzzyva"], empty.store)
    assert cue.weights["鍵"] > cue.weights["設定"] > 0
    assert cue.weights["zyzzyva"] == cue.most == cue.weights["鍵"]


def test_of_many_words_the_rarest_known_are_kept_in_order(empty):
    known = [f"rare{number}" for number in range(TERMS)]
    for _ in range(3):
        empty.add("common words", "")
    empty.add(" ".join(known), "")
    cue = cue_of("", ["common", "unknown", *known, "words"], empty.store)
    assert cue.terms == tuple(known)
    assert cue.is_long


def test_what_is_not_sure_of_a_guess_is_weight_that_no_memory_can_hold(empty):
    for number in range(5):
        empty.add(f"鍵 {number} 番", "保存した")
    empty.add("設定", "")
    sure = cue_of("", ["鍵", "設定"], empty.store)
    guessed = cue_of("", ["鍵", "設定"], empty.store, {"設定": 0.75})
    assert guessed.terms == sure.terms == ("鍵", "設定")
    assert guessed.weights["設定"] == 0.75 * sure.weights["設定"]
    assert sum(guessed.weights.values()) == pytest.approx(sum(sure.weights.values()))


def test_what_is_known_of_rarity_is_not_asked_again(empty):
    empty.add("鍵", "")
    known = {"鍵": 1.0, NOWHERE: 2.0}
    assert cue_of("", ["鍵"], empty.store, rarity=known).weights["鍵"] == min(1.0, heaviest(2.0))
