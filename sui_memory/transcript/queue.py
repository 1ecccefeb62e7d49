"""Prompts typed while the agent works: the queue's records, read against what came of them."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from itertools import islice

from sui_memory.transcript.human import is_command, queued_words
from sui_memory.transcript.models import Record, plain

_NEAR = 64
"""Prompts looked through for one that several queued ones were sent as: it follows soon."""


class Fate(Enum):
    """What became of a queued prompt."""

    WAITING = auto()
    ABSORBED = auto()
    SENT = auto()
    WITHDRAWN = auto()


@dataclass(slots=True)
class Queued:
    """A prompt in the queue; places are positions in the conversation: where it was typed and taken up."""

    record: Record
    text: str
    typed: int
    place: int
    fate: Fate = Fate.WAITING


class PromptQueue:
    """First in, first out, one for each session, as Claude Code keeps it."""

    def __init__(self) -> None:
        self._items: list[Queued] = []
        self._waiting: defaultdict[str | None, deque[Queued]] = defaultdict(deque)
        self.sent: set[int] = set()

    def take(self, record: Record, place: int) -> None:
        """Read one queue-operation record."""
        waiting = self._waiting[record.session]
        if record.operation == "enqueue":
            item = Queued(record, queued_words(record.content), place, place)
            self._items.append(item)
            waiting.append(item)
        elif record.operation == "popAll":
            for item in waiting:
                item.fate = Fate.WITHDRAWN
            waiting.clear()
        elif record.operation in {"dequeue", "remove"} and waiting:
            item = _named(waiting, plain(record.content)) or waiting[0]
            waiting.remove(item)
            item.fate = Fate.SENT if record.operation == "dequeue" else Fate.ABSORBED
            item.place = place

    def unheard(self, heard: list[tuple[int, str]]) -> list[Queued]:
        """Return the prompts that exist in the queue only.

        `heard` are the places and words of all other prompts; each of them stands for one queued
        prompt at most, which cannot have been queued after it. Several queued prompts may have been
        sent as one, so a sent one only has to be contained, and one still waiting to be there line by line.
        The places of those that came out of the queue are in `sent` afterwards. A command that the model
        did not take up was run by the client.
        """
        others = _Heard(heard)
        alone = []
        for item in self._items:
            if not item.text or item.fate is Fate.WITHDRAWN:
                continue
            place = others.take(item)
            if place is not None:
                self.sent.add(place)
            elif item.fate is Fate.ABSORBED or not is_command(item.text):
                alone.append(item)
        return alone


class _Heard:
    """The prompts that were heard outside the queue, by their words and by their places."""

    def __init__(self, heard: Iterable[tuple[int, str]]) -> None:
        self._in_order = sorted(heard)
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for place, text in self._in_order:
            self._places[text].append(place)

    def take(self, item: Queued) -> int | None:
        """Return where a queued prompt was heard; one that was heard alone is taken away."""
        places = self._places[item.text]
        at = bisect_left(places, item.typed)
        if at < len(places):
            return places.pop(at)
        start = bisect_left(self._in_order, (item.typed, ""))
        near = islice(self._in_order, start, start + _NEAR)
        return next((place for place, text in near if _is_within(item, text)), None)


def _named(waiting: Iterable[Queued], text: str) -> Queued | None:
    """Return the item that an operation names by its words, if it names any."""
    return next((item for item in waiting if plain(item.record.content) == text), None) if text else None


def _is_within(item: Queued, text: str) -> bool:
    if item.fate is Fate.SENT:
        return item.text != text and item.text in text
    return item.fate is Fate.WAITING and item.text != text and f"\n{item.text}\n" in f"\n{text}\n"
