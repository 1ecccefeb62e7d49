"""Editing: puts the user's own words in the place of what was archived."""

from __future__ import annotations

from dataclasses import replace

from sui_memory.archive.families import family_of, persistently
from sui_memory.archive.family import cut_family, indexed
from sui_memory.archive.masking import mask
from sui_memory.archive.segments import split
from sui_memory.archive.tools import Tools
from sui_memory.store.base import MemoryStore
from sui_memory.text import clean
from sui_memory.types import Exchange


def edit(
    exchange: Exchange,
    *,
    question: str,
    followups: tuple[str, ...],
    answer: str,
    store: MemoryStore,
    tools: Tools,
) -> Exchange:
    """Store these words, redacted, in the place of an exchange's own, and return what is stored now.

    The old words are gone from everything that is stored, and what a transcript still adds to this turn
    is left out.
    """
    words = replace(
        exchange,
        question=clean(question),
        followups=tuple(text for followup in followups if (text := clean(followup))),
        answer=clean(answer),
    )
    edited, _ = mask(words, tools.new_redactor)
    persistently(lambda: _replace(edited, store, tools))
    store.purge()
    return edited


def _replace(edited: Exchange, store: MemoryStore, tools: Tools) -> None:
    family = family_of(store, [edited])
    cutting = cut_family(family.lines, {edited.key, edited.fingerprint}, tools)
    segments = {path: split(lines) for path, lines in cutting.silenced.items()}
    store.edit(indexed([edited], tools)[0], segments, expected=family.sources)
