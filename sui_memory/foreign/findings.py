"""What a foreign file holds, before it is redacted and stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from sui_memory.store.kept import LinkType, Note
from sui_memory.text import scrub_surrogates
from sui_memory.types import Exchange

BYTES_LIMIT = 500_000_000
"""The largest file that is read: parsed, JSON takes some five times its size in memory."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """Something that was kept elsewhere. `place` is its identity there: other words at it replace the old."""

    place: str
    text: str
    note: Note
    at: datetime | None
    file: str


@dataclass(frozen=True, slots=True)
class Tied:
    """A link from what was kept at one place to what was kept at another."""

    source: str
    target: str
    type: LinkType
    note: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Scene:
    """An episode: the places of its memories, and its own."""

    place: str
    title: str
    summary: str
    members: tuple[str, ...]
    participants: tuple[str, ...]
    at: datetime | None


Finding = Remembered | Exchange | Tied | Scene


def digest(*parts: str) -> str:
    """Return 32 hexadecimal digits that stand for these texts."""
    return blake2b("\n".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()


def moment(value: Any) -> datetime | None:
    """Return a time in UTC, given as ISO 8601 or as seconds since 1970; without a zone it is local.

    None where there is none, or none that could be shown everywhere.
    """
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value.strip()).astimezone(UTC)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found = datetime.fromtimestamp(value, UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return found if 1 < found.year < 9999 else None


def words(value: Any) -> str:
    """Return a text; of anything else, nothing."""
    return scrub_surrogates(value) if isinstance(value, str) else ""


def listed(value: Any) -> tuple[str, ...]:
    """Return the parts of a text between commas."""
    return tuple(part.strip() for part in words(value).split(",") if part.strip())


def items(value: Any) -> list[Any]:
    """Return a list; of anything else, an empty one."""
    return value if isinstance(value, list) else []


def fields(value: Any) -> dict[str, Any]:
    """Return an object; of anything else, an empty one."""
    return value if isinstance(value, dict) else {}
