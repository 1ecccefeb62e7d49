"""The one memory that stands for several: made of their own sentences, by rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from hashlib import blake2b
from itertools import chain

from sui_memory.sleep.rules import STRENGTHS
from sui_memory.store.kept import KEPT, KeptMemory, Note
from sui_memory.types import Exchange

_SENTENCE = re.compile(r"(?<=[。．！？!?])\s*|(?<=\.)\s+|\n+")
_GIST_CHARS = 160  # of a bullet: sentences are taken as long as they fit
_LONGEST_GIST = 400  # of a first sentence that is longer by itself


def summary(group: Sequence[KeptMemory], now: datetime) -> tuple[Exchange, Note]:
    """Return one memory of now for several, given oldest first. Dates in it are of `now`'s time zone."""
    notes = [kept.note for kept in group]
    exchange = Exchange(
        key=f"note:{_name(group, now)}",
        fingerprint=_name(group, now),
        session=KEPT,
        project=_common_project(group),
        question=_bullets(group, now),
        agent=KEPT,
        asked_at=now,
    )
    note = Note(
        emotion=max((note.emotion for note in notes), key=STRENGTHS.__getitem__),
        importance=max(note.importance for note in notes),
        category=notes[0].category,
        tags=tuple(dict.fromkeys(chain.from_iterable(note.tags for note in notes))),
        accessed=sum(note.accessed for note in notes),
        accessed_at=max((note.accessed_at for note in notes if note.accessed_at), default=None),
        sources=tuple(kept.id for kept in group),
    )
    return exchange, note


def gist(text: str) -> str:
    """Return the first sentence of a text on one line, and those after it that fit."""
    sentences = [" ".join(part.split()) for part in _SENTENCE.split(text) if part.strip()]
    if not sentences:
        return ""
    taken = sentences[0][:_LONGEST_GIST]
    for sentence in sentences[1:]:
        space = "" if taken[-1] in "。．！？" else " "
        if len(taken) + len(space) + len(sentence) > _GIST_CHARS:
            break
        taken += space + sentence
    return taken


def _name(group: Sequence[KeptMemory], now: datetime) -> str:
    """Return 32 hexadecimal digits: a plan names its summaries before any of them is stored."""
    parts = [now.isoformat(), *(kept.id for kept in group)]
    return blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()


def _common_project(group: Sequence[KeptMemory]) -> str:
    projects = {kept.memory.exchange.project for kept in group}
    return projects.pop() if len(projects) == 1 else ""


def _bullets(group: Sequence[KeptMemory], now: datetime) -> str:
    """Return a dated line for each memory; those with the same words share one, a summary's are kept."""
    days: dict[str, list[str]] = {}
    for kept in group:
        for day, words in _lines(kept, now):
            days.setdefault(words, []).append(day)
    return "\n".join(f"- {', '.join(dict.fromkeys(when))}: {words}" for words, when in days.items())


_BULLET = re.compile(r"- ((?:\d{4}-\d\d-\d\d|undated)(?:, (?:\d{4}-\d\d-\d\d|undated))*): (.+)")


def _lines(kept: KeptMemory, now: datetime) -> list[tuple[str, str]]:
    exchange = kept.memory.exchange
    lines = [_BULLET.fullmatch(line) for line in exchange.question.splitlines()] if kept.note.sources else []
    if lines and all(lines):
        return [(line[1], line[2]) for line in lines if line]
    day = f"{exchange.asked_at.astimezone(now.tzinfo):%Y-%m-%d}" if exchange.asked_at else "undated"
    return [(day, gist(exchange.text))]
