"""Japanese in Latin letters, by Hepburn, Kunrei or the keys of an input method, to kana."""

from __future__ import annotations

from types import MappingProxyType
from unicodedata import normalize

_VOWELS = "aiueo"
_ROWS = """
あいうえお k:かきくけこ g:がぎぐげご s:さしすせそ z:ざじずぜぞ t:たちつてと d:だぢづでど n:なにぬねの
h:はひふへほ b:ばびぶべぼ p:ぱぴぷぺぽ m:まみむめも r:らりるれろ
"""
# Palatal and foreign rows: each prefix takes the kana named, and the vowel in small.
_GLIDES = (
    "ky:き gy:ぎ sy:し zy:じ j:じ jy:じ ty:ち cy:ち ch:ち dy:ぢ ny:に hy:ひ by:び py:ぴ my:み ry:り sh:し"
)
_FOREIGN = "f:ふ v:ゔ ts:つ kw:く gw:ぐ q:く"
_SINGLE = """
ya:や yu:ゆ yo:よ wa:わ wo:を wi:うぃ we:うぇ ye:いぇ shi:し chi:ち tsu:つ fu:ふ ji:じ vu:ゔ qu:く
di:でぃ twu:とぅ dwu:どぅ thi:てぃ dhi:でぃ thu:てゅ dhu:でゅ
"""
_SMALL = "a:ぁ i:ぃ u:ぅ e:ぇ o:ぉ ya:ゃ yu:ゅ yo:ょ tu:っ tsu:っ wa:ゎ"
_LONG = MappingProxyType({"ā": "aa", "ī": "ii", "ū": "uu", "ē": "ee", "ō": "ou"})
_CIRCUMFLEX = str.maketrans("âîûêô", "āīūēō")

_MOST = 40  # letters of a word; no Japanese word is longer
_VARIANTS = 4  # readings of one word that are tried: each `n` before a vowel doubles them


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in text.split())


def _table() -> dict[str, str]:
    """Return romanised syllable → hiragana."""
    table: dict[str, str] = {}
    for row in _ROWS.split():
        consonant, _, kana = row.rpartition(":")
        table |= {consonant + vowel: each for vowel, each in zip(_VOWELS, kana, strict=True)}
    for prefix, kana in _pairs(_GLIDES).items():
        table |= {prefix + vowel: kana + small for vowel, small in zip("aueo", "ゃゅぇょ", strict=True)}
        table[f"{prefix}i"] = kana + "ぃ"
    for prefix, kana in _pairs(_FOREIGN).items():
        table |= {prefix + vowel: kana + small for vowel, small in zip("aieo", "ぁぃぇぉ", strict=True)}
    table |= _pairs(_SINGLE)
    return table | {key + small: kana for key in "xl" for small, kana in _pairs(_SMALL).items()}


_TABLE = MappingProxyType(_table())
_LONGEST = max(map(len, _TABLE))


def kana_of(word: str) -> tuple[str, ...]:
    """Return the hiragana that a romanised word may stand for, the likeliest first; of other words none.

    There are several where an `n` before a vowel is written without an apostrophe: `kanyou` is かにょう or
    かんよう.
    """
    if len(word) > _MOST:
        return ()
    letters = normalize("NFC", word.lower().replace("’", "'")).translate(_CIRCUMFLEX)
    for long, double in _LONG.items():
        letters = letters.replace(long, double)
    return tuple(dict.fromkeys(_readings(letters)))


def _readings(letters: str) -> list[str]:
    """Return the readings of some letters, put together from the last one on."""
    readings = {len(letters): [""]}
    for at in reversed(range(len(letters))):
        steps = _steps(letters, at)
        found = [kana + rest for kana, length in steps for rest in readings.get(at + length, ())]
        readings[at] = found[:_VARIANTS]
    return readings[0] if letters else []


def _steps(letters: str, at: int) -> list[tuple[str, int]]:
    """Return what may stand at a position: kana, and the letters that it takes."""
    letter, following = letters[at], letters[at + 1 : at + 2]
    if letter == "n":
        return _nasal(letters, at, following)
    if letter == "-":
        return [("ー", 1)] if at and letters[at - 1] in _VOWELS else []
    if letter == "m" and following in ("b", "p", "m"):
        return [("ん", 1)]
    if (letter == following and letter not in _VOWELS) or letters.startswith("tch", at):
        return [("っ", 1)]
    return _syllable(letters, at)


def _nasal(letters: str, at: int, following: str) -> list[tuple[str, int]]:
    if following == "'":
        return [("ん", 2)]
    if following == "n":
        doubled = letters[at + 2 : at + 3]  # an input method takes `nn` for ん; before a vowel it is んな
        return [("ん", 1 if doubled and doubled in _VOWELS + "yn" else 2)]
    if following and following in _VOWELS + "y":
        return [*_syllable(letters, at), ("ん", 1)]
    return [("ん", 1)]


def _syllable(letters: str, at: int) -> list[tuple[str, int]]:
    for length in range(_LONGEST, 0, -1):
        kana = _TABLE.get(letters[at : at + length])
        if kana is not None and at + length <= len(letters):
            return [(kana, length)]
    return []
