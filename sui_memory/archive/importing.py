"""Importing: reads an export back. The whole file is checked before anything is stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from itertools import islice
from typing import Any, BinaryIO

from pydantic_core import from_json

from sui_memory.archive.exporting import FORMAT, FORMAT_VERSION
from sui_memory.archive.family import indexed
from sui_memory.archive.masking import mask
from sui_memory.archive.tools import Tools
from sui_memory.errors import SuiMemoryError
from sui_memory.store.base import MemoryStore
from sui_memory.text import clean
from sui_memory.types import Branch, Exchange, Memory, Status

_AT_ONCE = 64
"""Memories of one transaction: some 50 ms, so that another writer never waits long."""

_Reader = Callable[[str, Any], Any]
"""Makes the value of a named field from what the file has there; a `ValueError` says what is wrong."""


@dataclass(slots=True)
class Imported:
    """What an import did with the memories it read; `values` are the secrets masked on the way."""

    read: int = 0
    new: int = 0
    existing: int = 0
    forgotten: int = 0
    values: int = 0


def import_from(
    file: BinaryIO,
    name: str,
    *,
    store: MemoryStore,
    tools: Tools,
    revive: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Imported:
    """Store the memories of an export that are not there yet, and return what came of them.

    Their texts are cleaned and redacted, as a transcript's are. Existing keys are left as they are; what
    was forgotten stays so, unless `revive` brings it back. A file that is broken anywhere is refused as
    a whole. `file` must be seekable; `name` is for messages.
    """
    total = sum(1 for _ in _memories(file, name))
    result = Imported()
    memories = _memories(file, name)
    while batch := list(islice(memories, _AT_ONCE)):
        _store(batch, result, store, tools, revive=revive)
        on_progress(result.read, total)
    return result


def _store(batch: list[Memory], result: Imported, store: MemoryStore, tools: Tools, *, revive: bool) -> None:
    known = {memory.id for memory in store.get([memory.id for memory in batch])}
    fresh = list({memory.id: memory for memory in batch if memory.id not in known}.values())
    ready = []
    masked_values = 0
    for memory in fresh:
        masked, values = mask(memory.exchange, tools.new_redactor)
        masked_values += values
        ready.append((memory, indexed([masked], tools)[0]))
    new = store.restore(ready, revive=revive).new
    result.read += len(batch)
    result.new += new
    result.existing += len(batch) - len(fresh)
    result.forgotten += len(fresh) - new
    result.values += masked_values


def _memories(file: BinaryIO, name: str) -> Iterator[Memory]:
    """Yield the memories of an export from its beginning; anything else is one sentence naming the line."""
    file.seek(0)
    _check_header(file.readline(), name)
    for number, line in enumerate(file, 2):
        try:
            yield _memory(_object(line))
        except ValueError as error:
            raise SuiMemoryError(f"{name}, line {number}: {error}; nothing was imported.") from error


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
    marks = {name: _flag(name, found.get(name, False)) for name in ("pinned", "edited", "muted")}
    return Memory(Exchange(**values), **marks)


def _value(name: str, value: Any) -> Any:
    reader: _Reader = _READERS.get(name, _text)
    return reader(name, value)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name!r} is no text")
    return clean(value)


def _text_or_none(name: str, value: Any) -> str | None:
    return None if value is None else _text(name, value)


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{name!r} is no list")
    return tuple(_text(name, item) for item in value)


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{name!r} is neither true nor false")
    return value


def _time(name: str, value: Any) -> datetime | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(_text(name, value))
        if not MINYEAR < moment.year < MAXYEAR:  # no room for zones: it could not be shown everywhere
            return None
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{name!r} is no time") from error


def _status(name: str, value: Any) -> Status:
    try:
        return Status(value)
    except ValueError as error:
        raise ValueError(f"{name!r} is none of {', '.join(Status)}") from error


def _branch(name: str, value: Any) -> Branch:
    try:
        return Branch(value)
    except ValueError as error:
        raise ValueError(f"{name!r} is none of {', '.join(Branch)}") from error


_READERS: dict[str, _Reader] = {
    "status": _status,
    "branch": _branch,
    "followups": _texts,
    "files": _texts,
    "tools": _texts,
    "uuids": _texts,
    "sidechain": _flag,
    "auto": _flag,
    "plan": _flag,
    "version": _text_or_none,
    "cwd": _text_or_none,
    "git_branch": _text_or_none,
    "asked_at": _time,
    "answered_at": _time,
}
