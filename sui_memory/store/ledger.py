"""The contract of the ledger: what was put before which session, and why, or why nothing was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Protocol

from sui_memory.types import Usage

REFUSED = 3
"""Refused memories kept of an injection: as many as would have been shown."""


def prompt_hash(text: str) -> str:
    """Return 16 hexadecimal digits by which a prompt can be recognised, but not read."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory in an injection, with the score and the trace that brought it there, or kept it out."""

    memory_id: str
    score: float
    trace: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Injection:
    """How one hook of one session was answered: with memories, or with silence and its reason.

    `event` is the hook's name. `prompt_hash` recognises the prompt without keeping its words.
    `characters` are those of the block, `milliseconds` what the answer took, and `model` ranked by
    meaning, if one did in time; `late` says that one should have. `id` is 0 until it is recorded.
    `forgotten` counts the memories shown that are no longer in the archive. `refused` are the best that
    were found and not shown; no session has seen them.
    """

    at: datetime
    session: str
    event: str
    prompt_hash: str
    silence: str | None = None
    memories: tuple[Shown, ...] = ()
    characters: int = 0
    milliseconds: float = 0.0
    model: str | None = None
    late: bool = False
    id: int = 0
    forgotten: int = 0
    refused: tuple[Shown, ...] = ()


class Ledger(Protocol):
    """Remembers injections. Writes are one transaction each; failures are `StoreError`.

    What is forgotten is forgotten here, too: a memory in every injection that showed or refused it, and all
    of a session of which nothing is left.
    """

    def record(self, injection: Injection) -> int:
        """Store an injection and return its id, which only grows. The oldest go when there are many.

        Of the refused memories the first `REFUSED` are kept, and for less long; of traces six decimals.
        """

    def injections(
        self, limit: int, offset: int = 0, *, session: str | None = None, silent: bool = True
    ) -> list[Injection]:
        """Return injections, the newest first; without `silent` only those that showed something."""

    def injection(self, number: int) -> Injection | None:
        """Return the injection of that id, if it is still there."""

    def of_memory(self, memory_id: str, limit: int) -> list[Injection]:
        """Return the injections that showed a memory, the newest first; not those that refused it."""

    def shown(self, session: str) -> frozenset[str]:
        """Return the ids of the memories a session was shown since its context was last compacted."""

    def compact(self, session: str, at: datetime) -> None:
        """Note that the context of a session was compacted: what it was shown before is no longer there."""

    def compacted_at(self, session: str) -> datetime | None:
        """Return when the context of a session was last compacted, if it was."""

    def unjudged(self, session: str, limit: int) -> list[Injection]:
        """Return the injections into prompts of a session of which `judge` was not told, the newest first."""

    def judge(self, number: int, verdicts: Mapping[str, bool | None]) -> None:
        """Note of the memories of an injection, by id, whether they were used; None where that is unclear."""

    def feedback(self, memory_ids: Sequence[str]) -> dict[str, Usage]:
        """Return memory id → how often it was shown and used; those of which nothing is known are left out.

        Showings count as long as their injection is kept, and once it was judged.
        """

    def latest(self, events: Sequence[str]) -> datetime | None:
        """Return when a hook of these names was last answered."""
