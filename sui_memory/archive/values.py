"""Values of an export: each is read by a function that says in a `ValueError` what is wrong with it."""

from __future__ import annotations

import binascii
import math
from base64 import b64decode
from collections.abc import Mapping
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from sui_memory.text import clean

_Enum = TypeVar("_Enum", bound=StrEnum)


def text(name: str, value: Any) -> str:
    """Return a text, cleaned."""
    if not isinstance(value, str):
        raise ValueError(f"{name!r} is no text")
    return clean(value)


def text_or_none(name: str, value: Any) -> str | None:
    """Return a text, cleaned, or nothing."""
    return None if value is None else text(name, value)


def texts(name: str, value: Any) -> tuple[str, ...]:
    """Return texts, cleaned."""
    if not isinstance(value, list):
        raise ValueError(f"{name!r} is no list")
    return tuple(text(name, item) for item in value)


def flag(name: str, value: Any) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise ValueError(f"{name!r} is neither true nor false")
    return value


def moment(name: str, value: Any) -> datetime | None:
    """Return a time in UTC, or nothing; so near the end of the calendar, nothing."""
    if value is None:
        return None
    try:
        found = datetime.fromisoformat(text(name, value))
        if not MINYEAR < found.year < MAXYEAR:  # no room for zones: it could not be shown everywhere
            return None
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{name!r} is no time") from error


def member(name: str, value: Any, kinds: type[_Enum]) -> _Enum:
    """Return the member of an enumeration that a text names."""
    try:
        return kinds(value)
    except ValueError as error:
        raise ValueError(f"{name!r} is none of {', '.join(kinds)}") from error


def whole(name: str, value: Any, least: int, most: int) -> int:
    """Return a whole number from `least` to `most`."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{name!r} is no whole number from {least} to {most}")
    return value


def number(name: str, value: Any) -> float:
    """Return a number that is finite."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError(f"{name!r} is no number")
    return float(value)


def blob(name: str, value: Any) -> bytes:
    """Return the bytes that Base64 stands for."""
    try:
        return b64decode(text(name, value), validate=True)
    except binascii.Error as error:
        raise ValueError(f"{name!r} is no Base64") from error


def record(name: str, value: Any) -> Mapping[str, Any]:
    """Return an object of JSON."""
    if not isinstance(value, dict):
        raise ValueError(f"{name!r} is no object")
    return value
