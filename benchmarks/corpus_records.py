"""Writes records as Claude Code does: envelopes, parent chains, one content block per line."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

Fields = dict[str, Any]

_UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Era:
    """What Claude Code wrote into its transcripts over some releases."""

    since: str  # first day, ISO
    versions: tuple[str, ...]
    model: str
    progress: bool = False  # progress records in the parent chain (2.1.12 to 2.1.68)
    attachments: bool = False  # attachment records, entrypoint and prompt sources (2.1.114 and later)
    wire_copies: bool = False  # prompt_snapshot and api-request-* records (from autumn 2026)
    subagent_folder: bool = False  # <session>/subagents/ instead of beside the session


ERAS = (
    Era("2025-06-01", ("1.0.24", "1.0.44", "1.0.53", "1.0.83", "1.0.102"), "claude-sonnet-4-20250514"),
    Era("2025-10-01", ("2.0.14", "2.0.37", "2.0.53", "2.0.76"), "claude-sonnet-4-5-20250929"),
    Era(
        "2026-01-08",
        ("2.1.12", "2.1.17", "2.1.29", "2.1.39", "2.1.42", "2.1.68"),
        "claude-opus-4-6",
        progress=True,
        subagent_folder=True,
    ),
    Era(
        "2026-04-10",
        ("2.1.114", "2.1.141", "2.1.167", "2.1.212"),
        "claude-opus-4-8",
        attachments=True,
        subagent_folder=True,
    ),
    Era(
        "2026-08-25",
        ("2.1.263", "2.1.284", "2.1.310", "2.1.332"),
        "claude-opus-5",
        attachments=True,
        wire_copies=True,
        subagent_folder=True,
    ),
)


def uuid4(rng: Random) -> str:
    """Return a version 4 uuid; the variant is always `a`, so that `_UUID` finds no other number."""
    digits = f"{rng.getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


def era_at(moment: datetime) -> Era:
    """Return the era that `moment` falls into."""
    day = moment.date().isoformat()
    return next(era for era in reversed(ERAS) if era.since <= day or era is ERAS[0])


@dataclass(slots=True)
class Tally:
    """Counts what was written, by kind of record, and the conversation in it (copies not counted twice)."""

    records: Counter[str] = field(default_factory=Counter)
    sizes: Counter[str] = field(default_factory=Counter)
    files: int = 0
    exchanges: int = 0
    sidechain_exchanges: int = 0
    automated_exchanges: int = 0
    conversation_chars: int = 0
    conversation_bytes: int = 0

    def wrote(self, kind: str, line: bytes) -> None:
        """Count one record."""
        self.records[kind] += 1
        self.sizes[kind] += len(line)

    def said(self, text: str) -> None:
        """Count text of a human or the assistant in the main conversation."""
        self.conversation_chars += len(text)
        self.conversation_bytes += len(text.encode())


@dataclass(frozen=True, slots=True)
class Header:
    """What all chained records of a session share."""

    session: str
    cwd: str
    branch: str
    version: str
    slug: str
    era: Era
    agent_id: str | None = None
    entrypoint: str = "cli"

    def fields(self, parent: str | None) -> Fields:
        """Return the first fields of a record below `parent`, in Claude Code's order."""
        head: Fields = {
            "parentUuid": parent,
            "isSidechain": self.agent_id is not None,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": self.version,
            "gitBranch": self.branch,
        }
        if self.agent_id:
            head["agentId"] = self.agent_id
        if self.era.attachments:
            head["entrypoint"] = self.entrypoint
        if not self.version.startswith("1."):
            head["slug"] = self.slug
        return head


class Transcript:
    """One session file in the making. `head` is the uuid that the next record hangs below."""

    def __init__(self, path: Path, header: Header, now: datetime, rng: Random, tally: Tally) -> None:
        self.path, self.header, self.now = path, header, now
        self.head: str | None = None
        self._rng, self._tally = rng, tally
        self._lines: list[bytes] = []

    def uuid(self) -> str:
        """Return a new uuid."""
        return uuid4(self._rng)

    def stamp(self, seconds: float = 0.0) -> str:
        """Let `seconds` pass and return the time as records write it."""
        self.now += timedelta(seconds=seconds, milliseconds=self._rng.randint(3, 900))
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def chain(self, kind: str, body: Fields, *, parent: str | None = None, seconds: float = 0.0) -> str:
        """Write a record below `parent` (default: the last one), make it the head, return its uuid."""
        uuid = self.uuid()
        tail = {"uuid": uuid, "timestamp": self.stamp(seconds)}
        self._write(kind, self.header.fields(parent or self.head) | body | tail)
        self.head = uuid
        return uuid

    def loose(self, kind: str, body: Fields) -> None:
        """Write a record that is not in the parent chain."""
        self._write(kind, body)

    def user(self, content: str | list[Fields], *, kind: str, seconds: float = 0.0, **extra: Any) -> str:
        """Write a record of role `user`, whoever spoke."""
        body = {"type": "user", "message": {"role": "user", "content": content}} | extra
        return self.chain(f"user/{kind}", body, seconds=seconds)

    def assistant(self, message_id: str, block: Fields, *, stop: str | None = None) -> str:
        """Write one content block of the assistant's message `message_id`."""
        message = {
            "model": self.header.era.model,
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "content": [block],
            "stop_reason": stop if self.header.era.wire_copies else None,
            "stop_sequence": None,
            "usage": self._usage(),
        }
        body = {"message": message, "requestId": f"req_01{message_id[6:]}", "type": "assistant"}
        return self.chain(f"assistant/{block['type']}", body, seconds=2)

    def system(self, subtype: str, **body: Any) -> str:
        """Write a record of type `system`."""
        return self.chain(f"system/{subtype}", {"type": "system", "subtype": subtype} | body)

    def attachment(self, subtype: str, **body: Any) -> str:
        """Write a record of type `attachment`."""
        inner = {"type": subtype} | body
        return self.chain(f"attachment/{subtype}", {"attachment": inner, "type": "attachment"})

    def progress(self, subtype: str, tool_use: str, **body: Any) -> str:
        """Write a record of type `progress` for the running `tool_use`."""
        inner = {"type": subtype} | body
        links = {"toolUseID": tool_use, "parentToolUseID": tool_use}
        return self.chain(f"progress/{subtype}", {"type": "progress", "data": inner} | links)

    def beside(self, path: Path, header: Header) -> Transcript:
        """Return an empty file that shares this one's clock, chance and tally."""
        return Transcript(path, header, self.now, self._rng, self._tally)

    def repeat_last(self) -> None:
        """Write the last record once more, as a resume does."""
        self._append("copied", self._lines[-1])

    def fork(self, path: Path, session: str, *, fresh_uuids: bool) -> Transcript:
        """Return a new session that starts with copies of all records so far.

        Up to 2.0 a resume copied under fresh uuids; a later fork keeps the uuids.
        """
        twin = self.beside(path, replace(self.header, session=session))
        names = {self.header.session.encode(): session.encode()}

        def renamed(found: re.Match[bytes]) -> bytes:
            fresh = self.uuid().encode() if fresh_uuids else found.group()
            return names.setdefault(found.group(), fresh)

        for line in self._lines:
            twin._append("copied", _UUID.sub(renamed, line))
        head = (self.head or "").encode()
        twin.head = names.get(head, head).decode() or None
        return twin

    def close(self) -> None:
        """Write the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(b"".join(self._lines))
        self._tally.files += 1

    def _usage(self) -> Fields:
        return {
            "input_tokens": 4,
            "cache_creation_input_tokens": self._rng.randint(50, 30_000),
            "cache_read_input_tokens": self._rng.randint(10_000, 150_000),
            "output_tokens": self._rng.randint(1, 900),
            "service_tier": "standard",
        }

    def _write(self, kind: str, record: Fields) -> None:
        self._append(kind, json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

    def _append(self, kind: str, line: bytes) -> None:
        self._lines.append(line)
        self._tally.wrote(kind, line)
