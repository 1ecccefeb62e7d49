"""Which record follows which: copies removed, parents resolved through machinery."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from sui_memory.transcript.models import Record


@dataclass(frozen=True, slots=True)
class Stream:
    """The records of one file, in file order. In an agent's own file everything is a sidechain."""

    name: str
    records: Sequence[Record]
    sidechain: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A record in its place: its stream, its position there, and its parent after copies were removed."""

    record: Record
    stream: int
    position: int
    sidechain: bool
    parent: str | None


class Chain:
    """The records of all streams, each once, with the ways between them."""

    def __init__(self, streams: Sequence[Stream]) -> None:
        self._parents: dict[str, str | None] = {}
        self._aliases: dict[str, str] = {}
        self.links: set[str] = set()
        self.entries = self._parents_first([self._place(*item) for item in self._distinct(streams)])

    def ancestors(self, uuid: str | None) -> Iterator[str]:
        """Yield the known records from `uuid` upward, itself first; ends at the root, a gap or a ring."""
        seen: set[str] = set()
        step = self._aliases.get(uuid, uuid) if uuid else None
        while step is not None and step in self._parents and step not in seen:
            seen.add(step)
            yield step
            step = self._parents[step]

    def conversational(self, uuid: str | None) -> str | None:
        """Return the nearest record from `uuid` upward that is not machinery."""
        return next((step for step in self.ancestors(uuid) if step not in self.links), None)

    def _parents_first(self, entries: Sequence[Entry]) -> list[Entry]:
        """Return the entries in file order, but a child that was written before its parent behind it."""
        ahead = Counter(entry.record.uuid for entry in entries)
        waiting: dict[str, list[Entry]] = {}
        ordered: list[Entry] = []
        for entry in entries:
            parent = self.conversational(entry.parent)
            if parent is not None and ahead[parent] and parent != entry.record.uuid:
                waiting.setdefault(parent, []).append(entry)
                continue
            ready = [entry]
            while ready:
                ordered.append(ready.pop(0))
                uuid = ordered[-1].record.uuid
                ahead[uuid] -= 1
                ready += waiting.pop(uuid, []) if uuid else []
        ring = [entry for children in waiting.values() for entry in children]
        return ordered + sorted(ring, key=lambda entry: (entry.stream, entry.position))

    def _distinct(self, streams: Sequence[Stream]) -> Iterator[tuple[Record, int, int, bool]]:
        """Yield each record once: the same uuid, or the same words at the same time, is the same record.

        Only an assistant's record may come again under its uuid, with more words than before.
        """
        first: dict[object, str | None] = {}
        for number, stream in enumerate(streams):
            wordless: Counter[object] = Counter()
            for position, record in enumerate(stream.records):
                mark = fingerprint(record) or _wordless(record, wordless)
                known = record.uuid is not None and record.uuid in self._parents
                if mark is not None and mark in first:
                    if record.uuid and not known and (original := first[mark]):
                        self._aliases[record.uuid] = original
                    continue
                if mark is not None:
                    first[mark] = record.uuid
                if not known or (record.type == "assistant" and mark is not None):
                    yield record, number, position, stream.sidechain

    def _place(self, record: Record, stream: int, position: int, sidechain: bool) -> Entry:
        parent = record.parent or record.logical_parent
        parent = self._aliases.get(parent, parent) if parent else None
        if record.uuid is not None:
            parent = self._parents.setdefault(record.uuid, parent)
            if record.type == "link":
                self.links.add(record.uuid)
        return Entry(record, stream, position, sidechain or bool(record.is_sidechain), parent)


def fingerprint(record: Record) -> bytes | None:
    """Return what two copies of a record under different uuids share: role, time and words.

    A record without words has none, and neither has one without a time.
    """
    words = _words(record)
    if not words or record.at is None:
        return None
    parts = (record.type, record.operation, record.at.isoformat(), words)
    return blake2b(repr(parts).encode("utf-8", "replace"), digest_size=16).digest()


def _wordless(record: Record, times: Counter[object]) -> object | None:
    """Return what two copies of a queue's record without words share.

    A file may hold several equal ones, as two prompts can be taken up at once: its n-th is a copy of
    another file's n-th.
    """
    if record.type != "queue-operation":
        return None
    mark = (record.operation, record.session, record.at)
    times[mark] += 1
    return mark, times[mark]


def _words(record: Record) -> str:
    if record.message is not None:
        return "\n".join(block.text or block.result or (block.id or "") for block in record.message.content)
    content = record.attachment.prompt if record.attachment is not None else record.content
    return repr(content) if content else ""
