"""What one night would change, told before anything is: merge, then fade what is left, then let go."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain

from sui_memory.sleep.likeness import Pair, alike_by_letters, alike_by_meaning, joined
from sui_memory.sleep.rules import (
    RETENTION_BAR,
    Thresholds,
    age_days,
    fades,
    is_let_go,
    protection,
    retention,
)
from sui_memory.sleep.summary import summary
from sui_memory.store.kept import KeptMemory, Note
from sui_memory.types import Exchange, Vector


@dataclass(frozen=True, slots=True)
class Merge:
    """Several memories that one summary will stand for; `likeness` is that of the pair least alike.

    `by` says how the pairs were compared: by meaning, by letters where there are no vectors, or both.
    """

    summary: Exchange
    note: Note
    likeness: float
    by: str


@dataclass(frozen=True, slots=True)
class Fade:
    """A memory whose importance drops, and how well it had held."""

    memory_id: str
    before: int
    after: int
    retention: float


@dataclass(frozen=True, slots=True)
class LetGo:
    """A memory that will be forgotten, softly: its age in days, and how often it was called to mind."""

    memory_id: str
    days: int
    accessed: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What a sleep at `now` does. `rested` says that memories have faded this night already.

    `seen` counts the memories looked at, `wordwise` those compared by letters because they have no vector.
    """

    now: datetime
    merged: tuple[Merge, ...] = ()
    faded: tuple[Fade, ...] = ()
    forgotten: tuple[LetGo, ...] = ()
    rested: bool = False
    seen: int = 0
    wordwise: int = 0

    @property
    def is_empty(self) -> bool:
        """Say whether nothing changes."""
        return not (self.merged or self.faded or self.forgotten)


def plan(
    memories: Sequence[KeptMemory],
    vectors: Mapping[str, Vector],
    in_episodes: Collection[str],
    now: datetime,
    *,
    slept_at: datetime | None = None,
    thresholds: Thresholds = Thresholds(),
) -> Plan:
    """Return what a sleep at `now` would do with the kept memories that are not at rest.

    `vectors` are id → unit vector, of those that have one. `in_episodes` are the ids that an episode holds:
    they may fade, but are neither merged away nor forgotten. `slept_at` is when the last sleep was.
    """
    open_to_change = [kept for kept in memories if protection(kept) is None]
    loose = [kept for kept in open_to_change if kept.id not in in_episodes]
    old = [kept for kept in loose if age_days(kept, now) > thresholds.min_age_days]
    merged = tuple(_merges(old, vectors, now, thresholds))
    gone = {source for merge in merged for source in merge.note.sources}
    is_night = fades(now, slept_at)
    faded = tuple(_fades((kept for kept in open_to_change if kept.id not in gone), now)) if is_night else ()
    importance = {fade.memory_id: fade.after for fade in faded}
    return Plan(
        now=now,
        merged=merged,
        faded=faded,
        forgotten=tuple(_let_go((kept for kept in loose if kept.id not in gone), importance, now)),
        rested=not is_night,
        seen=len(memories),
        wordwise=sum(kept.id not in vectors for kept in old),
    )


def _merges(
    old: Sequence[KeptMemory], vectors: Mapping[str, Vector], now: datetime, thresholds: Thresholds
) -> Iterator[Merge]:
    """Yield the groups of one category that say the same, the oldest first."""
    ordered = sorted(old, key=lambda kept: (kept.memory.exchange.asked_at or now, kept.id))
    for category in dict.fromkeys(kept.note.category for kept in ordered):
        same = [kept for kept in ordered if kept.note.category is category]
        by_meaning = _by_meaning(same, vectors, max(thresholds.similarity, thresholds.chance))
        by_letters = _by_letters(same, vectors, thresholds.similarity)
        for group in joined(chain(by_meaning, by_letters)):
            exchange, note = summary([same[place] for place in group.places], now)
            yield Merge(exchange, note, group.likeness, " and ".join(sorted(group.ways, reverse=True)))


def _by_meaning(same: Sequence[KeptMemory], vectors: Mapping[str, Vector], above: float) -> Iterator[Pair]:
    places = [place for place, kept in enumerate(same) if kept.id in vectors]
    for pair in alike_by_meaning([vectors[same[place].id] for place in places], above):
        yield replace(pair, first=places[pair.first], second=places[pair.second])


def _by_letters(same: Sequence[KeptMemory], vectors: Mapping[str, Vector], least: float) -> Iterator[Pair]:
    strange = frozenset(place for place, kept in enumerate(same) if kept.id not in vectors)
    if not strange:
        return iter(())
    texts = {place: kept.memory.exchange.text for place, kept in enumerate(same)}
    return alike_by_letters(texts, strange, least)


def _fades(memories: Iterable[KeptMemory], now: datetime) -> Iterator[Fade]:
    for kept in memories:
        before = kept.note.importance
        held = retention(kept.note, age_days(kept, now))
        if held < RETENTION_BAR and before > 1:
            yield Fade(kept.id, before, before - 1, held)


def _let_go(memories: Iterable[KeptMemory], importance: Mapping[str, int], now: datetime) -> Iterator[LetGo]:
    """Yield what goes, given the importance that is left after fading: else the next run would find it."""
    for kept in memories:
        note = replace(kept.note, importance=importance.get(kept.id, kept.note.importance))
        age = age_days(kept, now)
        if is_let_go(note, age):
            yield LetGo(kept.id, int(age), note.accessed)
