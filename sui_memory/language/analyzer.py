"""The `Analyzer` of Japanese, English and code mixed: text to index terms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from unicodedata import normalize

from sui_memory.language.identifiers import JOINERS, word_terms, words
from sui_memory.language.morphemes import PLACEHOLDER, dictionary_version, morpheme_term, morphemes
from sui_memory.language.readings import readings
from sui_memory.text import fold

# The `tokenize` option of the FTS5 table that holds the terms. Each term is one token of it:
# unicode61 keeps letters and digits, the characters named here hold identifiers together, porter stems
# English.
FTS_TOKENIZER = f"porter unicode61 remove_diacritics 2 tokenchars '_{JOINERS}'"

# Raised whenever the same text gives other terms than before; an index made by older rules is rebuilt.
_RULES = 1

# MeCab keeps the memory of its longest input for good, so a megabyte without a line break is cut.
_MAX_SENTENCE = 4096
_SENTENCES = re.compile(rf"(?s).{{1,{_MAX_SENTENCE}}}(?:(?<=[\n。])|\Z)|.{{1,{_MAX_SENTENCE}}}")

# Kana, kanji and their punctuation go to MeCab; everything between is words of other scripts.
_NOT_JAPANESE = re.compile(
    "[^\u3000-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+"
)
# What NFKC changes inside words: accents and voicing marks, circled and squared characters,
# compatibility kanji, full-width letters, half-width kana. Most texts have none, and looking is cheaper.
_DENORMAL = re.compile(
    "[\u0300-\u036f\u3099\u309a\u3200-\u33ff\uf900-\ufaff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff61-\uff9f]"
)
_BARE_WORD = re.compile(r"\w+")


class JapaneseAnalyzer:
    """Implements `types.Analyzer`. Safe in threads; the dictionary is loaded at the first Japanese text."""

    def __init__(self) -> None:
        self._word_terms = _Memo(word_terms)
        self._morpheme_term = _Memo(morpheme_term)

    @property
    def version(self) -> str:
        """Name of these rules and of the dictionary."""
        return f"sui {_RULES}, {dictionary_version()}"

    @property
    def fts_tokenizer(self) -> str:
        """The `tokenize` option of the FTS5 table that holds the terms."""
        return FTS_TOKENIZER

    def terms(self, text: str) -> str:
        """Return the content words and identifiers of `text`, in order, separated by single spaces.

        Any `str` will do. A term has no white space, quotes or NUL, and at most 64 characters.
        """
        if text.isascii():
            return self._other_terms(text)
        if _DENORMAL.search(text):
            text = normalize("NFKC", text)
        return " ".join(filter(None, map(self._sentence_terms, _sentences(text))))

    def query_terms(self, text: str) -> list[str]:
        """Return the distinct terms of something asked for, in order of appearance.

        A question of nothing but stop words gives those, rather than nothing.
        """
        terms = self.terms(text).split() or _BARE_WORD.findall(fold(text))
        return list(dict.fromkeys(terms))

    def fold(self, text: str) -> str:
        """Return `text` as the trigram index sees it: NFKC and case-folded."""
        return fold(text)

    def sounds(self, terms: Sequence[str]) -> list[str]:
        """Return how each term is spoken, as `readings.sound` spells it; empty for what is not Japanese."""
        return readings(terms)

    def _sentence_terms(self, text: str) -> str:
        others: list[str] = []

        def set_aside(match: re.Match[str]) -> str:
            terms = self._other_terms(match[0])
            if not terms:
                return " "
            others.append(terms)
            return f" {PLACEHOLDER} "  # the spaces keep MeCab from joining it to a rare kanji

        japanese = _NOT_JAPANESE.sub(set_aside, text)
        aside = iter(others)
        found = map(self._morpheme_term.__getitem__, morphemes(japanese))
        return " ".join([next(aside) if term is PLACEHOLDER else term for term in found if term])

    def _other_terms(self, text: str) -> str:
        return " ".join(filter(None, map(self._word_terms.__getitem__, words(text))))


class _Memo(dict[str, str]):
    """A bounded memory of a pure function: a text's words were nearly all seen before."""

    _SIZE = 50_000  # entries, some 15 MB
    _MAX_KEY = 256

    def __init__(self, compute: Callable[[str], str]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: str) -> str:
        value = self._compute(key)
        if len(key) <= self._MAX_KEY:
            if len(self) >= self._SIZE:
                self.clear()
            self[key] = value
        return value


def _sentences(text: str) -> Iterator[str]:
    """Yield pieces of a bounded size, cut after lines or sentences where there are any."""
    if len(text) <= _MAX_SENTENCE:
        yield text
        return
    for match in _SENTENCES.finditer(text):
        yield match[0]
