"""How words sound."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.language.readings import is_word, readings, sound


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("かいぎ", "カイギ"),
        ("さあば", "サーバ"),
        ("とうばん", "トオバン"),
        ("ていれい", "テエレエ"),
        ("ヴァイオリン", "バイオリン"),
        ("ウィンドウ", "ウインドウ"),
        ("つづく", "ツズク"),
        ("ﾊﾞｯﾁ", "ばっち"),
    ],
)
def test_two_spellings_of_one_sound_are_one(one, other):
    assert sound(one) == sound(other)


@pytest.mark.parametrize(
    ("one", "other"), [("かき", "かぎ"), ("きて", "きって"), ("さば", "さーば"), ("ゲートウェ", "ゲトーエ")]
)
def test_two_sounds_are_two(one, other):
    assert sound(one) != sound(other)


def test_words_are_read_in_their_order():
    terms = ["会議", "懐疑", "定例", "しきい", "サーバ", "踏み台", "落ちる"]
    assert readings(terms) == [
        sound(kana) for kana in ["かいぎ", "かいぎ", "ていれい", "しきい", "さーば", "ふみだい", "おちる"]
    ]


def test_what_is_not_japanese_has_no_reading():
    assert readings(["deploy", "鍵", "42"]) == ["", sound("かぎ"), ""]


@given(st.lists(st.text(max_size=12), max_size=8))
def test_every_text_has_one_reading_or_an_empty_one(terms):
    assert len(readings(terms)) == len(terms)


@pytest.mark.parametrize(
    ("term", "expected"), [("タイトル", True), ("会議", True), ("デプロイメト", False), ("", False)]
)
def test_the_dictionary_tells_its_words(term, expected):
    assert is_word(term) is expected
