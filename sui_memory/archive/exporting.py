"""Exporting: the archive as JSON lines: exchanges with everything that is stored of them, then their ties.

What was forgotten leaves no trace in an export, not even its tombstone.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from datetime import datetime
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from sui_memory.archive.keeping import fields_of, ties
from sui_memory.errors import SuiMemoryError
from sui_memory.store.kept import KeepingStore
from sui_memory.types import Exchange, Memory, Scope

FORMAT = "sui-memory-export"
FORMAT_VERSION = 2
"""Grows when a reader of the present version would lose or misread something: 2 brought notes and ties."""

_PLAIN_VERSION = 1
_AT_ONCE = 100


def export_lines(scope: Scope, *, store: KeepingStore) -> Iterator[str]:
    """Yield the lines of an export: the header, the memories in scope, oldest first, and what ties them.

    An archive in which nothing was kept on purpose can be read by a sui-memory that knows of no such thing.
    """
    held = store.kept.counts()
    is_plain = not any(held[name] for name in ("notes", "links", "episodes"))
    number = _PLAIN_VERSION if is_plain else FORMAT_VERSION
    yield _dump({FORMAT: number, "version": version("sui-memory")})
    ids: set[str] = set()
    memories = store.scan(scope)
    while batch := list(islice(memories, _AT_ONCE)):
        ids.update(memory.id for memory in batch)
        yield from _memory_lines(batch, store)
    if not is_plain:
        yield from map(_dump, ties(ids, store.kept))


def _memory_lines(memories: Sequence[Memory], store: KeepingStore) -> Iterator[str]:
    notes = store.kept.notes([memory.id for memory in memories])
    for memory in memories:
        note = notes.get(memory.id)
        medium = store.kept.medium(memory.id) if note else None
        yield _dump({**memory_fields(memory), **fields_of(note, medium)})


def is_memory(line: str) -> bool:
    """Say whether a line of an export is a memory, and neither the header nor a tie."""
    return line.startswith('{"id":')


def memory_fields(memory: Memory) -> dict[str, Any]:
    """Return a memory as an export has it (docs/json.md)."""
    exchange = memory.exchange
    values = {field.name: _plain(getattr(exchange, field.name)) for field in fields(Exchange)}
    marks = {"pinned": memory.pinned, "edited": memory.edited, "muted": memory.muted}
    return {"id": memory.id, **values, **marks}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return list(value) if isinstance(value, tuple) else value


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def write_whole(path: Path, lines: Iterable[str]) -> int:
    """Write lines to a file that only its owner can read, all of them or none, and return how many.

    A file that is there is replaced; a pipe or a device is written to.
    """
    try:
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            with path.open("w", encoding="utf-8") as file:
                return _write(file, lines)
        return _replace(path.resolve(), lines)
    except OSError as error:
        raise SuiMemoryError(
            f"{path} cannot be written ({(error.strerror or str(error)).lower()}): nothing was exported."
        ) from error


def _replace(path: Path, lines: Iterable[str]) -> int:
    # mkstemp makes the file for its owner alone (0600).
    handle, partial = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".partial", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            count = _write(file, lines)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(partial)
        raise
    return count


def _write(file: Any, lines: Iterable[str]) -> int:
    count = 0
    for count, line in enumerate(lines, 1):  # noqa: B007 - the last number is the answer
        file.write(line + "\n")
    return count
