"""The SQLite side of `Kept`: notes, links, episodes and activations beside the memories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path

import apsw

from sui_memory.store.base import Committed
from sui_memory.store.kept import Activation, Episode, KeptMemory, Kinds, Link, LinkType, Medium, Note, Slept
from sui_memory.store.sqlite import (
    activations,
    committing,
    directions,
    episodes,
    links,
    marking,
    media,
    notes,
    resting,
    wording,
)
from sui_memory.store.sqlite.connection import value, writing
from sui_memory.store.sqlite.links import write as write_links
from sui_memory.store.sqlite.side import Side
from sui_memory.store.sqlite.wording import Redact
from sui_memory.types import Analyzer, Indexed, Vector

_COUNTS = {
    "notes": "select count(*) from notes",
    "links": "select count(*) from links",
    "episodes": "select count(*) from episodes",
    "activations": "select count(*) from activations",
    "media": "select count(*) from media",
    "resting": "select count(*) from exchanges where rest is not null",
}
_ANY = Kinds()
_AT_ONCE = 16  # memories deleted in one transaction: each costs some 20 ms, and other writers wait


class SqliteKept(Side):
    """A `Kept` on the store's own connection and thread.

    `index` gives the connection to what writes into the index, and refuses while another analysis made it.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        path: Path,
        analyzer: Analyzer,
        index: Callable[[], AbstractContextManager[apsw.Connection]],
    ) -> None:
        super().__init__(connection, path)
        self._analyzer = analyzer
        self._index = index

    def keep(self, indexed: Indexed, note: Note, medium: Medium | None = None) -> None:
        """See `Kept.keep`."""
        with self._index() as connection, writing(connection):
            if committing.stored_by_key(connection, [indexed.exchange.key]):
                return
            committing.insert(connection, [(indexed, None, committing.UNMARKED)], self._analyzer)
            _attach(connection, indexed.exchange.id, note, medium)

    def annotate(self, memory_id: str, note: Note) -> None:
        """See `Kept.annotate`."""
        with self._write() as connection:
            notes.rewrite(connection, memory_id, note)

    def restore(
        self, memories: Sequence[tuple[KeptMemory, Indexed, Medium | None]], *, revive: bool = False
    ) -> Committed:
        """See `Kept.restore`."""
        pairs = [(one.memory, indexed) for one, indexed, _ in memories]
        with self._index() as connection, writing(connection):
            new = marking.restore_missing(connection, self._analyzer, pairs, revive=revive)
            for one, indexed, medium in memories:
                if indexed.exchange.key in new:
                    _attach(connection, one.id, one.note, medium)
        return Committed(new=len(new))

    def reword(self, redact: Redact, *, dry_run: bool = False) -> int:
        """See `Kept.reword`."""
        with self._read() as connection:
            reworded = wording.find(connection, redact)
        if not dry_run:
            with self._write() as connection:
                wording.replace(connection, reworded)
        return sum(text.values for text in reworded)

    def notes(self, ids: Sequence[str]) -> dict[str, Note]:
        """See `Kept.notes`."""
        with self._read() as connection:
            return notes.of(connection, ids)

    def summaries(self, ids: Sequence[str]) -> frozenset[str]:
        """See `Kept.summaries`."""
        with self._read() as connection:
            return notes.summaries(connection, ids)

    def recent(self, kinds: Kinds = _ANY, limit: int = 10, offset: int = 0) -> list[KeptMemory]:
        """See `Kept.recent`."""
        with self._read() as connection:
            return notes.recent(connection, kinds, limit, offset)

    def medium(self, memory_id: str) -> Medium | None:
        """See `Kept.medium`."""
        with self._read() as connection:
            return media.of(connection, memory_id)

    def seen_from(self, pan_angle: float, tilt_angle: float, tolerance: float) -> list[KeptMemory]:
        """See `Kept.seen_from`."""
        with self._read() as connection:
            return media.seen_from(connection, pan_angle, tilt_angle, tolerance)

    def activate(self, ids: Sequence[str], at: datetime) -> None:
        """See `Kept.activate`."""
        with self._write() as connection:
            activations.add(connection, ids, at)

    def activations(self, since: datetime | None = None, limit: int = 200) -> list[Activation]:
        """See `Kept.activations`."""
        with self._read() as connection:
            return activations.latest(connection, since, limit)

    def link(self, links: Sequence[Link]) -> int:
        """See `Kept.link`."""
        with self._write() as connection:
            return write_links(connection, links)

    def unlink(self, source_id: str, target_id: str, type: LinkType | None = None) -> int:
        """See `Kept.unlink`."""
        with self._write() as connection:
            return links.delete(connection, source_id, target_id, type)

    def strengthen(self, pairs: Sequence[tuple[str, str]], by: float) -> int:
        """See `Kept.strengthen`."""
        with self._write() as connection:
            return links.strengthen(connection, pairs, by)

    def links(self, ids: Sequence[str]) -> list[Link]:
        """See `Kept.links`."""
        with self._read() as connection:
            return links.of(connection, ids)

    def create_episode(self, episode: Episode) -> Episode:
        """See `Kept.create_episode`."""
        with self._write() as connection:
            return episodes.create(connection, episode)

    def episode(self, episode_id: str) -> Episode | None:
        """See `Kept.episode`."""
        with self._read() as connection:
            return episodes.one(connection, episode_id)

    def episodes(self, limit: int = 50) -> list[Episode]:
        """See `Kept.episodes`."""
        with self._read() as connection:
            return episodes.newest(connection, limit)

    def in_episodes(self, ids: Sequence[str]) -> frozenset[str]:
        """See `Kept.in_episodes`."""
        with self._read() as connection:
            return episodes.members(connection, ids)

    def sleep(self, slept: Slept) -> None:
        """See `Kept.sleep`."""
        with self._index() as connection, writing(connection):
            resting.apply(connection, self._analyzer, slept)

    def slept_at(self) -> datetime | None:
        """See `Kept.slept_at`."""
        with self._read() as connection:
            return resting.slept_at(connection)

    def wake(self, ids: Sequence[str]) -> int:
        """See `Kept.wake`."""
        with self._write() as connection:
            return resting.wake(connection, ids)

    def vacuum(self) -> int:
        """See `Kept.vacuum`. No tombstone is left: from an export it may come back."""
        with self._read() as connection:
            keys = resting.forgotten(connection)
        batches = [keys[start : start + _AT_ONCE] for start in range(0, len(keys), _AT_ONCE)]
        with self._index() as connection:
            return sum(
                marking.forget(connection, self._analyzer, batch, {}, tombstone=False, expected=())
                for batch in batches
            )

    def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """See `Kept.vectors`."""
        with self._read() as connection:
            return directions.of(connection, ids)

    def sample(self, count: int, seed: int = 0) -> list[Vector]:
        """See `Kept.sample`."""
        with self._read() as connection:
            return directions.sample(connection, count, seed)

    def counts(self) -> dict[str, int]:
        """See `Kept.counts`."""
        with self._read() as connection:
            return {name: int(value(connection, query)) for name, query in _COUNTS.items()}


def _attach(connection: apsw.Connection, memory_id: str, note: Note, medium: Medium | None) -> None:
    notes.write(connection, memory_id, note)
    if medium:
        media.add(connection, memory_id, medium)
