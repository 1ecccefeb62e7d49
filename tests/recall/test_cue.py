"""What of a prompt is asked of the archive."""

from hypothesis import given
from hypothesis import strategies as st

from sui_memory.recall.cue import HEAD, TAIL, TERMS, bounded, cue_of


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
