"""How an exchange becomes a row of `exchanges` and one of `texts`, and both a memory again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sui_memory.types import Branch, Exchange, Memory, Status

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_UUID_BYTES = 16

# What of a row of `exchanges` comes from the exchange, in the order of `values`.
COLUMNS = (
    "name",
    "key",
    "fingerprint",
    "auto",
    "sidechain",
    "plan",
    "branch",
    "status",
    "border",
    "asked_at",
    "answered_at",
    "session",
    "project",
    "agent",
    "version",
    "cwd",
    "git_branch",
    "files",
    "tools",
    "uuids",
)
MEMORY_COLUMNS = ", ".join(
    [f"e.{column}" for column in ("pinned", "edited", *COLUMNS[1:])]
    + ["t.followups", "t.question", "t.answer"]
)
MEMORY_TABLES = "exchanges e join texts t on t.exchange_id = e.id"


def values(exchange: Exchange) -> tuple[Any, ...]:
    """Return the values of `COLUMNS`."""
    return (
        exchange.id,
        exchange.key,
        exchange.fingerprint,
        exchange.auto,
        exchange.sidechain,
        exchange.plan,
        exchange.branch.value,
        exchange.status.value,
        len(exchange.human),
        to_microseconds(exchange.asked_at),
        to_microseconds(exchange.answered_at),
        exchange.session,
        exchange.project,
        exchange.agent,
        exchange.version,
        exchange.cwd,
        exchange.git_branch,
        _to_json(exchange.files),
        _to_json(exchange.tools),
        _pack(exchange.uuids),
    )


def text_values(exchange: Exchange) -> tuple[str, str, str]:
    """Return the follow-ups, the question and the answer as `texts` keeps them."""
    return _to_json(exchange.followups), exchange.question, exchange.answer


def memory(row: Sequence[Any]) -> Memory:
    """Return the memory of a row of `MEMORY_COLUMNS`."""
    pinned, edited, *fields = row
    return Memory(_exchange(fields), pinned=bool(pinned), edited=bool(edited))


def _exchange(fields: Sequence[Any]) -> Exchange:
    key, fingerprint, auto, sidechain, plan, branch, status, _border, asked_at, answered_at, *rest = fields
    session, project, agent, version, cwd, git_branch, files, tools, uuids, followups, question, answer = rest
    return Exchange(
        key=key,
        fingerprint=fingerprint,
        session=session,
        project=project,
        question=question,
        answer=answer,
        followups=tuple(json.loads(followups)),
        status=Status(status),
        branch=Branch(branch),
        sidechain=bool(sidechain),
        auto=bool(auto),
        plan=bool(plan),
        agent=agent,
        version=version,
        cwd=cwd,
        git_branch=git_branch,
        asked_at=to_datetime(asked_at),
        answered_at=to_datetime(answered_at),
        files=tuple(json.loads(files)),
        tools=tuple(json.loads(tools)),
        uuids=_unpack(uuids),
    )


def to_microseconds(moment: datetime | None) -> int | None:
    """Return microseconds since 1970 UTC; exact, unlike `timestamp()`."""
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def to_datetime(microseconds: int | None) -> datetime | None:
    """Return the UTC time that `to_microseconds` was given."""
    return None if microseconds is None else _EPOCH + timedelta(microseconds=microseconds)


def _to_json(texts: tuple[str, ...]) -> str:
    return json.dumps(texts, ensure_ascii=False, separators=(",", ":")) if texts else "[]"


def _pack(uuids: tuple[str, ...]) -> bytes | str:
    """Return 16 bytes for each uuid (a long answer has dozens), or JSON when one is not canonical."""
    try:
        packed = b"".join(UUID(uuid).bytes for uuid in uuids)
    except ValueError:
        return _to_json(uuids)
    return packed if _unpack(packed) == uuids else _to_json(uuids)


def _unpack(packed: bytes | str) -> tuple[str, ...]:
    if isinstance(packed, str):
        return tuple(json.loads(packed))
    starts = range(0, len(packed), _UUID_BYTES)
    return tuple(str(UUID(bytes=packed[start : start + _UUID_BYTES])) for start in starts)
