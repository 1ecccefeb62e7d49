"""Importing: reads an export back. The whole file is checked before anything is stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from functools import partial
from typing import Any, BinaryIO

from pydantic_core import from_json

from sui_memory.archive.exporting import FORMAT, FORMAT_VERSION
from sui_memory.archive.family import indexed
from sui_memory.archive.keeping import EPISODE, LINK, Tying, read_episode, read_link, read_medium, read_note
from sui_memory.archive.masking import mask
from sui_memory.archive.tools import Tools
from sui_memory.archive.values import flag, member, moment, text, text_or_none, texts
from sui_memory.errors import SuiMemoryError
from sui_memory.store.kept import Episode, KeepingStore, KeptMemory, Link, Medium, Note
from sui_memory.types import Branch, Exchange, Indexed, Memory, Status

_AT_ONCE = 64
"""Memories of one transaction: some 50 ms, so that another writer never waits long."""

_AT_ONCE_BYTES = 16 * 1024 * 1024
"""Bytes of pictures and sounds from which on a transaction takes no more memories."""

_Reader = Callable[[str, Any], Any]
"""Makes the value of a named field from what the file has there; a `ValueError` says what is wrong."""


@dataclass(slots=True)
class Imported:
    """What an import did with the memories it read; `values` are the secrets masked on the way.

    `links` and `episodes` are those that were added.
    """

    read: int = 0
    new: int = 0
    existing: int = 0
    forgotten: int = 0
    values: int = 0
    links: int = 0
    episodes: int = 0


@dataclass(frozen=True, slots=True)
class _Found:
    """A memory of an export, and what is beside it when it was kept on purpose."""

    memory: Memory
    note: Note | None = None
    medium: Medium | None = None


def import_from(
    file: BinaryIO,
    name: str,
    *,
    store: KeepingStore,
    tools: Tools,
    revive: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Imported:
    """Store the memories of an export that are not there yet, and return what came of them.

    Their texts are cleaned and redacted, as a transcript's are. Existing keys are left as they are; what
    was forgotten stays so, unless `revive` brings it back. A file that is broken anywhere is refused as
    a whole. `file` must be seekable; `name` is for messages.
    """
    total, ties = 0, list[Link | Episode]()
    for found in _records(file, name):
        if isinstance(found, _Found):
            total += 1
        else:
            ties.append(found)
    result = Imported()
    storing = _Storing(result, store, tools, revive=revive)
    for batch in _batches(_records(file, name)):
        storing.memories(batch)
        on_progress(result.read, total)
    storing.ties(ties)
    return result


def _batches(records: Iterator[_Found | Link | Episode]) -> Iterator[list[_Found]]:
    batch: list[_Found] = []
    size = 0
    for found in records:
        if not isinstance(found, _Found):
            continue
        batch.append(found)
        size += len(found.medium.data) if found.medium else 0
        if len(batch) == _AT_ONCE or size >= _AT_ONCE_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Storing:
    """Stores what an export holds and is not there yet, batch by batch, and counts."""

    def __init__(self, result: Imported, store: KeepingStore, tools: Tools, *, revive: bool) -> None:
        self._result = result
        self._store = store
        self._tools = tools
        self._revive = revive
        self._summaries: dict[str, tuple[str, ...]] = {}

    def memories(self, batch: Sequence[_Found]) -> None:
        """Store memories, those kept on purpose with what is beside them."""
        known = {memory.id for memory in self._store.get([found.memory.id for found in batch])}
        by_id = {found.memory.id: found for found in batch if found.memory.id not in known}
        plain, kept = [], []
        for found in by_id.values():
            ready = self._indexed(found.memory)
            if found.note is None:
                plain.append((found.memory, ready))
            else:
                kept.append(self._kept(found.memory, found.note, found.medium, ready))
        new = self._store.restore(plain, revive=self._revive).new if plain else 0
        new += self._store.kept.restore(kept, revive=self._revive).new if kept else 0
        self._result.read += len(batch)
        self._result.new += new
        self._result.existing += len(batch) - len(by_id)
        self._result.forgotten += len(by_id) - new

    def _indexed(self, memory: Memory) -> Indexed:
        masked, values = mask(memory.exchange, self._tools.new_redactor)
        self._result.values += values
        return indexed([masked], self._tools)[0]

    def _kept(
        self, memory: Memory, note: Note, medium: Medium | None, ready: Indexed
    ) -> tuple[KeptMemory, Indexed, Medium | None]:
        masked = replace(note, tags=tuple(map(self._masked, note.tags)))
        if note.sources:
            self._summaries[memory.id] = note.sources
        named = medium and replace(medium, name=self._masked(medium.name))
        return KeptMemory(memory, masked), ready, named

    def _masked(self, words: str) -> str:
        clear, values = self._tools.new_redactor().redact(words)
        self._result.values += values
        return clear

    def ties(self, ties: Sequence[Link | Episode]) -> None:
        """Store what ties the memories together, now that they are all there."""
        self._tie_summaries()
        tying = Tying(self._store, lambda words: self._tools.new_redactor().redact(words))
        tying.links([tie for tie in ties if isinstance(tie, Link)])
        for tie in ties:
            if isinstance(tie, Episode):
                tying.episode(tie)
        self._result.links = tying.new_links
        self._result.episodes = tying.new_episodes
        self._result.values += tying.values

    def _tie_summaries(self) -> None:
        """Tell summaries of their sources that came later in the file."""
        for memory_id, note in self._store.kept.notes(list(self._summaries)).items():
            sources = self._summaries[memory_id]
            if set(sources) - set(note.sources):
                self._store.kept.annotate(memory_id, replace(note, sources=sources))


def _records(file: BinaryIO, name: str) -> Iterator[_Found | Link | Episode]:
    """Yield what an export holds from its beginning; anything else is one sentence naming the line."""
    file.seek(0)
    _check_header(file.readline(), name)
    for number, line in enumerate(file, 2):
        try:
            yield _record(_object(line))
        except ValueError as error:
            raise SuiMemoryError(f"{name}, line {number}: {error}; nothing was imported.") from error


def _record(found: dict[str, Any]) -> _Found | Link | Episode:
    if LINK in found:
        return read_link(found[LINK])
    if EPISODE in found:
        return read_episode(found[EPISODE])
    note, medium = found.get("note"), found.get("medium")
    return _Found(
        _memory(found),
        None if note is None else read_note(note),
        None if medium is None else read_medium(medium),
    )


def _check_header(line: bytes, name: str) -> None:
    try:
        found = _object(line).get(FORMAT)
    except ValueError:
        found = None
    if not isinstance(found, int) or found < 1:
        raise SuiMemoryError(
            f"{name}, line 1: this is no export of sui-memory, which begins with "
            f'{{"{FORMAT}":{FORMAT_VERSION}}}; nothing was imported.'
        )
    if found > FORMAT_VERSION:
        raise SuiMemoryError(
            f"{name}, line 1: a newer sui-memory wrote this export (format {found}, this one reads "
            f"{FORMAT_VERSION}): update sui-memory; nothing was imported."
        )


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = _parsed(line)
    except (ValueError, RecursionError) as error:
        raise ValueError("this is not a whole line of JSON") from error
    if not isinstance(value, dict):
        raise ValueError("this is not a JSON object")
    return value


def _parsed(line: bytes) -> Any:
    """Parse JSON; only the slower parser takes escapes of lone surrogates, which are replaced later."""
    try:
        return from_json(line)
    except ValueError:
        return json.loads(line)


def _memory(found: dict[str, Any]) -> Memory:
    values = {}
    for field in fields(Exchange):
        if field.name in found:
            values[field.name] = _value(field.name, found[field.name])
        elif field.default is MISSING:
            raise ValueError(f"{field.name!r} is missing")
    if not values["key"]:
        raise ValueError("'key' is empty")
    marks = {name: flag(name, found.get(name, False)) for name in ("pinned", "edited", "muted")}
    return Memory(Exchange(**values), **marks)


def _value(name: str, value: Any) -> Any:
    reader: _Reader = _READERS.get(name, text)
    return reader(name, value)


_READERS: dict[str, _Reader] = {
    "status": partial(member, kinds=Status),
    "branch": partial(member, kinds=Branch),
    "followups": texts,
    "files": texts,
    "tools": texts,
    "uuids": texts,
    "sidechain": flag,
    "auto": flag,
    "plan": flag,
    "version": text_or_none,
    "cwd": text_or_none,
    "git_branch": text_or_none,
    "asked_at": moment,
    "answered_at": moment,
}
