"""From a transcript file to slim records: what is new behind an offset, and what was passed over."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from sui_memory.errors import TranscriptError
from sui_memory.transcript.lines import Line, read_lines
from sui_memory.transcript.links import Links
from sui_memory.transcript.records import Json, Parsed, parse_line, tidy
from sui_memory.transcript.slim import Slimmer, silence, tool_uses
from sui_memory.transcript.touches import Touches

_MARGIN = 4096
"""Bytes hashed at the start of a file and right before the offset: enough to tell a rewritten one."""

_TALK = re.compile(rb'"type": ?"(?:user|assistant|queue-operation)"|"queued_command"|"compact_boundary"')
"""A line without any of these holds no conversation and is not parsed. Quotes inside a string are
escaped, so that quoted JSON never looks like this. One pattern is faster than a search for each mark."""

_START = re.compile(rb'\{"(?:parentUuid|type|sessionId)"')
_INSIDE = b":,[{"
"""What stands before an object that belongs to another one; anything else means two glued records."""

_PARENT = re.compile(rb'"parentUuid": ?"([^"]+)"')
_UUID = re.compile(rb'"uuid": ?"([^"]+)"')
_ATTACHMENT = re.compile(rb'"attachment": ?\{"type": ?"([\w-]+)"')
_SUBTYPE = re.compile(rb'"subtype": ?"([\w-]+)"')
_TYPE = re.compile(rb'"type": ?"([\w-]+)"')

_USED = frozenset(("user", "assistant", "queue-operation"))
_USED_PARTS = frozenset(("attachment:queued_command", "system:compact_boundary"))
_MACHINERY = frozenset(
    (
        "progress", "system", "attachment", "file-history-snapshot", "last-prompt",
        "permission-mode", "mode", "pr-link", "summary", "tools-used", "cost-state", "api-request",
        "api-request-shape", "api-request-blob", "atis-latch", "frame-link", "agent-name",
        "agent-color", "tag", "ai-title", "custom-title", "worktree-state", "content-replacement",
    )
)  # fmt: skip
"""Types that are known to hold no words. An unknown type is counted by name and kept in the raw archive."""

_MAX_UNKNOWN = 1 << 16


@dataclass(slots=True)
class Reading:
    """What one pass over a file found. `records` are slim ones; `skipped` counts by reason."""

    records: list[bytes] = field(default_factory=list)
    offset: int = 0
    bytes: int = 0
    used: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    redactions: int = 0

    @property
    def read(self) -> int:
        """Records seen: each one is either used or skipped for a named reason."""
        return self.used + self.skipped.total()


def head_hash(file: BinaryIO, offset: int) -> bytes:
    """Return a hash of the first bytes of a file and of those right before `offset`."""
    digest = blake2b(offset.to_bytes(8, "big"), digest_size=16)
    for start in (0, max(0, offset - _MARGIN)):
        file.seek(start)
        digest.update(file.read(min(_MARGIN, offset - start)))
    return digest.digest()


def open_transcript(path: Path) -> BinaryIO:
    """Open a regular file for reading; anything else, or no permission, is a `TranscriptError`."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise TranscriptError(f"{path}: {(error.strerror or str(error)).lower()}; it was skipped") from error
    return os.fdopen(handle, "rb", buffering=0)


def read(file: BinaryIO, offset: int, slimmer: Slimmer) -> Reading:
    """Read every record from `offset` to the end, leaving an unfinished last line for the next time."""
    reader = _Reader(offset, slimmer)
    before = slimmer.redactions
    for line in read_lines(file, offset):
        reader.take(line)
    reading = reader.finish()
    reading.bytes = reading.offset - offset
    reading.redactions = slimmer.redactions - before
    return reading


class _Reader:
    """Sorts the lines of one pass into what is archived and what is passed over."""

    def __init__(self, offset: int, slimmer: Slimmer) -> None:
        self._reading = Reading(offset=offset)
        self._links = Links()
        self._touches = Touches(self._links)
        self._slimmer = slimmer

    def take(self, line: Line) -> None:
        """Read a line, or leave it unread when it is still being written."""
        reading = self._reading
        if line.oversized:
            if line.complete:
                reading.skipped["oversized line"] += 1
                reading.offset = line.stop
            return
        text = tidy(line.text)
        if not text:
            reading.offset = line.stop if line.complete else reading.offset
            return
        if line.complete and not _may_talk(text):
            self._pass_over(text)
            reading.offset = line.stop
            return
        parsed = parse_line(text, complete=line.complete)
        if not line.complete and (not parsed.objects or len(text) != len(line.text)):
            return
        self._sort_all(parsed)
        reading.offset = line.stop - parsed.rest

    def finish(self) -> Reading:
        """Return what was read, with the links that later records may need."""
        self._archive_touches()
        self._reading.records += self._links.needed()
        return self._reading

    def _pass_over(self, text: bytes) -> None:
        """Count a line of machinery, and remember its place in the chain of parents, without parsing it."""
        kind = _kind_of_line(text)
        if kind is None or kind.partition(":")[0] not in _MACHINERY:
            self._sort_all(parse_line(text))
            return
        self._reading.skipped[kind] += 1
        uuid = _found(_UUID, text, text.rfind(b'"uuid":'))
        if uuid is not None:
            self._links.add(uuid, _found(_PARENT, text, text.find(b'"parentUuid":')))

    def _sort_all(self, parsed: Parsed) -> None:
        for record in parsed.objects:
            self._sort(record)
        if parsed.damaged:
            self._reading.skipped["damaged"] += parsed.damaged

    def _sort(self, record: Json) -> None:
        """Archive a record that holds words, or pass it over by the name of its kind."""
        kind = record.get("type")
        if not isinstance(kind, str):
            self._reading.skipped["no type"] += 1
            return
        name = _name(record, kind)
        silent = silence(record) if kind in {"user", "assistant"} else None
        if silent is not None:
            self._skip(record, silent)
        elif kind == "assistant" and (blocks := tool_uses(record)):
            self._reading.used += 1
            self._gather(record, blocks)
        elif kind in _USED or name in _USED_PARTS:
            self._reading.used += 1
            self._archive(record)
        elif kind in _MACHINERY:
            self._skip(record, name)
        else:
            self._skip(record, f"unknown:{kind}")
            self._keep_unknown(record)

    def _archive(self, record: Json) -> None:
        self._archive_touches()
        self._links.point(record)
        self._reading.records.append(self._slimmer.slim(record))

    def _gather(self, record: Json, blocks: list[Json]) -> None:
        if not self._touches.follows(record):
            self._archive_touches()
        self._touches.add(record, blocks)

    def _archive_touches(self) -> None:
        self._reading.records += [self._slimmer.slim(record) for record in self._touches.take()]

    def _skip(self, record: Json, reason: str) -> None:
        self._reading.skipped[reason] += 1
        if isinstance(uuid := record.get("uuid"), str):
            parent = record.get("parentUuid") or record.get("logicalParentUuid")
            self._links.add(uuid, parent if isinstance(parent, str) else None)

    def _keep_unknown(self, record: Json) -> None:
        slim = self._slimmer.slim(record)
        if len(slim) <= _MAX_UNKNOWN:
            self._reading.records.append(slim)


def _may_talk(text: bytes) -> bool:
    """Say whether a line has to be parsed: it may hold conversation, or several records."""
    return _TALK.search(text) is not None or any(
        text[max(0, start.start() - 8) : start.start()].rstrip()[-1:] not in _INSIDE
        for start in _START.finditer(text, 1)
    )


def _found(pattern: re.Pattern[bytes], text: bytes, start: int) -> str | None:
    match = pattern.match(text, start) if start >= 0 else None
    return match.group(1).decode("utf-8", "replace") if match else None


def _kind_of_line(text: bytes) -> str | None:
    """Name a line's kind: by what is attached, by its subtype, else by the first type it names."""
    if attached := _found(_ATTACHMENT, text, text.find(b'"attachment":')):
        return f"attachment:{attached}"
    first = _TYPE.search(text)
    kind = first.group(1).decode() if first else None
    subtype = _found(_SUBTYPE, text, text.find(b'"subtype":')) if kind == "system" else None
    return f"system:{subtype}" if subtype else kind


def _name(record: Json, kind: str) -> str:
    if kind == "system":
        return f"system:{record.get('subtype') or 'plain'}"
    if kind == "attachment":
        inner = record.get("attachment")
        return f"attachment:{inner.get('type') if isinstance(inner, dict) else 'plain'}"
    return kind
