"""Which record follows which: copies removed, parents resolved through machinery."""

from __future__ import annotations

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
        self.entries = [self._place(*item) for item in self._distinct(streams)]

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

    def _distinct(self, streams: Sequence[Stream]) -> Iterator[tuple[Record, int, int, bool]]:
        """Yield each record once: the same uuid, or the same words at the same time, is the same record."""
        first: dict[bytes, str | None] = {}
        for number, stream in enumerate(streams):
            for position, record in enumerate(stream.records):
                if record.uuid is not None and record.uuid in self._parents:
                    continue
                print_ = fingerprint(record)
                if print_ is not None and print_ in first:
                    if record.uuid and (original := first[print_]):
                        self._aliases[record.uuid] = original
                    continue
                if print_ is not None:
                    first[print_] = record.uuid
                if record.uuid is not None:
                    self._parents[record.uuid] = None
                yield record, number, position, stream.sidechain

    def _place(self, record: Record, stream: int, position: int, sidechain: bool) -> Entry:
        parent = record.parent or record.logical_parent
        parent = self._aliases.get(parent, parent) if parent else None
        if record.uuid is not None:
            self._parents[record.uuid] = parent
            if record.type == "link":
                self.links.add(record.uuid)
        return Entry(record, stream, position, sidechain or bool(record.is_sidechain), parent)


def fingerprint(record: Record) -> bytes | None:
    """Return what two copies of a record under different uuids share: role, time, message and words.

    A record without words has none, and neither has one without a time.
    """
    words = _words(record)
    if not words or record.at is None:
        return None
    message = record.message.id if record.message else None
    parts = (record.type, record.operation, record.at.isoformat(), message, words)
    return blake2b(repr(parts).encode("utf-8", "replace"), digest_size=16).digest()


def _words(record: Record) -> str:
    if record.message is not None:
        return "\n".join(block.text or block.result or (block.id or "") for block in record.message.content)
    content = record.attachment.prompt if record.attachment is not None else record.content
    return repr(content) if content else ""
