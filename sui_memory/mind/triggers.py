"""Which of many triggers are in a text: keywords as whole words, and patterns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import add
from time import monotonic
from unicodedata import normalize

from sui_memory.mind.patterns import SECONDS, found, literal
from sui_memory.text import fold

HEAD, TAIL = 1_500, 500
"""Characters of a text that are looked at where it begins and where it ends: of a pasted log the middle is
left out, so that a prompt never waits for it."""

_PATTERNS_SECONDS = 0.05
"""After this the patterns that are left are not looked for: sound ones take 10 µs each."""

_CJK = "\u2e80"  # from here on words are written without spaces between them


class Triggers:
    """The triggers of many things, made ready once; each thing is known by its number."""

    def __init__(self, keywords: Sequence[Sequence[str]], patterns: Sequence[str | None]) -> None:
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(keywords):
            for word in {folded(word) for word in words} - {""}:
                holders[word].append(number)
        self._holders = holders
        self._by_beginning: defaultdict[str, list[str]] = defaultdict(list)
        for word in holders:
            self._by_beginning[word[:2]].append(word)
        self._patterns = [
            (number, pattern, literal(pattern)) for number, pattern in enumerate(patterns) if pattern
        ]

    def warm(self) -> None:
        """Compile the patterns, which otherwise the first text does that one could be in."""
        for _, pattern, _ in self._patterns:
            found(pattern, "")

    def found(self, text: str) -> list[int]:
        """Return the numbers of those that any keyword or the pattern is in the text of, in order."""
        text = bounded(text)
        fired = {number for keyword in self._keywords(folded(text)) for number in self._holders[keyword]}
        if self._patterns:
            fired.update(self._matching(normalize("NFKC", text), fold(text)))
        return sorted(fired)

    def _matching(self, text: str, folded_text: str) -> Iterator[int]:
        """Yield the numbers of those whose pattern is in a text, as far as all patterns come in time."""
        until = monotonic() + _PATTERNS_SECONDS
        for number, pattern, needed in self._patterns:
            left = min(SECONDS, until - monotonic())
            if left > 0 and needed in folded_text and found(pattern, text, left):
                yield number

    def _keywords(self, words: str) -> Iterator[str]:
        """Yield the keywords in a folded text: those are looked for whose first two characters are in it."""
        beginnings = {*map(add, words, words[1:]), *words}
        for beginning in self._by_beginning.keys() & beginnings:
            for keyword in self._by_beginning[beginning]:
                if keyword in words and is_word(keyword, words):
                    yield keyword


def bounded(text: str) -> str:
    """Return a text whole, or the head and the tail of a long one."""
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"


def folded(text: str) -> str:
    """Return a text as keywords are looked for in it: one width, one case, one space between words."""
    return " ".join(fold(text).split())


def is_word(keyword: str, text: str) -> bool:
    """Say whether a folded keyword is in a folded text, and not as a part of a longer word.

    Only Latin letters and the like make longer words: Japanese is written without spaces, so that a
    Japanese keyword may be anywhere, and one in Latin letters may have Japanese beside it.
    """
    at = text.find(keyword)
    while at >= 0:
        end = at + len(keyword)
        if not (_joins(text[at - 1 : at], keyword[0]) or _joins(keyword[-1], text[end : end + 1])):
            return True
        at = text.find(keyword, at + 1)
    return False


def _joins(one: str, other: str) -> bool:
    return _spells(one) and _spells(other)


def _spells(char: str) -> bool:
    return char < _CJK and (char.isalnum() or char == "_")
