"""What a snippet shows of a memory, and what is marked in it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.context import excerpt, matches, snippet, surface_terms
from sui_memory.context.excerpt import topic_of
from sui_memory.types import Exchange, Hit, Memory

FILLER = "前置きの文です。"
MIXED = st.text(alphabet="あ鍵a .。\n`#-|!?1", max_size=400)
TERMS = st.lists(st.sampled_from(["鍵", "a", "決める", "socket", ""]).filter(bool), max_size=3)


def hit(question: str, answer: str, passage: tuple[int, int] | None = None) -> Hit:
    exchange = Exchange("k", "f", "s", "/p", question, answer)
    return Hit(Memory(exchange), 1.0, passage or (0, len(exchange.text)))


@pytest.mark.parametrize(
    ("text", "terms", "marked"),
    [
        ("鍵は鍵箱に", ["鍵"], "[鍵]は[鍵]箱に"),
        # an index term is in the dictionary's form
        ("本を送って決めました", ["送る", "決める"], "本を[送っ]て[決め]ました"),
        ("解決した", ["決める"], "解決した"),
        ("Reconnects were reconnecting", ["reconnected"], "[Reconnects] were [reconnecting]"),
        ("sockets", ["socket"], "[sockets]"),
        # a part of an identifier, but not of a word
        ("resetSocket()", ["socket"], "reset[Socket]()"),
        ("because use_tide", ["use"], "because [use]_tide"),
        ("because use it", ["use"], "because [use] it"),
        ("in useTide", ["usetide", "use", "tide"], "in [useTide]"),
        ("C++ (a.b)", ["c++"], "[C++] (a.b)"),
        ("nothing", [], "nothing"),
    ],
)
def test_terms_are_marked_as_they_stand_in_text(text: str, terms: list[str], marked: str):
    shown = text
    for start, stop in reversed(matches(text, terms)):
        shown = f"{shown[:start]}[{shown[start:stop]}]{shown[stop:]}"
    assert shown == marked


def test_the_words_of_a_cue_are_taken_as_they_are_written():
    assert surface_terms("貸出の通知をメールで送る") == ["貸出", "通知", "メール", "送"]


def test_a_short_text_is_shown_whole_on_one_line():
    assert excerpt("一行目\n\n二行目  です。", [], 100) == "一行目 二行目 です。"


def test_the_sentence_with_the_terms_is_shown_with_what_follows_it():
    text = FILLER * 20 + "鍵は机の上です。取っ手は左です。" + FILLER * 20
    shown = excerpt(text, ["鍵"], 60)
    assert shown.startswith("… 鍵は机の上です。取っ手は左です。")
    assert shown.endswith("…")


def test_sentences_far_apart_are_joined_by_a_gap():
    text = "鍵は机の上です。" + FILLER * 20 + "本は棚の上です。"
    shown = excerpt(text, ["鍵", "本"], 40)
    assert shown.startswith("鍵は机の上です。")
    assert shown.endswith("… 本は棚の上です。")


def test_one_long_sentence_is_cut_around_the_term():
    shown = excerpt("あ" * 500 + "鍵" + "い" * 500, ["鍵"], 40)
    assert "鍵" in shown
    assert len(shown) == 40


def test_the_paragraph_of_a_sentence_comes_before_what_follows_it():
    text = f"{FILLER * 9}\n\n棚は左です。箱は赤です。鍵は机の上です。\n\n{FILLER * 20}"
    shown = excerpt(text, ["鍵"], 60)
    assert shown.startswith("… 棚は左です。箱は赤です。鍵は机の上です。")


def test_every_sentence_with_a_term_has_its_own_paragraph_around_it():
    text = f"鍵は机の上です。箱は赤です。\n\n{FILLER * 20}\n\n扉は青です。本は棚の上です。\n\n{FILLER * 20}"
    shown = excerpt(text, ["鍵", "本"], 60)
    assert "鍵は机の上です。箱は赤です。" in shown
    assert "扉は青です。本は棚の上です。" in shown


def test_room_that_is_left_goes_to_what_the_text_is_about():
    text = f"{FILLER * 20}\n\n鍵は机の上です。\n\n{FILLER * 20}\n\n書庫は二階です。\n\n{FILLER * 20}"
    assert "書庫は二階です。" not in excerpt(text, ["鍵"], 60)
    shown = excerpt(text, ["鍵"], 60, ["書庫"])
    assert shown.index("鍵は机の上です。") < shown.index("書庫は二階です。")
    assert "書庫は二階です。" in excerpt(text, ["本"], 60, ["書庫"])


def test_what_an_exchange_is_about_is_told_by_its_question():
    asked = hit("書庫の鍵が resetSocket で E1101 になる、a", "本は棚。").memory.exchange
    assert topic_of(asked) == ["書庫", "鍵", "resetsocket", "e1101"]


def test_without_any_term_the_beginning_is_shown():
    assert excerpt(FILLER * 50, ["鍵"], 40).startswith(FILLER)


def test_markup_that_means_nothing_on_one_line_is_left_out():
    text = "# 見出し\n\n- **太字** の点\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    assert excerpt(text, [], 200) == "見出し 太字 の点 x = 1 | a | b | | 1 | 2 |"


def test_numbers_names_and_versions_are_no_ends_of_sentences():
    text = "1. Use foo.bar at v1.2.3 first. " + "Then wait. " * 30
    assert excerpt(text, ["foo.bar"], 60).startswith("1. Use foo.bar at v1.2.3 first. Then wait.")


@given(MIXED, TERMS, st.integers(20, 300))
def test_an_excerpt_is_never_wider_than_asked_and_has_no_line_end(text: str, terms: list[str], width: int):
    for topic in ((), ("!?", "点", "a.")):
        shown = excerpt(text, terms, width, topic)
        assert len(shown) <= width
        assert "\n" not in shown


@given(MIXED, TERMS)
def test_matches_are_in_order_and_apart(text: str, terms: list[str]):
    spans = matches(text, terms)
    assert all(start < stop for start, stop in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_a_snippet_is_of_the_answer():
    assert snippet(hit("鍵は？", "鍵は机の上です。"), ["鍵"]) == "鍵は机の上です。"


def test_a_snippet_is_of_the_question_when_only_that_holds_the_terms():
    assert snippet(hit("鍵をなくした。", "困りましたね。"), ["鍵"]) == "鍵をなくした。"


def test_a_snippet_is_of_the_passage_that_was_found():
    asked = hit("鍵は？", "鍵は机。" + "\n\n鍵は棚。")
    text = asked.memory.exchange.text
    second = hit("鍵は？", "鍵は机。\n\n鍵は棚。", (text.index("鍵は棚"), len(text)))
    assert snippet(second, ["鍵"]) == "鍵は棚。"


def test_a_snippet_of_an_unanswered_question_is_the_question():
    assert snippet(hit("鍵は？", ""), ["本"]) == "鍵は？"
