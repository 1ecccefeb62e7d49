"""Hits to text: the part of a memory that answers, and the dated block that is put into context."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sui_memory.types import Exchange, Hit

_SENTENCE = re.compile(r"[^。！？\n.!?]*(?:[。！？\n]|[.!?](?=\s|\Z)|\Z)")
_QUESTION_CHARS = 80
_GAP = " … "


def excerpt(text: str, terms: Sequence[str], width: int) -> str:
    """Return up to `width` characters of a text: its sentences that hold most of the terms, in order."""
    text = re.sub(r"\s+", " ", text).strip() if len(text) <= width else text.strip()
    if len(text) <= width:
        return text
    sentences = [match.group() for match in _SENTENCE.finditer(text) if match.group().strip()]
    wanted = sorted(range(len(sentences)), key=lambda number: (-_weight(sentences[number], terms), number))
    chosen: list[int] = []
    room = width
    for number in wanted:
        size = len(sentences[number].strip()) + len(_GAP)
        if size <= room:
            chosen.append(number)
            room -= size
        elif not chosen:
            return _around(sentences[number].strip(), terms, width)
    return _joined(sentences, sorted(chosen))


def _weight(sentence: str, terms: Sequence[str]) -> int:
    folded = sentence.casefold()
    return sum(term in folded for term in terms)


def _joined(sentences: Sequence[str], chosen: Sequence[int]) -> str:
    pieces = []
    last = -1
    for number in chosen:
        pieces.append(("" if number == last + 1 else _GAP) + re.sub(r"\s+", " ", sentences[number]))
        last = number
    return "".join(pieces).strip()


def _around(sentence: str, terms: Sequence[str], width: int) -> str:
    """Return the part of one long sentence around the first term in it."""
    folded = sentence.casefold()
    places = [place for term in terms if (place := folded.find(term)) >= 0]
    start = max(0, min(places, default=0) - width // 4)
    return sentence[start : start + width].strip()


def highlighted(text: str, terms: Sequence[str], before: str, after: str) -> str:
    """Return a text with every occurrence of a term between two marks."""
    found = sorted({term for term in terms if term}, key=len, reverse=True)
    if not found:
        return text
    pattern = re.compile("|".join(map(re.escape, found)), re.IGNORECASE)
    return pattern.sub(lambda match: f"{before}{match.group()}{after}", text)


def short_question(exchange: Exchange) -> str:
    """Return the question on one line, short enough for a list."""
    line = " ".join(exchange.question.split())
    return line if len(line) <= _QUESTION_CHARS else line[: _QUESTION_CHARS - 1] + "…"


def render(hits: Sequence[Hit], terms: Sequence[str], budget_chars: int = 1500) -> str:
    """Return the block of recalled memories, dated and fenced as background; empty without hits."""
    if not hits:
        return ""
    share = budget_chars // len(hits)
    entries = [_entry(hit, terms, share) for hit in hits]
    return "\n".join(["<recalled-memories>", _PREFACE, *entries, "</recalled-memories>"])


_PREFACE = "Recalled memories of earlier conversations: dated background, to be checked before use."


def _entry(hit: Hit, terms: Sequence[str], share: int) -> str:
    exchange = hit.memory.exchange
    day = exchange.asked_at.astimezone().strftime("%Y-%m-%d") if exchange.asked_at else "undated"
    head = f"- {day} · {exchange.project.rsplit('/', 1)[-1]} · {hit.memory.id} · {short_question(exchange)}"
    return f"{head}\n  {_defused(excerpt(exchange.answer, terms, max(80, share - len(head))))}"


def _defused(text: str) -> str:
    """Keep stored text from imitating the fence."""
    return text.replace("<recalled-memories", "‹recalled-memories").replace(
        "</recalled-memories", "‹/recalled-memories"
    )
