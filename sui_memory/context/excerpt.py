"""The part of a memory that bears on a cue."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from sui_memory.context.selection import GAP, Selection, Sentence, sentences_of
from sui_memory.types import Exchange, Hit

SNIPPET_CHARS = 240
"""Three lines of a terminal: enough to tell whether a hit is worth opening."""

_KANJI = "々一-鿿"
_SURFACE = re.compile(f"[{_KANJI}]+|[ァ-ヺー]{{2,}}")
# Also inside camelCase: `resetSocket` holds socket.
_WORD_START = "(?:(?<![A-Za-z0-9])|(?<=[a-z0-9])(?=[A-Z]))"
_WORD_END = "(?![a-z0-9])"
_INFLECTED = re.compile(f"(.*[{_KANJI}])[ぁ-ん]+")
_ENGLISH_ENDING = re.compile(r"(?<=[a-z]{4})(?:ing|ed|es|s|e)\Z")
_QUESTION_CHARS = 80
_TOPIC_CHARS = 400
"""Characters of a question that tell what it is about; below them is what was pasted."""

_NAME = re.compile(r"[A-Za-z_][\w.-]{2,}")
"""A Latin word, or a name of code. Without the short ones fewer answers are shown, little as they say."""


def surface_terms(text: str) -> list[str]:
    """Return the words of a cue as they are written: index terms are spelt as in the dictionary."""
    return list(dict.fromkeys(_SURFACE.findall(text)))


def snippet(hit: Hit, terms: Sequence[str], width: int = SNIPPET_CHARS) -> str:
    """Return the part of the best passage that bears on the cue, on one line: of the answer if it does."""
    exchange = hit.memory.exchange
    start, stop = hit.passage if hit.passage[1] else (0, len(exchange.text))
    question, answer = exchange.sides(start, stop)
    if not answer or (matches(question, terms) and not matches(answer, terms)):
        return excerpt(question, terms, width)
    return excerpt(answer, terms, width)


def reply(hit: Hit, terms: Sequence[str], width: int = SNIPPET_CHARS) -> str:
    """Return what to show below a question: the snippet, or the answer where the question is what matched."""
    exchange = hit.memory.exchange
    found = snippet(hit, terms, width)
    if exchange.answer and found.strip(GAP) in excerpt(exchange.human, (), len(exchange.human) + 1):
        return excerpt(exchange.answer, terms, width)
    return "" if found == short_question(exchange) else found


def excerpt(text: str, terms: Sequence[str], width: int, topic: Sequence[str] = ()) -> str:
    """Return up to `width` characters of a text on one line: what holds most terms, and what is around it.

    What is around a sentence is first its own paragraph. Room that is left goes to sentences with words of
    the `topic`, and then to what follows: in longer answers they are often those that answer
    (`benchmarks.excerpt --among`).
    """
    sentences = sentences_of(text)
    if sum(len(sentence.text) for sentence in sentences) <= width:
        return "".join(sentence.text for sentence in sentences).strip()
    selection = Selection(sentences, width - 2 * len(GAP))
    groups = [seeds for words in (terms, topic) if (seeds := _seeds(sentences, words))] or [[0]]
    for seeds in groups:
        kept = selection.add(seeds)
        if not kept and not selection.chosen:
            return _around(sentences[seeds[0]].text.strip(), (*terms, *topic), width)
        for number in kept:
            selection.complete(number)
    selection.fill(groups[0][0])
    return selection.joined()


def topic_of(exchange: Exchange) -> list[str]:
    """Return the words that tell what an exchange is about: those of its question."""
    asked = exchange.question[:_TOPIC_CHARS]
    return list(dict.fromkeys((*surface_terms(asked), *_NAME.findall(asked.lower()))))


def _seeds(sentences: Sequence[Sentence], terms: Sequence[str]) -> list[int]:
    """Return the sentences that hold terms, the one that adds most new ones first."""
    left = {number: found for number, it in enumerate(sentences) if (found := _found(it.text, terms))}
    seen: set[str] = set()
    seeds: list[int] = []
    while left:
        number = max(left, key=lambda at: (len(left[at] - seen), -at))
        if not left[number] - seen:
            break
        seen |= left.pop(number)
        seeds.append(number)
    return seeds


def _found(sentence: str, terms: Sequence[str]) -> frozenset[str]:
    return frozenset(term for term in _present(sentence, terms) if _pattern(term).search(sentence))


def _around(sentence: str, terms: Sequence[str], width: int) -> str:
    """Return the part of one long sentence around the first term in it."""
    places = matches(sentence, terms)
    start = max(0, places[0][0] - width // 4) if places else 0
    start = min(start, max(0, len(sentence) - width))
    return sentence[start : start + width].strip()


def matches(text: str, terms: Sequence[str]) -> list[tuple[int, int]]:
    """Return where terms stand in a text, inflected or not, in order and apart from each other."""
    spans = sorted(
        (match.span() for term in _present(text, terms) for match in _pattern(term).finditer(text)),
        key=lambda span: (span[0], -span[1]),
    )
    apart: list[tuple[int, int]] = []
    for start, stop in spans:
        if not apart or start >= apart[-1][1]:
            apart.append((start, stop))
    return apart


def _present(text: str, terms: Sequence[str]) -> list[str]:
    """Return the terms that may stand in a text: compiling a pattern takes a hundred times as long."""
    lowered = text.lower()
    return [term for term in terms if _stem(term).lower() in lowered]


@lru_cache(maxsize=512)
def _stem(term: str) -> str:
    """Return what every form of a term begins with: 送 of 送る, sock of socks."""
    if inflected := _INFLECTED.fullmatch(term):
        return inflected[1]
    return _ENGLISH_ENDING.sub("", term) if term.isascii() and term.isalpha() else term


@lru_cache(maxsize=512)
def _pattern(term: str) -> re.Pattern[str]:
    """Return what an index term looks like in text: 送る as 送って, socket as sockets."""
    stem = _stem(term)
    if not term.isascii():
        is_inflected = stem != term
        pattern = f"(?<![{_KANJI}]){re.escape(stem)}[ぁ-ん]" if is_inflected else re.escape(term)
        return re.compile(pattern, 0 if is_inflected else re.IGNORECASE)
    ending = "[a-z]{0,4}" if term.isalpha() and len(term) > 3 else ""
    return re.compile(rf"{_WORD_START}(?i:{re.escape(stem)}{ending}){_WORD_END}")


def short_question(exchange: Exchange) -> str:
    """Return the question on one line, short enough for a list."""
    line = " ".join(exchange.question.split())
    return line if len(line) <= _QUESTION_CHARS else line[: _QUESTION_CHARS - 1] + "…"
