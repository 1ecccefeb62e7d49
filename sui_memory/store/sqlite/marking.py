"""What a user does to memories: pin, mute, edit, forget, import, and leave no byte behind."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import apsw

from sui_memory.errors import NotFoundError, StoreBusyError
from sui_memory.store.base import Committed, Source
from sui_memory.store.sqlite import committing, fulltext, ledger, maintenance, passages, sources
from sui_memory.store.sqlite.connection import fetch, reading, writing
from sui_memory.store.sqlite.passages import Entries
from sui_memory.types import Analyzer, Exchange, Indexed, Memory


def pin(connection: apsw.Connection, memory_id: str, *, pinned: bool) -> None:
    """Mark a memory as kept in mind, or take the mark away."""
    _mark(connection, "pinned", memory_id, is_set=pinned)


def mute(connection: apsw.Connection, memory_id: str, *, muted: bool) -> None:
    """Mark a memory as never to be injected, or take the mark away."""
    _mark(connection, "muted", memory_id, is_set=muted)


def _mark(connection: apsw.Connection, column: str, memory_id: str, *, is_set: bool) -> None:
    with writing(connection):
        connection.execute(f"update exchanges set {column} = ? where name = ?", (is_set, memory_id))
        if not connection.changes():
            raise NotFoundError(f"There is no memory {memory_id}.")


def edit(
    connection: apsw.Connection,
    analyzer: Analyzer,
    indexed: Indexed,
    segments: Mapping[str, Sequence[bytes]],
    *,
    expected: Sequence[Source],
) -> None:
    """Replace a memory's text and index by the user's own, and the raw records of whole sources."""
    entries = Entries(analyzer)
    with reading(connection):
        _prepare(connection, [indexed.exchange.key], entries)
    with writing(connection), fulltext.overwriting(connection):
        _require(connection, expected)
        row = committing.stored_by_key(connection, [indexed.exchange.key]).get(indexed.exchange.key)
        if row is None:
            raise NotFoundError(f"There is no memory {indexed.exchange.id}.")
        committing.rewrite(connection, row.id, indexed, row.hash, entries)
        connection.execute("update exchanges set edited = 1 where id = ?", (row.id,))
        _replace_raw(connection, segments)


def forget(
    connection: apsw.Connection,
    analyzer: Analyzer,
    keys: Sequence[str],
    segments: Mapping[str, Sequence[bytes]],
    *,
    tombstone: bool,
    expected: Sequence[Source],
) -> int:
    """Delete exchanges everywhere and replace the raw records of whole sources; return how many went."""
    entries = Entries(analyzer)
    with reading(connection):
        _prepare(connection, keys, entries)
    with writing(connection), fulltext.overwriting(connection):
        _require(connection, expected)
        doomed = committing.stored_by_key(connection, keys)
        concerned = _sessions_of(connection, keys)
        for key, row in doomed.items():
            if tombstone:
                _bury(connection, key)
            committing.delete(connection, row.id, entries)
        for session in concerned:
            ledger.forget(connection, session)
        _replace_raw(connection, segments)
    return len(doomed)


def _sessions_of(connection: apsw.Connection, keys: Sequence[str]) -> list[bytes | str]:
    """Return the sessions of these exchanges, packed."""
    query = """
        select distinct session from exchanges where key in (select packed_uuid(value) from json_each(?))
    """
    return [row[0] for row in fetch(connection, query, (json.dumps(list(keys)),))]


def _require(connection: apsw.Connection, expected: Sequence[Source]) -> None:
    for source in expected:
        if sources.one(connection, source.path) != source:
            raise StoreBusyError(
                f"Another process has archived more of {source.path} in the meantime: run the command again."
            )


def _replace_raw(connection: apsw.Connection, segments: Mapping[str, Sequence[bytes]]) -> None:
    for path, data in segments.items():
        sources.replace_raw(connection, path, data)


def _prepare(connection: apsw.Connection, keys: Sequence[str], entries: Entries) -> None:
    for row in committing.stored_by_key(connection, keys).values():
        exchange: Exchange = committing.exchange_of(connection, row.id)
        entries.prepare(exchange, passages.slices_of(connection, row.id))


def _bury(connection: apsw.Connection, key: str) -> None:
    connection.execute(
        "insert or replace into tombstones (key, fingerprint)"
        " select key, fingerprint from exchanges where key = packed_uuid(?)",
        (key,),
    )


def restore(
    connection: apsw.Connection,
    analyzer: Analyzer,
    memories: Sequence[tuple[Memory, Indexed]],
    *,
    revive: bool,
) -> Committed:
    """Store memories with their marks; keys that exist or were forgotten are left as they are."""
    with writing(connection):
        return Committed(new=len(restore_missing(connection, analyzer, memories, revive=revive)))


def restore_missing(
    connection: apsw.Connection,
    analyzer: Analyzer,
    memories: Sequence[tuple[Memory, Indexed]],
    *,
    revive: bool,
) -> set[str]:
    """Do so in a transaction that is open, and return the keys of what was stored."""
    keys = [indexed.exchange.key for _, indexed in memories]
    fingerprints = [indexed.exchange.fingerprint for _, indexed in memories]
    if revive:
        sources.unbury(connection, keys, fingerprints)
    known = set(committing.stored_by_key(connection, keys))
    known |= sources.tombstones(connection, keys, fingerprints)
    new = {
        indexed.exchange.key: (indexed, None, (stored.pinned, stored.edited, stored.muted))
        for stored, indexed in memories
        if indexed.exchange.key not in known and indexed.exchange.fingerprint not in known
    }
    committing.insert(connection, list(new.values()), analyzer)
    return set(new)


def purge(connection: apsw.Connection) -> None:
    """Rewrite both indexes and truncate the log, so that nothing deleted is left in any file."""
    maintenance.compact(connection)
    row = connection.execute("pragma wal_checkpoint(truncate)").fetchone()
    if row and row[0]:
        raise StoreBusyError(
            "Deleted text is still in the write-ahead log, because another process is reading: try again."
        )
