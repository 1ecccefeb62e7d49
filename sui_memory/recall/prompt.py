"""What a prompt brings to mind: memories that answer it on evidence, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sui_memory.types import Hit, Vector

Embed = Callable[[str], Vector | None]
"""Gives the vector of a cue, or None when there is no model or it would take too long."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a person, or a program, has just said to the assistant.

    `session` and `transcript` tell which memories are before its eyes already, `project` is the folder it
    is in. `shown` are ids that this session was shown since its last compaction, at `compacted_at`.
    """

    text: str
    session: str
    now: datetime
    project: str | None = None
    transcript: str | None = None
    shown: frozenset[str] = frozenset()
    compacted_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Recollection:
    """The memories for a prompt, best first, or none and the reason for silence.

    `terms` are the words of the cue, by which the part of an answer is chosen that answers. `refused` are
    the best hits that the bar turned away. `late` says that the model's vector did not come in time.
    """

    hits: tuple[Hit, ...] = ()
    silence: str | None = None
    terms: tuple[str, ...] = ()
    refused: tuple[Hit, ...] = ()
    late: bool = False
