"""From a transcript file to slim records: what is new behind an offset, and what was passed over."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from pydantic_core import to_json

from sui_memory.errors import TranscriptError
from sui_memory.transcript.lines import Line, read_lines
from sui_memory.transcript.records import Json, parse_line, tidy
from sui_memory.transcript.slim import Slimmer, silence

_MARGIN = 4096
"""Bytes hashed at the start of a file and right before the offset: enough to tell a rewritten one."""

_TALK = re.compile(rb'"type": ?"(?:user|assistant|queue-operation)"|"queued_command"|"compact_boundary"')
"""A line without any of these holds no conversation and is not parsed. Quotes inside a string are
escaped, so that quoted JSON never looks like this."""

_GLUED = re.compile(rb'[^\s:,\[{]\s*\{"(?:parentUuid|type|sessionId)"')
"""A record that starts right behind another one, or behind a torn one."""

_PARENT = re.compile(rb'"parentUuid": ?"([^"]+)"')
_UUID = re.compile(rb'"uuid": ?"([^"]+)"')
_ATTACHMENT = re.compile(rb'"attachment": ?\{"type": ?"([\w-]+)"')
_SUBTYPE = re.compile(rb'"type": ?"system", ?"subtype": ?"([\w-]+)"')
_TYPE = re.compile(rb'"type": ?"([\w-]+)"')

_USED = frozenset(("user", "assistant", "queue-operation"))
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
    reading = Reading(offset=offset)
    links = _Links()
    before = slimmer.redactions
    for line in read_lines(file, offset):
        _take(line, reading, links, slimmer)
    reading.records += links.needed()
    reading.bytes = reading.offset - offset
    reading.redactions = slimmer.redactions - before
    return reading


def _take(line: Line, reading: Reading, links: _Links, slimmer: Slimmer) -> None:
    if line.oversized:
        if line.complete:
            reading.skipped["oversized line"] += 1
            reading.offset = line.stop
        return
    text = tidy(line.text)
    if not text:
        reading.offset = line.stop if line.complete else reading.offset
        return
    if line.complete and not _TALK.search(text) and not _GLUED.search(text):
        _pass_over(text, reading, links, slimmer)
        reading.offset = line.stop
        return
    parsed = parse_line(text, complete=line.complete)
    if not line.complete and (not parsed.objects or len(text) != len(line.text)):
        return
    for record in parsed.objects:
        _keep(record, reading, links, slimmer)
    if parsed.damaged:
        reading.skipped["damaged"] += parsed.damaged
    reading.offset = line.stop - parsed.rest


def _pass_over(text: bytes, reading: Reading, links: _Links, slimmer: Slimmer) -> None:
    """Count a line of machinery, and remember its place in the chain of parents, without parsing it."""
    kind = _kind_of_line(text)
    if kind is None or kind.partition(":")[0] not in _MACHINERY:
        for record in parse_line(text).objects:
            _keep(record, reading, links, slimmer)
            return
        reading.skipped["damaged"] += 1
        return
    reading.skipped[kind] += 1
    uuids = _UUID.findall(text)
    if uuids:
        parent = _PARENT.search(text)
        links.add(
            uuids[-1].decode("utf-8", "replace"),
            parent.group(1).decode("utf-8", "replace") if parent else None,
        )


def _kind_of_line(text: bytes) -> str | None:
    if attachment := _ATTACHMENT.search(text):
        return f"attachment:{attachment.group(1).decode()}"
    if system := _SUBTYPE.search(text):
        return f"system:{system.group(1).decode()}"
    first = _TYPE.search(text)
    return first.group(1).decode() if first else None


def _keep(record: Json, reading: Reading, links: _Links, slimmer: Slimmer) -> None:
    """Archive a record that holds words, or pass it over by the name of its kind."""
    kind = record.get("type")
    if not isinstance(kind, str):
        reading.skipped["no type"] += 1
        return
    name = _name(record, kind)
    silent = silence(record) if kind in {"user", "assistant"} else None
    if silent is None and (kind in _USED or name in {"attachment:queued_command", "system:compact_boundary"}):
        reading.used += 1
        links.point(record)
        reading.records.append(slimmer.slim(record))
        return
    known = kind in _MACHINERY or silent is not None
    reading.skipped[silent or (name if known else f"unknown:{kind}")] += 1
    if isinstance(uuid := record.get("uuid"), str):
        parent = record.get("parentUuid") or record.get("logicalParentUuid")
        links.add(uuid, parent if isinstance(parent, str) else None)
    if not known:
        slim = slimmer.slim(record)
        reading.records += [slim] if len(slim) <= _MAX_UNKNOWN else []


def _name(record: Json, kind: str) -> str:
    if kind == "system":
        return f"system:{record.get('subtype') or 'plain'}"
    if kind == "attachment":
        inner = record.get("attachment")
        return f"attachment:{inner.get('type') if isinstance(inner, dict) else 'plain'}"
    return kind


class _Links:
    """The chain of parents through machinery: which passed-over record follows which.

    Only links that a later record may point at are archived: ends of chains, and parents of
    prompts (a rewind points there again). The others are bridged in the records themselves.
    """

    def __init__(self) -> None:
        self._parents: dict[str, str | None] = {}
        self._followed: set[str] = set()
        self._kept: set[str] = set()

    def add(self, uuid: str, parent: str | None) -> None:
        self._parents.setdefault(uuid, parent)
        if parent is not None:
            self._followed.add(parent)

    def point(self, record: Json) -> None:
        """Note whom a kept record follows; a tool result's parent needs no link, a prompt's does."""
        parent = record.get("parentUuid")
        if not isinstance(parent, str) or parent not in self._parents:
            return
        if record.get("type") == "user" and "toolUseResult" not in record:
            self._kept.add(parent)
            return
        self._followed.add(parent)
        record["parentUuid"] = self._bridge(parent) or parent

    def _bridge(self, uuid: str) -> str | None:
        """Return the nearest ancestor that was not passed over; None at the root or in a ring."""
        step: str | None = uuid
        seen: set[str] = set()
        while step in self._parents and step not in seen:
            seen.add(step)
            step = self._parents[step]
        return None if step in seen else step

    def needed(self) -> Iterator[bytes]:
        for uuid in self._parents:
            if uuid in self._kept or uuid not in self._followed:
                yield to_json({"type": "link", "uuid": uuid, "parentUuid": self._bridge(uuid)})
