"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How a check came out. A note is no fault, but may want doing something about."""

    OK = "ok"
    NOTE = "note"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check: what was found, and what to do about it unless it is fine."""

    check: str
    state: State
    found: str
    advice: str = ""
