"""JSON objects on a line, whatever happened to the line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

Json = dict[str, Any]

_BOM = b"\xef\xbb\xbf"
_SURROGATE = re.compile("[\ud800-\udfff]")
_RECORD_START = re.compile(r'\{\s*"')
_MAX_ATTEMPTS = 1000
_MAX_TRIED = 64 << 20
"""Attempts and characters (a second's work) after which a damaged line is searched no further: each
attempt may read to the end of it."""

_WITHOUT_UUID = frozenset(
    (
        "queue-operation",
        "summary",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "ai-title",
        "custom-title",
    )
)

_MAX_DEPTH = 200
"""Levels of nesting, as pydantic's parser has it; the deepest record seen has 9."""

_decoder = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Parsed:
    """The whole objects of a line. `damaged` counts fragments; `rest` is the unread tail, in bytes."""

    objects: tuple[Json, ...]
    damaged: int = 0
    rest: int = 0


def tidy(line: bytes) -> bytes:
    """Return the line without NUL runs (left by a crash), byte order mark and surrounding blanks."""
    if b"\0" in line:
        line = line.replace(b"\0", b"")
    line = line.strip()
    return line.removeprefix(_BOM).strip() if line.startswith(_BOM) else line


def parse_line(line: bytes, *, complete: bool = True) -> Parsed:
    """Return every whole object on a tidied line: glued, torn or with invalid bytes.

    An incomplete line yields only the objects it starts with; what follows may still grow.
    """
    try:
        value = from_json(line)
    except ValueError:
        return _recover(line.decode("utf-8", "replace"), complete=True) if complete else _beginning(line)
    if isinstance(value, dict):
        return Parsed((value,))
    return Parsed((), damaged=1) if complete else Parsed((), rest=len(line))


def _beginning(line: bytes) -> Parsed:
    """Parse what is surely whole of an unfinished line; with a broken character at its end, nothing is."""
    try:
        return _recover(line.decode(), complete=False)
    except UnicodeDecodeError:
        return Parsed((), rest=len(line))


def _recover(text: str, *, complete: bool) -> Parsed:
    found: list[Json] = []
    damaged = 0
    position = 0
    tried = 0
    whole = True
    for start in _starts(text):
        if start < position:
            continue
        if tried > _MAX_TRIED:
            break
        gap = bool(text[position:start].strip()) or not whole
        if gap and not complete:
            break
        value, stop = _decode(text, start)
        tried += stop - start
        if value is None or (gap and not _is_record(value)):
            whole = False
            continue
        found.append(value)
        damaged += gap
        position, whole = stop, True
    tail = text[position:]
    if not complete:
        return Parsed(tuple(found), damaged, len(tail.encode()))
    return Parsed(tuple(found), damaged + bool(tail.strip()))


def _starts(text: str) -> Iterator[int]:
    for attempt, match in enumerate(_RECORD_START.finditer(text)):
        if attempt == _MAX_ATTEMPTS:
            return
        yield match.start()


def _decode(text: str, start: int) -> tuple[Json | None, int]:
    """Return the object that begins there, or None, and how far it was read."""
    try:
        value, stop = _decoder.raw_decode(text, start)
        return _whole(value), stop
    except json.JSONDecodeError as error:
        return None, len(text) if error.msg.startswith("Unterminated string") else error.pos
    except (ValueError, RecursionError):
        return None, len(text)


def _whole(value: Any, depth: int = 0) -> Any:
    """Replace lone surrogates, which neither UTF-8 nor SQLite can hold.

    Nesting beyond what the quick parser allows is a `RecursionError` here, too.
    """
    if depth > _MAX_DEPTH:
        raise RecursionError
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [_whole(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item, depth + 1) for key, item in value.items()}
    return value


def _is_record(value: Json) -> bool:
    """Tell a record found behind damage from an object nested in the damaged one."""
    kind = value.get("type")
    if not isinstance(kind, str) or not isinstance(value.get("sessionId"), str):
        return False
    return isinstance(value.get("uuid"), str) or kind in _WITHOUT_UUID
