"""Cuts an exchange into passages small enough for an embedding model.

Each cut looks only at the text before it and one passage ahead, so text added at the end leaves every
earlier passage but the last as it was.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from sui_memory.types import Analyzer, Exchange, Passage

# Characters. Models see 512 tokens: 750 characters of Japanese prose are some 400 to 500 of them.
PASSAGE_LIMIT = 750
# A side longer than this many passages is a pasted log or a dump: its head and tail are indexed, in these
# numbers, its middle is only stored. 24,000 characters of what a person gave, 96,000 of an answer.
HUMAN_PASSAGES = (24, 8)
ANSWER_PASSAGES = (96, 32)

Span = tuple[int, int]

_FENCE = re.compile(r"^[ \t]{0,3}(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)(?:\n|\Z)", re.MULTILINE)
_PARAGRAPH = re.compile(r"(?=\n[ \t]*\n)")
_LINE = re.compile(r"(?=\n)")
_SENTENCE = re.compile(r"[。！？．]+[」』）)]*|[.!?]+(?=\s)")
_SPACE = re.compile(r"(?=\s)")
_NON_SPACE = re.compile(r"\S")

# The kinds of border from best to worst, and whether one counts inside a code fence.
_BORDERS = (
    (_PARAGRAPH, False),
    (_LINE, False),
    (_SENTENCE, False),
    (_PARAGRAPH, True),
    (_LINE, True),
    (_SENTENCE, True),
    (_SPACE, True),
)


def cut(exchange: Exchange, analyzer: Analyzer, *, limit: int = PASSAGE_LIMIT) -> tuple[Passage, ...]:
    """Return the passages of an exchange, in order: slices of `exchange.text` of at most `limit` characters.

    They cover all but the white space between them, and reach over at least a third of `limit`, the last one
    excepted. The middle of a huge side is left out (`HUMAN_PASSAGES`, `ANSWER_PASSAGES`).
    """
    text, border = exchange.text, len(exchange.human)
    spans = list(_spans(text, border, limit))
    human = [span for span in spans if span[0] < border]
    answer = spans[len(human) :]
    kept = _head_and_tail(human, HUMAN_PASSAGES) + _head_and_tail(answer, ANSWER_PASSAGES)
    return tuple(_passage(exchange, span, ordinal, analyzer) for ordinal, span in enumerate(kept))


def _spans(text: str, border: int, limit: int) -> Iterator[Span]:
    fences = [*_fences(text, 0, border), *_fences(text, border, len(text))]
    start = _next_text(text, 0)
    while start < len(text):
        stop = len(text)
        if stop - start > limit:
            stop = _best_cut(text, start, limit, border, fences)
        yield start, start + len(text[start:stop].rstrip())
        start = _next_text(text, stop)


def _best_cut(text: str, start: int, limit: int, border: int, fences: Sequence[Span]) -> int:
    """Return where the passage from `start` ends: the last border of the best kind in its last two thirds."""
    low, high = start + max(1, limit // 3), start + limit
    if low <= border <= high:
        return border
    for pattern, inside in _BORDERS:
        # One character beyond is certain to exist; to look further would make the cut depend on what follows.
        stops = [match.end() for match in pattern.finditer(text, low, high + 1) if match.end() <= high]
        if pattern is _PARAGRAPH:
            stops += [edge for fence in _near(fences, low, high) for edge in fence if low <= edge <= high]
        stops = [stop for stop in stops if inside or not _is_inside(stop, fences)]
        if stops:
            return max(stops)
    return high


def _fences(text: str, start: int, stop: int) -> Iterator[Span]:
    """Yield the code fences of one side, marks included (CommonMark 4.5); an unclosed one runs to its end."""
    opened: re.Match[str] | None = None
    for mark in _FENCE.finditer(text, start, stop):
        if opened is None:
            opened = mark
        elif _closes(mark, opened):
            yield opened.start(), mark.end()
            opened = None
    if opened is not None:
        yield opened.start(), stop


def _closes(mark: re.Match[str], opened: re.Match[str]) -> bool:
    return mark["mark"].startswith(opened["mark"]) and not mark["info"].strip()


def _near(fences: Sequence[Span], low: int, high: int) -> Sequence[Span]:
    first = max(0, bisect_right(fences, (low,)) - 1)
    return fences[first : bisect_right(fences, (high + 1,))]


def _is_inside(position: int, fences: Sequence[Span]) -> bool:
    index = bisect_right(fences, (position,)) - 1
    return index >= 0 and fences[index][0] < position < fences[index][1]


def _next_text(text: str, position: int) -> int:
    found = _NON_SPACE.search(text, position)
    return found.start() if found else len(text)


def _head_and_tail(spans: list[Span], limits: tuple[int, int]) -> list[Span]:
    head, tail = limits
    return spans if len(spans) <= head + tail else spans[:head] + spans[-tail:]


def _passage(exchange: Exchange, span: Span, ordinal: int, analyzer: Analyzer) -> Passage:
    question, answer = exchange.sides(*span)
    return Passage(ordinal, *span, question, answer, analyzer.terms(question), analyzer.terms(answer))
