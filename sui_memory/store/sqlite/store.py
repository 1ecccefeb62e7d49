"""The SQLite backend of `MemoryStore`: one file, one connection, one thread at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

import apsw

from sui_memory.errors import StoreError
from sui_memory.store.base import Change, Committed, ModelRow, Pending, SessionRow, Source
from sui_memory.store.sqlite import (
    committing,
    evidence,
    fulltext,
    maintenance,
    marking,
    memories,
    models,
    searching,
    sources,
    trigrams,
    vocabulary,
)
from sui_memory.store.sqlite.connection import connect, reading, value, writing
from sui_memory.store.sqlite.failures import reported
from sui_memory.store.sqlite.kept import SqliteKept
from sui_memory.store.sqlite.ledger import SqliteLedger
from sui_memory.store.sqlite.lessons import SqliteLessons
from sui_memory.store.sqlite.migrating import migrate, require_current, shipped
from sui_memory.store.sqlite.postings import Postings
from sui_memory.store.sqlite.searching import Frequencies
from sui_memory.store.sqlite.vectors import Vectors
from sui_memory.types import Analyzer, Indexed, Match, Memory, Scope, Vector

# Exchanges stored through one object, beyond which closing it merges the indexes: a second per 20,000.
_MANY = 1_000


def open_store(path: Path, *, analyzer: Analyzer, read_only: bool = False) -> SqliteStore:
    """Open the archive at `path`, making or upgrading it unless `read_only`; `StoreError` when that fails."""
    with reported(path):
        connection = connect(path, read_only=read_only)
        try:
            if read_only:
                require_current(connection, shipped(), path)
            else:
                migrate(connection, shipped(), path)
                _ensure_index(connection, analyzer)
        except BaseException:
            connection.close()
            raise
    return SqliteStore(connection, path, analyzer)


def _ensure_index(connection: apsw.Connection, analyzer: Analyzer) -> None:
    """Make the full-text tables of a new archive, or make them anew while they are still empty."""
    if _index_is_current(connection, analyzer):
        return
    with writing(connection):
        empty = value(connection, "select not exists (select 1 from passages)")
        if empty and not _index_is_current(connection, analyzer):
            fulltext.create(connection, analyzer)


def _index_is_current(connection: apsw.Connection, analyzer: Analyzer) -> bool:
    return fulltext.stored_analysis(connection) == fulltext.analysis_name(analyzer)


class SqliteStore:
    """A `MemoryStore` in one SQLite file. One object is for one thread at a time.

    Any number of processes may read while one writes; a second writer waits for the first. When the
    index was made by another analysis, reading goes on, but whatever would write into the index is
    refused until `rebuild_index` has run to its end.
    """

    def __init__(self, connection: apsw.Connection, path: Path, analyzer: Analyzer) -> None:
        self.path = path
        self._connection = connection
        self._analyzer = analyzer
        self._vectors = Vectors()
        self._frequencies = Frequencies("words")
        self._trigram_frequencies = Frequencies("trigrams")
        self._sounds = vocabulary.Sounds(analyzer)
        self._postings: Postings | None = None
        self._unmerged = 0
        self.ledger = SqliteLedger(connection, path)
        self.lessons = SqliteLessons(connection, path)
        self.kept = SqliteKept(connection, path, analyzer, self._index)

    def sources(self) -> dict[str, Source]:
        """See `MemoryStore.sources`."""
        with self._read() as connection:
            return sources.all_sources(connection)

    def source(self, path: str) -> Source | None:
        """See `MemoryStore.source`."""
        with self._read() as connection:
            return sources.one(connection, path)

    def family(self, path: str, keys: Iterable[str], fingerprints: Iterable[str]) -> list[Source]:
        """See `MemoryStore.family`."""
        with self._read() as connection:
            return sources.family(connection, path, keys, fingerprints)

    def segments(self, path: str) -> list[bytes]:
        """See `MemoryStore.segments`."""
        with self._read() as connection:
            return sources.segments(connection, path)

    def hashes(self, paths: Sequence[str]) -> dict[str, bytes]:
        """See `MemoryStore.hashes`."""
        with self._read() as connection:
            return sources.hashes(connection, paths)

    def tombstones(self, keys: Iterable[str], fingerprints: Iterable[str]) -> set[str]:
        """See `MemoryStore.tombstones`."""
        with self._read() as connection:
            return sources.tombstones(connection, keys, fingerprints)

    def commit(self, changes: Sequence[Change]) -> Committed:
        """See `MemoryStore.commit`."""
        with self._index() as connection:
            return self._counted(committing.commit(connection, self._analyzer, changes))

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """See `MemoryStore.get`."""
        with self._read() as connection:
            return memories.get(connection, ids)

    def find(self, prefix: str) -> list[str]:
        """See `MemoryStore.find`."""
        with self._read() as connection:
            return memories.find(connection, prefix)

    def neighbours(self, memory_id: str, before: int, after: int) -> list[Memory]:
        """See `MemoryStore.neighbours`."""
        with self._read() as connection:
            return memories.neighbours(connection, memory_id, before, after)

    def adjacent(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """See `MemoryStore.adjacent`."""
        with self._read() as connection:
            return memories.adjacent(connection, ids)

    def scan(self, scope: Scope) -> Iterator[Memory]:
        """See `MemoryStore.scan`."""
        pages = memories.scan(self._connection, scope)
        while True:
            with reported(self.path):
                page = next(pages, None)
            if page is None:
                return
            yield from page

    def sessions(self, scope: Scope, limit: int, offset: int = 0) -> list[SessionRow]:
        """See `MemoryStore.sessions`."""
        with self._read() as connection:
            return memories.sessions(connection, scope, limit, offset)

    def projects(self) -> dict[str, int]:
        """See `MemoryStore.projects`."""
        with self._read() as connection:
            return memories.projects(connection)

    def search_words(self, terms: Sequence[str], scope: Scope, limit: int) -> list[Match]:
        """See `MemoryStore.search_words`."""
        with self._read() as connection:
            return searching.search_words(
                connection, terms, scope, limit, self._analyzer, self._frequencies, self._postings
            )

    def search_trigrams(self, text: str, scope: Scope, limit: int) -> list[Match]:
        """See `MemoryStore.search_trigrams`."""
        with self._read() as connection:
            return trigrams.search_trigrams(
                connection, text, scope, limit, self._analyzer, self._trigram_frequencies, self._postings
            )

    def search_substring(self, text: str, scope: Scope, limit: int) -> list[Match]:
        """See `MemoryStore.search_substring`."""
        with self._read() as connection:
            return trigrams.search_substring(connection, text, scope, limit, self._analyzer)

    def search_vectors(self, vector: Vector, scope: Scope, limit: int) -> list[Match]:
        """See `MemoryStore.search_vectors`."""
        with self._read() as connection:
            return self._vectors.search(connection, vector, scope, limit)

    def warm(self) -> None:
        """Hold in memory what makes searches fast, for a daemon, which stays.

        That is the active model's vectors, 9 bits a dimension, how long passages are, and how words sound.
        """
        with reported(self.path):
            postings = Postings(self._connection)
        with self._read() as connection:
            postings.catch_up(connection)
            self._vectors.warm(connection)
            self._sounds.learn(connection)
        self._postings = postings

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """See `MemoryStore.rarity`."""
        with self._read() as connection:
            return evidence.rarity(connection, terms, self._analyzer, self._frequencies)

    def similar(self, terms: Sequence[str]) -> dict[str, dict[str, int]]:
        """See `MemoryStore.similar`."""
        with self._read() as connection:
            return vocabulary.similar(connection, terms, self._analyzer)

    def sounding(self, sounds: Sequence[str]) -> dict[str, dict[str, int]]:
        """See `MemoryStore.sounding`."""
        with self._read() as connection:
            return self._sounds.of(connection, sounds)

    def holding(self, terms: Sequence[str], memory_ids: Sequence[str]) -> dict[str, frozenset[str]]:
        """See `MemoryStore.holding`."""
        with self._read() as connection:
            return evidence.holding(connection, terms, memory_ids, self._analyzer, self._frequencies)

    def present(self, session: str, path: str | None, since: datetime | None) -> frozenset[str]:
        """See `MemoryStore.present`."""
        with self._read() as connection:
            return memories.present(connection, session, path, since)

    def models(self) -> list[ModelRow]:
        """See `MemoryStore.models`."""
        with self._read() as connection:
            return models.listed(connection)

    def active_model(self) -> str | None:
        """See `MemoryStore.active_model`."""
        with self._read() as connection:
            return models.answering(connection)

    def use_model(self, model_id: str, dim: int) -> None:
        """See `MemoryStore.use_model`."""
        with self._write() as connection:
            models.use(connection, model_id, dim)

    def drop_model(self, model_id: str) -> None:
        """See `MemoryStore.drop_model`."""
        with self._write() as connection:
            models.drop(connection, model_id)

    def pending(self, model_id: str, limit: int) -> list[Pending]:
        """See `MemoryStore.pending`."""
        with self._read() as connection:
            return models.pending(connection, model_id, limit)

    def add_vectors(self, model_id: str, vectors: Sequence[tuple[int, Vector]]) -> None:
        """See `MemoryStore.add_vectors`."""
        with self._write() as connection:
            models.add_vectors(connection, model_id, vectors)

    def pin(self, memory_id: str, *, pinned: bool) -> None:
        """See `MemoryStore.pin`."""
        with reported(self.path):
            marking.pin(self._connection, memory_id, pinned=pinned)

    def mute(self, memory_id: str, *, muted: bool) -> None:
        """See `MemoryStore.mute`."""
        with reported(self.path):
            marking.mute(self._connection, memory_id, muted=muted)

    def muted(self) -> list[Memory]:
        """See `MemoryStore.muted`."""
        with self._read() as connection:
            return memories.muted(connection)

    def edit(
        self,
        indexed: Indexed,
        segments: Mapping[str, Sequence[bytes]] = MappingProxyType({}),
        *,
        expected: Sequence[Source] = (),
    ) -> None:
        """See `MemoryStore.edit`."""
        with self._index() as connection:
            marking.edit(connection, self._analyzer, indexed, segments, expected=expected)

    def forget(
        self,
        keys: Sequence[str],
        segments: Mapping[str, Sequence[bytes]],
        *,
        tombstone: bool = True,
        expected: Sequence[Source] = (),
    ) -> int:
        """See `MemoryStore.forget`."""
        with self._index() as connection:
            return marking.forget(
                connection, self._analyzer, keys, segments, tombstone=tombstone, expected=expected
            )

    def restore(self, memories: Sequence[tuple[Memory, Indexed]], *, revive: bool = False) -> Committed:
        """See `MemoryStore.restore`."""
        with self._index() as connection:
            return self._counted(marking.restore(connection, self._analyzer, memories, revive=revive))

    def purge(self) -> None:
        """See `MemoryStore.purge`."""
        with reported(self.path):
            marking.purge(self._connection)

    def rebuild_index(self) -> Iterator[tuple[int, int]]:
        """See `MemoryStore.rebuild_index`."""
        with reported(self.path):
            yield from maintenance.rebuild_index(self._connection, self._analyzer)

    def stats(self) -> dict[str, int | str | None]:
        """See `MemoryStore.stats`."""
        with self._read() as connection:
            return maintenance.stats(connection, self.path)

    def check(self) -> list[str]:
        """See `MemoryStore.check`."""
        with reported(self.path):
            return maintenance.check(self._connection, self._analyzer)

    def index_is_current(self) -> bool:
        """Tell whether the index was made by this analysis, so that it may be written to."""
        with self._read() as connection:
            return _index_is_current(connection, self._analyzer)

    def close(self) -> None:
        """See `MemoryStore.close`. Leaves the file compact after many commits."""
        self._vectors.release()
        if self._unmerged >= _MANY:
            self._unmerged = 0
            # Nothing depends on it: when a full disk or another writer prevents it, the next time will do.
            with suppress(apsw.Error):
                maintenance.compact(self._connection)
        with reported(self.path):
            self._connection.close()

    def _counted(self, committed: Committed) -> Committed:
        self._unmerged += committed.new + committed.updated
        return committed

    @contextmanager
    def _read(self) -> Iterator[apsw.Connection]:
        with reported(self.path), reading(self._connection):
            yield self._connection

    @contextmanager
    def _write(self) -> Iterator[apsw.Connection]:
        with reported(self.path), writing(self._connection):
            yield self._connection

    @contextmanager
    def _index(self) -> Iterator[apsw.Connection]:
        """Give the connection to what writes into the index and manages its own transaction."""
        with reported(self.path):
            if not _index_is_current(self._connection, self._analyzer):
                raise StoreError(
                    f"The index of {self.path} was made by another version of the text analysis: "
                    "run `sui-memory rebuild`."
                )
            yield self._connection
