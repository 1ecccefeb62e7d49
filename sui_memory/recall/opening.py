"""What a new session of a project may be told: what was open when the last ones ended."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from datetime import datetime, timedelta

from sui_memory.store.base import MemoryStore
from sui_memory.store.kept import KEPT
from sui_memory.types import Memory, Scope, Status

RECENT = timedelta(days=14)
"""Nothing older is brought up: work left for two weeks was dropped, or is found by asking."""

_SESSIONS = 3  # the latest ones that are looked at


def opening(
    project: str | None,
    *,
    store: MemoryStore,
    now: datetime,
    session: str | None = None,
    limit: int = 2,
) -> tuple[Memory, ...]:
    """Return how the last sessions of a project ended, the latest first: what was cut off, else all.

    `session` is the one that begins, or goes on; its own words are before its eyes. Muted memories, automated
    sessions, abandoned branches and what was kept on purpose, which is no talk, are left out.
    """
    if project is None:
        return ()
    scope = Scope(project=project, since=now - RECENT, abandoned=False, muted=False)
    rows = store.sessions(scope, _SESSIONS + 2)
    names = [row.session for row in rows if row.session not in (session, KEPT)][:_SESSIONS]
    ends = [end for name in names if (end := _end(name, scope, store))]
    cut_off = [end for end in ends if end.exchange.status is not Status.COMPLETE]
    return tuple((cut_off or ends)[:limit])


def _end(session: str, scope: Scope, store: MemoryStore) -> Memory | None:
    """Return the last exchange of a session."""
    last = deque(store.scan(replace(scope, session=session)), maxlen=1)
    return last[0] if last else None
