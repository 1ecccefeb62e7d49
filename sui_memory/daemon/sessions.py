"""What the daemon remembers of the sessions it serves: less than the ledger, but at once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from sui_memory.daemon.invocation import Invocation

_MOST_SESSIONS = 1_000
_REPEAT_SECONDS = 10.0
"""Two handlers of one prompt start together; nobody types the same prompt again this soon and means it."""


@dataclass(slots=True)
class _Session:
    shown: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    last_prompt: str = ""
    last_at: float = float("-inf")
    started: tuple[int, Invocation] | None = None


class Sessions:
    """The latest sessions; the longest silent ones are forgotten."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    def is_repeated(self, session: str, prompt: str, at: float) -> bool:
        """Say whether this prompt, named by its id, was asked just now: hooks may be registered twice."""
        known = self._of(session)
        repeated = known.last_prompt == prompt and at - known.last_at < _REPEAT_SECONDS
        known.last_prompt, known.last_at = prompt, at
        return repeated

    def shown(self, session: str) -> frozenset[str]:
        """Return the memories a session was shown, as far as the ledger may not have them yet."""
        return frozenset(self._of(session).shown)

    def show(self, session: str, memory_ids: Iterable[str]) -> None:
        """Note that a session was shown memories."""
        self._of(session).shown.update(memory_ids)

    def told(self, session: str) -> frozenset[str]:
        """Return the names of the lessons and reminders a session was told since its last compaction.

        Only the daemon knows: after it has ended, a session may be told once more.
        """
        return frozenset(self._of(session).told)

    def tell(self, session: str, names: Iterable[str]) -> None:
        """Note that a session was told lessons and reminders."""
        self._of(session).told.update(names)

    def compact(self, session: str) -> None:
        """Forget what a session was shown and told: its context no longer holds it."""
        self._of(session).shown.clear()
        self._of(session).told.clear()

    def invocation(self, session: str, pid: int | None) -> Invocation | None:
        """Return how the process that a session goes on in was started, if that was found out."""
        started = self._of(session).started
        return started[1] if started and started[0] == pid else None

    def begin(self, session: str, pid: int, invocation: Invocation) -> None:
        """Note how a process was started that a session begins or goes on in."""
        self._of(session).started = pid, invocation

    def _of(self, session: str) -> _Session:
        known = self._sessions.setdefault(session, _Session())
        self._sessions.move_to_end(session)
        if len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return known
