"""Exporting: the archive as JSON lines, one exchange each, with everything that is stored of it.

What was forgotten leaves no trace in an export, not even its tombstone.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sui_memory.errors import SuiMemoryError
from sui_memory.store.base import MemoryStore
from sui_memory.types import Exchange, Memory, Scope

FORMAT = "sui-memory-export"
FORMAT_VERSION = 1
"""Grows when a reader of the present version would lose or misread something."""


def export_lines(scope: Scope, *, store: MemoryStore) -> Iterator[str]:
    """Yield the lines of an export, the header first, then the memories in scope, oldest first."""
    yield _dump({FORMAT: FORMAT_VERSION, "version": version("sui-memory")})
    for memory in store.scan(scope):
        yield _dump(memory_fields(memory))


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
