"""Respelling: a word that no memory holds is looked up as it was probably meant.

Slips of the keys and American spelling are found by edit distance, conversion errors and kana for kanji by
sound, and a prompt in Latin letters that is Japanese is read as such. What stands in for a word is a guess,
and counts for less than the word itself would.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sui_memory.language.readings import is_word
from sui_memory.recall.cue import NOWHERE
from sui_memory.recall.romanised import read
from sui_memory.recall.routine import CHORES, SMALL_TALK
from sui_memory.store.base import MemoryStore
from sui_memory.types import Analyzer

SURE = 0.9
"""Trust in a word read from kana or Latin letters: most homophones of a word are not in the same archive."""

HOMOPHONE = 0.4
"""Trust in a word of other characters and the same sound: most of what the archive lacks was meant so, 使用
where only 仕様 is known, and some is the conversion's error."""

MISREAD = 0.7
"""Trust in a word that sounds like two kanji that are none together: most are slips of the conversion, and of
the names and terms of art among them one in a hundred sounds like a word of the archive."""

EDIT_DOUBT = 2.0
"""Doubt that one edit leaves, in letters of the stem: 2/5 of one of five, 1/5 of one of ten. Two letters that
changed places leave half of it."""

_LATIN = re.compile(r"[a-z0-9_-]+")  # paths and addresses are compared by their parts
_KANA = re.compile(r"[ぁ-ゖァ-ヺー]+")
# Not beside others, whose reading they may change, nor counted: `何部`, `二回`.
_TWO_KANJI = re.compile(r"(?<![一-鿿々])(?![何一二三四五六七八九十百千])[一-鿿]{2}(?![一-鿿々])")
_DIGITS = re.compile(r"\d+")
_EVERYDAY = SMALL_TALK | CHORES  # right as they are, whether the archive has them or not
_MOST = 6  # terms that are looked up so: a pasted text is full of words that no memory holds


@dataclass(frozen=True, slots=True)
class Spelling:
    """What was asked, as it was probably meant: `text` for trigrams and vectors, `terms` for words.

    `trust` tells of each term that stands in for another how sure that is, 0 to 1; `rarity` what was learnt
    of the terms on the way, as `MemoryStore.rarity`.
    """

    text: str
    terms: tuple[str, ...]
    trust: Mapping[str, float] = field(default_factory=dict)
    rarity: Mapping[str, float] = field(default_factory=dict)


def respelled(text: str, terms: Sequence[str], *, store: MemoryStore, analyzer: Analyzer) -> Spelling:
    """Return a text and its distinct terms with what stands in for the words that no memory holds.

    A term for which there is nothing stays, and so does everything when the archive holds all of it.
    """
    as_japanese = read(text, store=store, analyzer=analyzer)
    if as_japanese is not None:
        return Spelling(as_japanese.text, as_japanese.terms, dict.fromkeys(as_japanese.guessed, SURE))
    return _corrected(text, terms, store, analyzer)


def _corrected(text: str, terms: Sequence[str], store: MemoryStore, analyzer: Analyzer) -> Spelling:
    rarity = store.rarity([*terms, NOWHERE])
    unknown = [term for term in terms if rarity[term] >= rarity[NOWHERE] and term not in _EVERYDAY][:_MOST]
    misread = _misread(text, terms, store, analyzer)
    if not unknown and not misread:
        return Spelling(text, tuple(terms), rarity=rarity)
    stand_ins = _by_sound(unknown, store, analyzer)
    stand_ins |= _by_edits([term for term in unknown if term not in stand_ins], store)
    parts = {part for compound in misread for part in analyzer.terms(compound).split()}
    replaced = [stand_ins[term][0] if term in stand_ins else term for term in terms if term not in parts]
    guesses = [*stand_ins.values(), *((other, MISREAD) for other in misread.values())]
    trust = {other: share for other, share in guesses if other not in terms}
    return Spelling(text, tuple(dict.fromkeys([*replaced, *misread.values()])), trust, rarity)


def _misread(text: str, terms: Sequence[str], store: MemoryStore, analyzer: Analyzer) -> dict[str, str]:
    """Return two kanji that are no word together → the term that sounds like them: 調整 for 長製."""
    compounds = [pair for pair in _TWO_KANJI.findall(text) if pair not in terms and not is_word(pair)][:_MOST]
    heard = dict(zip(compounds, analyzer.sounds(compounds), strict=True)) if compounds else {}
    alike = store.sounding([sound for sound in heard.values() if sound]) if heard else {}
    return {pair: next(iter(alike[sound])) for pair, sound in heard.items() if sound in alike}


def _by_sound(unknown: Sequence[str], store: MemoryStore, analyzer: Analyzer) -> dict[str, tuple[str, float]]:
    """Return term → the most frequent term that sounds alike, and the trust in it."""
    japanese = [term for term in unknown if not term.isascii() and len(term) > 1]
    heard = dict(zip(japanese, analyzer.sounds(japanese), strict=True)) if japanese else {}
    alike = store.sounding([sound for sound in heard.values() if sound]) if any(heard.values()) else {}
    found = {term: next(iter(alike[sound])) for term, sound in heard.items() if sound in alike}
    return {term: (other, SURE if _KANA.fullmatch(term) else HOMOPHONE) for term, other in found.items()}


def _by_edits(unknown: Sequence[str], store: MemoryStore) -> dict[str, tuple[str, float]]:
    """Return term → the nearest term by edits, and the trust in it."""
    words = [term for term in unknown if _is_comparable(term)]
    similar = store.similar(words) if words else {}
    found = {}
    for term, others in similar.items():
        likely = [(other, edits) for other, edits in others.items() if _numbers(term) == _numbers(other)]
        if likely:
            other, edits = likely[0]
            doubt = EDIT_DOUBT * edits / (2 if sorted(term) == sorted(other) else 1)
            found[term] = (other, max(0.0, 1 - doubt / min(len(term), len(other))))
    return found


def _is_comparable(term: str) -> bool:
    """Say whether a term may be a slip: a Latin word, or one in katakana that the dictionary lacks."""
    return bool(_LATIN.fullmatch(term)) or (bool(_KANA.fullmatch(term)) and not is_word(term))


def _numbers(term: str) -> list[str]:
    """Return the numbers in a term, which are meant as they are: versions and error codes are no slips."""
    return _DIGITS.findall(term)
