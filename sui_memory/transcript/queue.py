"""Prompts typed while the agent works: the queue's records, read against what came of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from sui_memory.transcript.human import is_command, queued_words
from sui_memory.transcript.models import Record, plain


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
        self.sent: set[int] = set()

    def take(self, record: Record, place: int) -> None:
        """Read one queue-operation record."""
        if record.operation == "enqueue":
            self._items.append(Queued(record, queued_words(record.content), place, place))
        elif record.operation == "popAll":
            for item in self._waiting(record):
                item.fate = Fate.WITHDRAWN
        elif record.operation in {"dequeue", "remove"}:
            self._release(record, place)

    def _release(self, record: Record, place: int) -> None:
        waiting = self._waiting(record)
        named = plain(record.content)
        same = [item for item in waiting if named and plain(item.record.content) == named]
        for item in (same or waiting)[:1]:
            item.fate = Fate.SENT if record.operation == "dequeue" else Fate.ABSORBED
            item.place = place

    def _waiting(self, record: Record) -> list[Queued]:
        return [
            item
            for item in self._items
            if item.fate is Fate.WAITING and item.record.session == record.session
        ]

    def unheard(self, heard: list[tuple[int, str]]) -> list[Queued]:
        """Return the prompts that exist in the queue only.

        `heard` are the places and words of all other prompts; each of them stands for one queued
        prompt at most, which cannot have been queued after it. Several queued prompts may have been
        sent as one, so a sent one only has to be contained, and one still waiting to be there line by line.
        The places of those that came out of the queue are in `sent` afterwards. A command that the model
        did not take up was run by the client.
        """
        left = list(heard)
        alone = []
        for item in self._items:
            if not item.text or item.fate is Fate.WITHDRAWN:
                continue
            match = next((spoken for spoken in left if _is_heard(item, spoken)), None)
            if match is not None:
                self.sent.add(match[0])
            if match is None and (item.fate is Fate.ABSORBED or not is_command(item.text)):
                alone.append(item)
            elif match is not None and match[1] == item.text:
                left.remove(match)
        return alone


def _is_heard(item: Queued, spoken: tuple[int, str]) -> bool:
    place, text = spoken
    if place < item.typed:
        return False
    if item.fate is Fate.SENT:
        return item.text in text
    return item.text == text or (item.fate is Fate.WAITING and f"\n{item.text}\n" in f"\n{text}\n")
