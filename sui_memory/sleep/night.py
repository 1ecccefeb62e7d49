"""One night over a store: look at all kept memories, and change what the plan says in one transaction."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol

from sui_memory.language import cut
from sui_memory.sleep.planning import Plan, plan
from sui_memory.sleep.rules import NIGHT, Thresholds
from sui_memory.store.kept import Kept, Kinds, Slept
from sui_memory.types import Analyzer, Indexed

_ALL = 1_000_000
_NIGHT_HOURS = range(1, 6)  # local time
_MISSED = timedelta(hours=24)


class HasKept(Protocol):
    """A store that has kept memories."""

    @property
    def kept(self) -> Kept:
        """The kept memories."""


def look(store: HasKept, now: datetime, thresholds: Thresholds = Thresholds()) -> Plan:
    """Return what a sleep would do now, and change nothing. Dates in summaries are of `now`'s time zone."""
    memories = store.kept.recent(Kinds(), limit=_ALL)
    ids = [kept.id for kept in memories]
    return plan(
        memories,
        store.kept.vectors(ids),
        store.kept.in_episodes(ids),
        now,
        slept_at=store.kept.slept_at(),
        thresholds=thresholds,
    )


def apply(what: Plan, store: HasKept, analyzer: Analyzer) -> None:
    """Do what a plan says, all of it or nothing, and have the store remember when that was.

    A night in which nothing could fade is no new one: it does not put off the next.
    """
    store.kept.sleep(
        Slept(
            merged=tuple(
                (Indexed(merge.summary, cut(merge.summary, analyzer)), merge.note) for merge in what.merged
            ),
            faded={fade.memory_id: fade.after for fade in what.faded},
            forgotten=tuple(gone.memory_id for gone in what.forgotten),
            at=None if what.rested else what.now,
        )
    )


def is_bedtime(now: datetime, slept_at: datetime | None) -> bool:
    """Say whether an idle daemon sleeps now (local time): once a night, or when the last one was missed."""
    if slept_at is None:
        return True
    since = now - slept_at
    return since >= _MISSED or (now.hour in _NIGHT_HOURS and since >= NIGHT)
