"""Japanese in Latin letters."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.language.romaji import kana_of


@pytest.mark.parametrize(
    ("word", "kana"),
    [
        ("kaigi", "かいぎ"),
        ("Kaigi", "かいぎ"),
        ("jikan", "じかん"),
        ("zikan", "じかん"),
        ("shashin", "しゃしん"),
        ("syasin", "しゃしん"),
        ("chuui", "ちゅうい"),
        ("tyuui", "ちゅうい"),
        ("gakkou", "がっこう"),
        ("matcha", "まっちゃ"),
        ("maccha", "まっちゃ"),
        ("batchi", "ばっち"),
        ("tōkyō", "とうきょう"),
        ("tôkyô", "とうきょう"),
        ("shimbun", "しんぶん"),
        ("kon'yaku", "こんやく"),
        ("kon’yaku", "こんやく"),
        ("hon", "ほん"),
        ("honn", "ほん"),  # as an input method takes it
        ("konna", "こんな"),
        ("kyu-pon", "きゅーぽん"),
        ("fairu", "ふぁいる"),
        ("geetowei", "げえとうぇい"),
        ("itta", "いった"),
        ("iltuta", "いった"),
        ("vaajon", "ゔぁあじょん"),
    ],
)
def test_each_way_of_writing_gives_the_kana(word, kana):
    assert kana_of(word)[0] == kana


def test_an_n_before_a_vowel_may_be_a_syllable_of_its_own():
    assert set(kana_of("kanyou")) == {"かにょう", "かんよう"}


@pytest.mark.parametrize("word", ["", "deploy", "docker", "the", "bot", "x", "kaigi2", "かいぎ", "-", "'"])
def test_other_words_give_nothing(word):
    assert kana_of(word) == ()


@given(st.text(max_size=60) | st.text("aiueonkstychmrw'-", max_size=60))
def test_any_text_gives_a_few_readings_in_kana_or_none(text):
    readings = kana_of(text)
    assert len(readings) <= 4
    assert all(re.fullmatch(r"[ぁ-ゖー]+", kana) for kana in readings)
