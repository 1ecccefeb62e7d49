"""How words sound: the readings of index terms, and what of two spellings in kana is the same sound."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from unicodedata import normalize

from sui_memory.language.morphemes import PLACEHOLDER, morphemes

# Columns of UniDic 2.1.2; a line of an unknown word starts with `*` and its surface.
_SURFACE_KANA = 17
_UNKNOWN_SURFACE = 1
_KANA = re.compile(r"[ァ-ヺー]+")
_HIRAGANA_TO_KATAKANA = {code: code + 0x60 for code in range(ord("ぁ"), ord("ゖ") + 1)}

# Spellings of one sound: V as B, ぢ and づ as they are spoken, small vowels as large ones.
_ALIKE = str.maketrans("ァィゥェォヮヲヂヅヰヱ", "アイウエオワオジズイエ")
_SMALL_VOWELS = "ァィェォ"
_V = re.compile(r"ヴ([ァィェォャュョ]?)")
_B = {"": "ブ", "ァ": "バ", "ィ": "ビ", "ェ": "ベ", "ォ": "ボ", "ャ": "ビャ", "ュ": "ビュ", "ョ": "ビョ"}
_ROWS = {
    "ア": "アカガサザタダナハバパマヤラワャ",
    "イ": "イキギシジチニヒビピミリ",
    "ウ": "ウクグスズツヌフブプムユルュ",
    "エ": "エケゲセゼテデネヘベペメレ",
    "オ": "オコゴソゾトドノホボポモヨロョ",
}
_VOWEL_OF = {kana: vowel for vowel, row in _ROWS.items() for kana in row}
_BATCH = 256  # terms that are read in one analysis, some 1,000 characters


def sound(kana: str) -> str:
    """Return kana as they sound: かいぎ and カイギ, サーバ and さあば, ヴァ and バ, とう and とお are one."""
    text = normalize("NFKC", kana).translate(_HIRAGANA_TO_KATAKANA)
    text = _V.sub(lambda match: _B[match[1]], text)
    sounds: list[str] = []
    for char, following in zip(text, f"{text[1:]} ", strict=True):
        before = _VOWEL_OF.get(sounds[-1], "") if sounds else ""
        sounds.append(_spoken(char, before, following).translate(_ALIKE))
    return "".join(sounds)


def _spoken(char: str, before: str, following: str) -> str:
    """Return a kana as it sounds after a vowel: ー lengthens it, う after お (not ウェ), い after え."""
    is_long = char == "ー" or (char == "イ" and before == "エ")
    is_long |= char == "ウ" and before == "オ" and following not in _SMALL_VOWELS
    return before if is_long and before else char


def readings(terms: Sequence[str]) -> list[str]:
    """Return how each term is read, as `sound` gives it; empty where the dictionary does not tell."""
    return [each for start in range(0, len(terms), _BATCH) for each in _read(terms[start : start + _BATCH])]


def is_word(term: str) -> bool:
    """Say whether the dictionary has a Japanese term as one word."""
    lines = [line for line in morphemes(term) if line]
    return len(lines) == 1 and not lines[0].startswith("*")


def _read(terms: Sequence[str]) -> Iterator[str]:
    # A private-use character between the terms keeps MeCab from joining them, and marks where one ends.
    text = f" {PLACEHOLDER} ".join(["", *(term.replace(PLACEHOLDER, "") for term in terms), ""])
    lines = [line.split(",") for line in morphemes(text) if line]
    groups = [[*lines] for is_border, lines in groupby(lines, key=_is_border) if not is_border]
    if len(groups) != len(terms):  # a term of white space or nothing
        return iter([""] * len(terms))
    return map(_reading, groups)


def _is_border(features: Sequence[str]) -> bool:
    return features[0] == "*" and features[_UNKNOWN_SURFACE] == PLACEHOLDER


def _reading(lines: Sequence[Sequence[str]]) -> str:
    kana = [_kana(features) for features in lines]
    return sound("".join(kana)) if all(kana) else ""


def _kana(features: Sequence[str]) -> str:
    if features[0] != "*":
        kana = features[_SURFACE_KANA] if len(features) > _SURFACE_KANA else ""
    else:
        kana = normalize("NFKC", features[_UNKNOWN_SURFACE]).translate(_HIRAGANA_TO_KATAKANA)
    return kana if _KANA.fullmatch(kana) else ""
