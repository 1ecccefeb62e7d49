"""Spelling: what is folded, what is stored, what is taken out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.text import fold, nfc, scrub_surrogates, strip_ansi

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("useAuth", "useauth"),
        ("ＡＰＩキー", "apiキー"),  # full width
        ("ｶﾞｲﾄﾞ", "ガイド"),  # half width with voicing marks
        ("Straße", "strasse"),
        ("か\u3099", "が"),  # decomposed
        ("㈱", "(株)"),
    ],
)
def test_folding_makes_one_spelling_of_many(text, folded):
    assert fold(text) == folded


@given(ANY_TEXT)
def test_folding_twice_is_folding_once(text):
    assert fold(fold(text)) == fold(text)


def test_stored_text_is_composed_but_keeps_its_width_and_case():
    assert nfc("か\u3099ＡＰＩ Ab") == "がＡＰＩ Ab"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\x1b[1;31mエラー\x1b[0m: x", "エラー: x"),  # colours
        ("\x1b[2K\x1b[1Gdone", "done"),  # cursor
        ("\x1b]0;title\x07body", "body"),  # title, ended by BEL
        ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),  # hyperlink, ended by ST
        ("\x1b(Bplain", "plain"),  # character set
        ("array[0m]", "array[0m]"),  # no escape
    ],
)
def test_terminal_escapes_are_taken_out(text, plain):
    assert strip_ansi(text) == plain


@given(ANY_TEXT)
def test_scrubbed_text_can_be_encoded_and_keeps_its_length(text):
    scrubbed = scrub_surrogates(text)
    assert len(scrubbed.encode().decode()) == len(text)


def test_only_lone_surrogates_are_replaced():
    assert scrub_surrogates("a\ud800b😀\udfff") == "a\ufffdb😀\ufffd"
