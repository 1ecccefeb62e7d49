"""How an exchange becomes a row of `exchanges` and one of `contents`, and both a memory again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any

from sui_memory.store.sqlite.packing import (
    packed_digest,
    packed_json,
    packed_uuid,
    packed_uuids,
    unpacked_digest,
    unpacked_json,
    unpacked_uuid,
    unpacked_uuids,
)
from sui_memory.types import Branch, Exchange, Memory, Status

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

# What of a row of `exchanges` comes from the exchange, in the order of `values`.
COLUMNS = (
    "name",
    "key",
    "fingerprint",
    "auto",
    "sidechain",
    "branch",
    "border",
    "size",
    "asked_at",
    "answered_at",
    "session",
    "project",
    "git_branch",
)
MEMORY_COLUMNS = """
    e.pinned, e.edited, e.muted, e.key, e.fingerprint, e.auto, e.sidechain, e.branch,
    e.asked_at, e.answered_at, e.session, e.project, e.git_branch, c.uuids, c.fields
"""
MEMORY_TABLES = "exchanges e join contents c on c.exchange_id = e.id"

# What no query asks for. A field that has its default is left out, so a default must never change.
_CONTENT = ("question", "answer", "followups", "cwd", "files", "tools", "plan", "status", "agent", "version")
_DEFAULTS = {field.name: field.default for field in fields(Exchange)}
_LISTS = ("followups", "files", "tools")


def values(exchange: Exchange) -> tuple[Any, ...]:
    """Return the values of `COLUMNS`."""
    return (
        exchange.id,
        packed_uuid(exchange.key),
        packed_digest(exchange.fingerprint),
        exchange.auto,
        exchange.sidechain,
        exchange.branch.value,
        len(exchange.human),
        len(exchange.text.encode()),
        to_microseconds(exchange.asked_at),
        to_microseconds(exchange.answered_at),
        packed_uuid(exchange.session),
        exchange.project,
        exchange.git_branch,
    )


def contents(exchange: Exchange) -> tuple[bytes | str, bytes | str]:
    """Return the uuids and all other fields as `contents` keeps them."""
    content = {name: value for name in _CONTENT if (value := getattr(exchange, name)) != _DEFAULTS[name]}
    return packed_uuids(exchange.uuids), packed_json(content)


def memory(row: Sequence[Any]) -> Memory:
    """Return the memory of a row of `MEMORY_COLUMNS`."""
    pinned, edited, muted, *columns = row
    return Memory(_exchange(columns), pinned=bool(pinned), edited=bool(edited), muted=bool(muted))


def _exchange(columns: Sequence[Any]) -> Exchange:
    key, fingerprint, auto, sidechain, branch, asked_at, answered_at, *rest = columns
    session, project, git_branch, uuids, packed = rest
    return Exchange(
        key=unpacked_uuid(key),
        fingerprint=unpacked_digest(fingerprint),
        session=unpacked_uuid(session),
        project=project,
        branch=Branch(branch),
        sidechain=bool(sidechain),
        auto=bool(auto),
        git_branch=git_branch,
        asked_at=to_datetime(asked_at),
        answered_at=to_datetime(answered_at),
        uuids=unpacked_uuids(uuids),
        **_content(packed),
    )


def _content(packed: bytes | str) -> dict[str, Any]:
    content = unpacked_json(packed)
    content.update({name: tuple(content[name]) for name in _LISTS if name in content})
    if "status" in content:
        content["status"] = Status(content["status"])
    return content


def to_microseconds(moment: datetime | None) -> int | None:
    """Return microseconds since 1970 UTC; exact, unlike `timestamp()`."""
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def to_datetime(microseconds: int | None) -> datetime | None:
    """Return the UTC time that `to_microseconds` was given."""
    return None if microseconds is None else _EPOCH + timedelta(microseconds=microseconds)
