"""The contract of a memory store. Every backend passes `tests/store/behaviour.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Protocol

from sui_memory.types import Indexed, Match, Memory, Scope, Vector


@dataclass(frozen=True, slots=True)
class Source:
    """A transcript file and how far it has been read.

    `offset` counts the bytes consumed; `head` is a hash of what lies before it, by which a rewritten
    file is noticed; `size` and `mtime_ns` let an unchanged file be passed over without opening it.
    """

    path: str
    agent: str
    offset: int
    head: bytes
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class SourceChange:
    """A source read further: `segments` replace all stored ones from index `keep` on.

    `before` is what the reader started from. When the stored source is no longer that, somebody else
    has read further in the meantime and the whole change is refused.
    """

    before: Source | None
    after: Source
    segments: tuple[bytes, ...]
    keep: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """What one transcript, or one family of transcripts that share exchanges, adds to the archive.

    `upserts` are stored by key (a row the user edited keeps its text) and belong to the first of the
    sources. A change that would bring back what has a tombstone is stale: its raw records hold the
    words. `deletes` are keys that no longer exist there: they go when they belong to the family and the
    user neither pinned nor edited them. All sources of a change, and all that hold one of its exchanges,
    become one family.
    """

    sources: tuple[SourceChange, ...]
    upserts: tuple[Indexed, ...] = ()
    deletes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Committed:
    """What a commit did; `stale` are the paths whose change was refused and must be read again."""

    new: int = 0
    updated: int = 0
    deleted: int = 0
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """A passage that has no vector of a model yet. `rowid` only grows; a changed passage gets a new one."""

    rowid: int
    text: str


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One agent conversation, as listed. Times are UTC."""

    session: str
    project: str
    agent: str
    first_at: datetime | None
    last_at: datetime | None
    exchanges: int
    title: str


@dataclass(frozen=True, slots=True)
class ModelRow:
    """An embedding model known to the store. `active` answers searches; the other is being filled."""

    model_id: str
    dim: int
    active: bool
    vectors: int
    pending: int


class MemoryStore(Protocol):
    """Keeps exchanges with their words, trigrams, vectors and raw records, in one place.

    Every writing method is one transaction: all of it or nothing. Reads see the last commit.
    Failures are `StoreError`; waiting too long for another writer is `StoreBusyError`.
    """

    def sources(self) -> dict[str, Source]:
        """Return every known source by path."""

    def source(self, path: str) -> Source | None:
        """Return the source at `path`, if it is known."""

    def family(self, path: str, keys: Iterable[str], fingerprints: Iterable[str]) -> list[Source]:
        """Return the sources, other than `path`, that share an exchange with it, directly or through others.

        `keys` and `fingerprints` are the exchanges now found in `path`. Ordered by path.
        """

    def segments(self, path: str) -> list[bytes]:
        """Return the compressed raw records of a source, in order; empty when unknown."""

    def hashes(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Return key → content hash of the exchanges that come from these sources and their families.

        The hash is `content_hash(exchange)`, so a reader can tell what changed without sending text.
        Rows the user edited are left out.
        """

    def tombstones(self, keys: Iterable[str], fingerprints: Iterable[str]) -> set[str]:
        """Return those of `keys` and `fingerprints` whose archived words must not come back.

        They were forgotten, or the user put other words in their place.
        """

    def commit(self, changes: Sequence[Change]) -> Committed:
        """Apply the changes in one transaction; a stale one is refused alone. Idempotent by key.

        Passages that stay alike keep their vectors. Other writers wait until it is done, so a caller
        with much to store commits it in batches.
        """

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """Return the memories of these ids, in the order asked; unknown ids are left out."""

    def find(self, prefix: str) -> list[str]:
        """Return the ids that start with `prefix`, at most 10, in order."""

    def neighbours(self, memory_id: str, before: int, after: int) -> list[Memory]:
        """Return the exchanges around a memory in its session, in order, itself included."""

    def adjacent(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return id → the ids of the exchanges just before and after it in its session; unknown ids lack."""

    def scan(self, scope: Scope) -> Iterator[Memory]:
        """Yield every memory in scope, oldest first, without holding a transaction open."""

    def sessions(self, scope: Scope, limit: int, offset: int = 0) -> list[SessionRow]:
        """Return sessions, the most recent first."""

    def projects(self) -> dict[str, int]:
        """Return project → number of exchanges."""

    def search_words(self, terms: Sequence[str], scope: Scope, limit: int) -> list[Match]:
        """Return the passages that hold any of the terms, best BM25 first. Terms are text, never syntax."""

    def search_trigrams(self, text: str, scope: Scope, limit: int) -> list[Match]:
        """Return the passages that share the rarest trigrams of the folded `text`, best first."""

    def search_substring(self, text: str, scope: Scope, limit: int) -> list[Match]:
        """Return the newest passages that contain the folded `text`: for cues too short for trigrams.

        Their scores only tell their order.
        """

    def search_vectors(self, vector: Vector, scope: Scope, limit: int) -> list[Match]:
        """Return the passages nearest to `vector` among those of the active model, by cosine."""

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """Return term → BM25's IDF over passages, ln(1 + (N - n + .5) / (n + .5)); of an unknown term n is 0.

        Lucene's form of Robertson and Spärck Jones (1976), which is never negative. A term of several
        words is as rare as its rarest; one that holds no word at all has 0. Of frequent terms n may be
        slightly old.
        """

    def similar(self, terms: Sequence[str]) -> dict[str, dict[str, int]]:
        """Return term → terms of the index that are a slip or two away → edits; the nearest, few.

        A term of the index may be the stem of a word. What is far down a crowded index may be missed.
        """

    def sounding(self, sounds: Sequence[str]) -> dict[str, dict[str, int]]:
        """Return sound (`Analyzer.sounds`) → terms of the index → passages, the most frequent first.

        May lag behind what was stored last by a sixteenth of the archive.
        """

    def holding(self, terms: Sequence[str], memory_ids: Sequence[str]) -> dict[str, frozenset[str]]:
        """Return memory id → those of the terms that the memory's words hold, inflected or not."""

    def present(self, session: str, path: str | None, since: datetime | None) -> frozenset[str]:
        """Return the ids of what a session sees anyway: its own memories, and what it was forked from.

        `path` is its transcript: of a file that shares exchanges with it, what was asked before the
        session's own first prompt counts. With `since`, the time of its last compaction, only later ones do.
        """

    def models(self) -> list[ModelRow]:
        """Return the models that have vectors here, the active one first."""

    def active_model(self) -> str | None:
        """Return the id of the model that answers searches, if it has any vector."""

    def use_model(self, model_id: str, dim: int) -> None:
        """Make `model_id` the model to fill, and drop any other that was only being filled.

        It becomes active at once when no other is, else when it is complete.
        """

    def drop_model(self, model_id: str) -> None:
        """Delete a model and its vectors, if it is there. No command does so yet: `use_model` tidies up."""

    def pending(self, model_id: str, limit: int) -> list[Pending]:
        """Return the next passages without a vector of this model."""

    def add_vectors(self, model_id: str, vectors: Sequence[tuple[int, Vector]]) -> None:
        """Store vectors by passage rowid; passages gone meanwhile are skipped.

        When nothing is pending any more, the model becomes the active one and the vectors of others go.
        """

    def pin(self, memory_id: str, *, pinned: bool) -> None:
        """Mark a memory as kept in mind, or take the mark away."""

    def mute(self, memory_id: str, *, muted: bool) -> None:
        """Keep a memory from ever being injected, or let it be again. Searches find it all the same."""

    def muted(self) -> list[Memory]:
        """Return the memories that are never to be injected, oldest first."""

    def edit(
        self,
        indexed: Indexed,
        segments: Mapping[str, Sequence[bytes]] = MappingProxyType({}),
        *,
        expected: Sequence[Source] = (),
    ) -> None:
        """Replace a memory's text and index by the user's own. Later syncs leave it alone.

        `segments` and `expected` are as in `forget`.
        """

    def forget(
        self,
        keys: Sequence[str],
        segments: Mapping[str, Sequence[bytes]],
        *,
        tombstone: bool = True,
        expected: Sequence[Source] = (),
    ) -> int:
        """Delete exchanges from text, indexes and vectors, and replace the raw segments of whole sources.

        Leaves a tombstone (key and fingerprint) unless told not to. Returns how many went. `expected`
        are the sources that the segments were made from: when one is stored otherwise by now, that is
        `StoreBusyError` and nothing is done. A source whose segments are replaced counts as changed, so
        that whoever has read it before cannot put the words back.
        """

    def restore(self, memories: Sequence[tuple[Memory, Indexed]], *, revive: bool = False) -> Committed:
        """Store memories that come from an export, with their marks.

        Keys that exist are left as they are, and what has a tombstone stays forgotten, unless `revive`
        takes the tombstone away.
        """

    def purge(self) -> None:
        """Leave no deleted byte behind: merge the indexes and truncate the write-ahead log.

        Also makes the file as small as it can be. Works in short steps; when a reader holds up the end of
        it, that is `StoreBusyError`.
        """

    def rebuild_index(self) -> Iterator[tuple[int, int]]:
        """Make words and trigrams anew from the stored passages, yielding (passages done, total).

        Runs in short steps; cut short, it has to be run again before anything is written.
        """

    def stats(self) -> dict[str, int | str | None]:
        """Return counts, sizes in bytes and dates, as `sui-memory stats` prints them."""

    def check(self) -> list[str]:
        """Return what is wrong with the store, one sentence each; empty when sound."""

    def close(self) -> None:
        """Release the store. Closing twice is allowed."""
