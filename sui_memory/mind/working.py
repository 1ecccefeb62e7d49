"""Working memory: what was called to mind of late, by an activation that decays."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from sui_memory.errors import StoreError
from sui_memory.mind.finding import at_rest
from sui_memory.mind.ports import Active, Ports, Refreshed
from sui_memory.store.kept import Activation
from sui_memory.types import Memory

HALF_LIFE = timedelta(hours=1)
"""After which one access counts half: the length of a sitting at work."""

DECAYED = 0.05
"""Activation below which a memory is no longer in mind: one access 4.3 hours ago."""

_WINDOW = timedelta(days=1)  # after 24 half-lives an access counts 6e-8
_EVENTS = 2_000


class Seen(Protocol):
    """Something found that shows a memory."""

    @property
    def memory(self) -> Memory:
        """The memory that is shown."""


_Seen = TypeVar("_Seen", bound=Seen)


def noted(found: Sequence[_Seen], *, ports: Ports) -> list[_Seen]:
    """Return what was found, and note that it was called to mind together, if that can be written now."""
    if found:
        # An archive that is busy, or may only be read, can be searched all the same.
        with suppress(StoreError):
            ports.store.kept.activate([item.memory.id for item in found], ports.clock())
    return list(found)


def activations(events: Sequence[Activation], now: datetime) -> dict[str, float]:
    """Return id → activation: the sum over its accesses of 0.5^(age / half-life).

    Like the base level of ACT-R (Anderson and Schooler 1991), it grows with frequency and recency; theirs
    decays as a power of the age, over a life, this one exponentially, over a day. A time yet to come counts
    as now.
    """
    levels: dict[str, float] = {}
    for event in events:
        age = max(timedelta(0), now - event.at)
        levels[event.memory_id] = levels.get(event.memory_id, 0.0) + 0.5 ** (age / HALF_LIFE)
    return levels


def refreshed(*, ports: Ports) -> Refreshed:
    """Return working memory as it is now, the most active first, and what has decayed out of it."""
    now = ports.clock()
    events = ports.store.kept.activations(now - _WINDOW, _EVENTS)
    levels = activations(events, now)
    resting = at_rest(list(levels), ports.store)
    order = sorted((name for name in levels if name not in resting), key=lambda name: (-levels[name], name))
    last: dict[str, datetime] = {}
    for event in events:  # the latest first
        last.setdefault(event.memory_id, event.at)
    active = [name for name in order if levels[name] >= DECAYED]
    return Refreshed(
        tuple(Active(memory, levels[memory.id], last[memory.id]) for memory in ports.store.get(active)),
        tuple(name for name in order if levels[name] < DECAYED),
    )
