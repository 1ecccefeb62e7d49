"""What may be given: a check ends in the value as it is stored, or in one sentence that names the rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum
from math import isfinite
from typing import TypeVar

from sui_memory.errors import UsageError
from sui_memory.text import clean

Redact = Callable[[str], tuple[str, int]]

CHARACTERS = 20_000
"""Of one kept memory: all of it is indexed, since a side is indexed up to 24,000."""

_TAGS, _TAG_CHARACTERS = 20, 50
_MOST = 100  # memories of one answer: more than a model should be given

_Choice = TypeVar("_Choice", bound=StrEnum)


def choice(kind: type[_Choice], value: str, name: str, *, but: Sequence[_Choice] = ()) -> _Choice:
    """Return the member of an enumeration that a value names, none of `but`."""
    members = [member for member in kind if member not in but]
    for member in members:
        if member.value == value:
            return member
    raise UsageError(f"{name} must be one of {', '.join(members)}, not {str(value)[:50]!r}.")


def whole(value: int, low: int, high: int, name: str) -> int:
    """Return a whole number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise UsageError(f"{name} must be a whole number from {low} to {high}, not {str(value)[:50]}.")
    return value


def number(value: float, low: float, high: float, name: str) -> float:
    """Return a finite number from `low` to `high`."""
    if isinstance(value, bool) or not isfinite(value) or not low <= value <= high:
        raise UsageError(f"{name} must be a number from {low:g} to {high:g}, not {str(value)[:50]}.")
    return float(value)


def count(n: int) -> int:
    """Return how many results are wanted: from 1 to 100."""
    return whole(n, 1, _MOST, "The number of results")


def words(text: str, name: str, redact: Redact, *, limit: int = CHARACTERS) -> str:
    """Return a text clean and redacted; one that is empty or longer than `limit` characters is refused."""
    if len(text) > limit:
        raise UsageError(f"{name} has {len(text):,} characters: at most {limit:,} are kept.")
    masked, _ = redact(clean(text))
    if not masked.strip():
        raise UsageError(f"{name} is empty: there must be some text.")
    return masked


def asked(text: str, name: str, *, limit: int = CHARACTERS) -> str:
    """Return what is asked for, clean; it is stored nowhere."""
    return words(text, name, lambda text: (text, 0), limit=limit)


def tags(given: Sequence[str], redact: Redact) -> tuple[str, ...]:
    """Return tags redacted and each once, in order: at most 20 of at most 50 characters."""
    if isinstance(given, str) or len(given) > _TAGS:
        raise UsageError(f"Tags must be a list of at most {_TAGS} words.")
    return tuple(dict.fromkeys(words(tag, "A tag", redact, limit=_TAG_CHARACTERS) for tag in given))


def moment(at: datetime | None, name: str) -> datetime | None:
    """Return a time that knows its offset from UTC, or none."""
    if at is not None and at.tzinfo is None:
        raise UsageError(f"{name} needs an offset from UTC, as in 2026-03-02T10:00+09:00.")
    return at
