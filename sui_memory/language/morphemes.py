"""Japanese words by MeCab: what of an analysed sentence goes into the index, and in which spelling."""

from __future__ import annotations

import re
from functools import cache
from threading import Lock
from typing import Any

from sui_memory.language.identifiers import MAX_TERM, clean

# One private-use character stands in MeCab's input where text of other scripts was taken out.
PLACEHOLDER = "\ue000"

# One line a morpheme: UniDic's features alone, since formatting is half the cost of an analysis.
# Unknown words have no spelling among their features, so theirs starts with `*` and the surface.
_KNOWN, _UNKNOWN = r"%H\n", r"*,%m,%H\n"

# Columns of UniDic 2.1.2.
_POS, _SUBPOS, _LEMMA, _SPELLING = 0, 1, 7, 10

# Measured on Japanese developer articles and encyclopaedia paragraphs (BM25, R@5 / MRR): without verbs
# .77 / .65 instead of .88 / .70; without adverbs or prefixes the same within a query; pronouns,
# conjunctions and interjections add nothing.
_CONTENT = frozenset({"名詞", "動詞", "形容詞", "形状詞", "副詞", "接頭辞", "接尾辞"})
# Content words without content, as lemmas, in most texts: a tenth of the index, no change in recall.
_LIGHT = frozenset({"為る", "居る", "有る", "成る", "言う", "事", "物", "出来る", "因る", "様", "為", "御"})

_LOAN_ORIGIN = re.compile(r"-[A-Za-z].*$")
_HIRAGANA = re.compile(r"[ぁ-ゟー]+")
# Final long vowels of loanwords are optional from 4 characters on (JIS Z 8301; Lucene's katakana stemmer).
_LONG_ENDING = re.compile(r"[゠-ヿ]{3,}ー")

_lock = Lock()


def morphemes(text: str) -> list[str]:
    """Return MeCab's morphemes as lines for `morpheme_term`. One tagger a process: threads take turns."""
    with _lock:
        parsed: str = _tagger().parse(text)
    return parsed.split("\n")


def dictionary_version() -> str:
    """Return name and version of the dictionary, without loading it."""
    from importlib.metadata import version

    return f"unidic-lite {version('unidic-lite')}"


def morpheme_term(line: str) -> str:
    """Return the index term of a feature line: empty for function words, PLACEHOLDER for itself.

    A term is the dictionary's lemma, in which 会う and あう, サーバ and サーバー are one. Proper names keep
    their spelling: their lemma is a reading, which many names share.
    """
    known = line.split(",")
    if known[_POS] == "*":
        return PLACEHOLDER if known[1] == PLACEHOLDER else _normal(known[1])
    if known[_POS] not in _CONTENT or len(known) <= _SPELLING:
        return ""
    if known[_POS] == "接尾辞" and not _is_noun_suffix(known):
        return ""
    lemma = _LOAN_ORIGIN.sub("", known[_LEMMA])
    if lemma in _LIGHT:
        return ""
    return _normal(known[_SPELLING] if known[_SUBPOS] == "固有名詞" else lemma)


def _is_noun_suffix(features: list[str]) -> bool:
    """Tell whether a suffix means something alone, as 型, 値 and 録 do; さん, つ and 的 do not."""
    return features[_SUBPOS] == "名詞的" and not _HIRAGANA.fullmatch(features[_SPELLING])


def _normal(word: str) -> str:
    term = clean(word)
    if _LONG_ENDING.fullmatch(term):
        term = term.rstrip("ー") or term
    return term if len(term) <= MAX_TERM else ""


@cache
def _tagger() -> Any:
    from fugashi import GenericTagger
    from unidic_lite import DICDIR

    # The empty `-O` puts the dictionary's own output format out of force.
    formats = f'-F "{_KNOWN}" -U "{_UNKNOWN}" -E "" -O ""'
    return GenericTagger(f'-r "{DICDIR}/mecabrc" -d "{DICDIR}" {formats}')
