"""The part of a memory that bears on a cue."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from sui_memory.types import Exchange, Hit

SNIPPET_CHARS = 240
"""Three lines of a terminal: enough to tell whether a hit is worth opening."""

_SENTENCE = re.compile(
    r"(?:[^。！？\n.!?]|[.!?]+(?=[^\s.!?])|(?<=\b\d)\.(?=\s))*(?:[。！？]+[」』）)]*|\n|[.!?]+(?=\s|\Z)|\Z)\s*"
)
_KANJI = "々一-鿿"
_SURFACE = re.compile(f"[{_KANJI}]+|[ァ-ヺー]{{2,}}")
# Marks of Markdown that mean nothing on one line: fences, rules, table borders, headings, bullets, bold.
_MARKUP = re.compile(
    r"^[ \t]*(?:`{3,}[^`\n]*|~{3,}[^\n]*|[-=*_]{3,}|\|?[ \t]*:?-{2,}[-:| \t]*)[ \t]*$"
    r"|^[ \t]*(?:#{1,6}|>|[-*+])[ \t]+|\*\*",
    re.MULTILINE,
)
# Also inside camelCase: `resetSocket` holds socket.
_WORD_START = "(?:(?<![A-Za-z0-9])|(?<=[a-z0-9])(?=[A-Z]))"
_WORD_END = "(?![a-z0-9])"
_INFLECTED = re.compile(f"(.*[{_KANJI}])[ぁ-ん]+")
_ENGLISH_ENDING = re.compile(r"(?<=[a-z]{4})(?:ing|ed|es|s|e)\Z")
_QUESTION_CHARS = 80
_GAP = " … "


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
    if exchange.answer and found.strip(_GAP) in excerpt(exchange.human, (), len(exchange.human) + 1):
        return excerpt(exchange.answer, terms, width)
    return "" if found == short_question(exchange) else found


def excerpt(text: str, terms: Sequence[str], width: int) -> str:
    """Return up to `width` characters of a text on one line: what holds most terms, and what is around it."""
    sentences = _sentences(text)
    if sum(map(len, sentences)) <= width:
        return "".join(sentences).strip()
    chosen = _seeds([_found(sentence, terms) for sentence in sentences])
    kept, room = _fitting(sentences, chosen, width - 2 * len(_GAP))
    if not kept:
        return _around(sentences[chosen[0]].strip(), terms, width)
    return _joined(sentences, _grown(sentences, kept, room))


def _sentences(text: str) -> list[str]:
    """Return the sentences of a text without its markup, each on one line and with the space after it."""
    plain = _MARKUP.sub("", text.strip())
    parts = (re.sub(r"\s+", " ", match.group()) for match in _SENTENCE.finditer(plain))
    return [part for part in parts if part.strip()]


def _found(sentence: str, terms: Sequence[str]) -> frozenset[str]:
    return frozenset(term for term in _present(sentence, terms) if _pattern(term).search(sentence))


def _seeds(found: Sequence[frozenset[str]]) -> list[int]:
    """Return the sentences that hold terms, the one that adds most new ones first; else the first of all."""
    left = dict(enumerate(found))
    seen: set[str] = set()
    seeds: list[int] = []
    while left:
        number = max(left, key=lambda at: (len(left[at] - seen), -at))
        if not left[number] - seen:
            break
        seen |= left.pop(number)
        seeds.append(number)
    return seeds or [0]


def _fitting(sentences: Sequence[str], seeds: Sequence[int], room: int) -> tuple[list[int], int]:
    """Return the seeds that fit together, and the room that is left; none when the first is too long."""
    kept: list[int] = []
    for number in seeds:
        size = len(sentences[number]) + len(_GAP)
        if size <= room:
            kept.append(number)
            room -= size
        elif not kept:
            break
    return kept, room


def _grown(sentences: Sequence[str], kept: Sequence[int], room: int) -> list[int]:
    """Return the sentences in order, with what follows and then what precedes the best of them."""
    chosen = set(kept)
    for following in (range(kept[0] + 1, len(sentences)), range(kept[0] - 1, -1, -1)):
        for number in following:
            if number in chosen:
                continue
            if len(sentences[number]) > room:
                break
            chosen.add(number)
            room -= len(sentences[number])
    return sorted(chosen)


def _joined(sentences: Sequence[str], chosen: Sequence[int]) -> str:
    pieces: list[str] = []
    last = -1
    for number in chosen:
        if number != last + 1:
            pieces = ["".join(pieces).rstrip(), _GAP]
        pieces.append(sentences[number])
        last = number
    return "".join(pieces).strip() + ("" if last == len(sentences) - 1 else _GAP.rstrip())


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
