"""Applies what transcripts add to the archive: sources, exchanges and their index, in one transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import apsw

from sui_memory.store.base import Change, Committed
from sui_memory.store.sqlite import passages, rows, sources
from sui_memory.store.sqlite.connection import fetch, reading, value, writing
from sui_memory.store.sqlite.packing import unpacked_uuid
from sui_memory.store.sqlite.passages import Entries
from sui_memory.types import Analyzer, Exchange, Indexed, content_hash

Marks = tuple[bool, bool, bool]
"""Whether a memory is pinned, edited and muted."""

UNMARKED: Marks = (False, False, False)
_INSERT_CONTENT = "insert into contents (exchange_id, uuids, fields) values (?, ?, ?)"
_UPDATE_CONTENT = "update contents set uuids = ?, fields = ? where exchange_id = ?"
_INSERT = f"""
    insert into exchanges (id, source_id, hash, pinned, edited, muted, {", ".join(rows.COLUMNS)})
    values ({", ".join("?" * (6 + len(rows.COLUMNS)))})
"""
_UPDATE = f"""
    update exchanges set hash = ?, {", ".join(f"{column} = ?" for column in rows.COLUMNS)} where id = ?
"""


@dataclass(frozen=True, slots=True)
class Stored:
    """What decides whether an exchange is stored anew, replaced or left alone."""

    id: int
    key: str
    hash: bytes
    edited: bool
    pinned: bool
    source_id: int | None


def commit(connection: apsw.Connection, analyzer: Analyzer, changes: Sequence[Change]) -> Committed:
    """Apply the changes in one transaction; a stale one is refused alone."""
    entries = Entries(analyzer)
    with reading(connection):
        for change in changes:
            _prepare(connection, change, entries)
    total = Committed()
    with writing(connection):
        for change in changes:
            total = _sum(total, _apply(connection, change, entries))
    return total


def _prepare(connection: apsw.Connection, change: Change, entries: Entries) -> None:
    """Do the slow analysis of what will be taken out of the index before the write lock is taken."""
    stored = stored_by_key(connection, _keys(change.upserts))
    for indexed in change.upserts:
        row = stored.get(indexed.exchange.key)
        if row and _differs(row, indexed.exchange):
            old = exchange_of(connection, row.id)
            going, _ = passages.difference(old, passages.slices_of(connection, row.id), indexed)
            entries.prepare(old, going)
    for row in stored_by_key(connection, change.deletes).values():
        if not _is_users(row):
            entries.prepare(exchange_of(connection, row.id), passages.slices_of(connection, row.id))


def _apply(connection: apsw.Connection, change: Change, entries: Entries) -> Committed:
    paths = tuple(source.after.path for source in change.sources)
    if any(sources.is_stale(connection, source) for source in change.sources):
        return Committed(stale=paths)
    if _brings_back(connection, change.upserts):
        return Committed(stale=paths)
    upserts = change.upserts
    source_ids = [sources.record(connection, source) for source in change.sources]
    fingerprints = [indexed.exchange.fingerprint for indexed in upserts]
    sources.unite(connection, paths, _keys(upserts), fingerprints)
    owner = source_ids[0] if source_ids else None
    deleted = _delete(connection, change.deletes, owner, entries)
    new, updated = _upsert(connection, upserts, owner, entries)
    return Committed(new=new, updated=updated, deleted=deleted)


def _brings_back(connection: apsw.Connection, upserts: Sequence[Indexed]) -> bool:
    """Say whether a change was made before something in it was forgotten: its raw records hold the words."""
    fingerprints = [indexed.exchange.fingerprint for indexed in upserts]
    return bool(sources.tombstones(connection, _keys(upserts), fingerprints))


def _upsert(
    connection: apsw.Connection, upserts: Sequence[Indexed], owner: int | None, entries: Entries
) -> tuple[int, int]:
    """Store exchanges by key and return how many were new and how many changed."""
    stored = stored_by_key(connection, _keys(upserts))
    new: dict[str, Indexed] = {}
    updated = 0
    for indexed in upserts:
        row = stored.get(indexed.exchange.key)
        if row is None:
            new[indexed.exchange.key] = indexed
            continue
        if row.source_id is None and owner is not None:
            connection.execute("update exchanges set source_id = ? where id = ?", (owner, row.id))
        if _differs(row, indexed.exchange):
            rewrite(connection, row.id, indexed, content_hash(indexed.exchange), entries)
            updated += 1
    insert(connection, [(indexed, owner, UNMARKED) for indexed in new.values()], entries.analyzer)
    return len(new), updated


def insert(
    connection: apsw.Connection,
    exchanges: Sequence[tuple[Indexed, int | None, Marks]],
    analyzer: Analyzer,
) -> None:
    """Store new exchanges, each with its source's row id and its marks."""
    if not exchanges:
        return
    first = value(connection, "select ifnull(max(id), 0) + 1 from exchanges")
    connection.executemany(
        _INSERT,
        (
            (
                first + index,
                source_id,
                content_hash(indexed.exchange),
                *marks,
                *rows.values(indexed.exchange),
            )
            for index, (indexed, source_id, marks) in enumerate(exchanges)
        ),
    )
    numbered = [(first + index, indexed) for index, (indexed, *_) in enumerate(exchanges)]
    connection.executemany(
        _INSERT_CONTENT, ((row_id, *rows.contents(indexed.exchange)) for row_id, indexed in numbered)
    )
    passages.add(connection, numbered, analyzer)


def rewrite(
    connection: apsw.Connection, row_id: int, indexed: Indexed, digest: bytes, entries: Entries
) -> None:
    """Put an exchange in the place of a stored one, keeping the passages that are alike."""
    passages.replace(connection, row_id, exchange_of(connection, row_id), indexed, entries)
    connection.execute(_UPDATE, (digest, *rows.values(indexed.exchange), row_id))
    connection.execute(_UPDATE_CONTENT, (*rows.contents(indexed.exchange), row_id))


def delete(connection: apsw.Connection, row_id: int, entries: Entries) -> None:
    """Delete a stored exchange with its index entries and vectors."""
    passages.remove_all(connection, row_id, exchange_of(connection, row_id), entries)
    connection.execute("delete from exchanges where id = ?", (row_id,))


def _delete(connection: apsw.Connection, keys: Sequence[str], owner: int | None, entries: Entries) -> int:
    """Delete the exchanges of these keys that belong to the owner's family and bear no mark of the user."""
    deleted = 0
    for row in stored_by_key(connection, keys).values():
        if _is_users(row) or not _same_family(connection, row.source_id, owner):
            continue
        delete(connection, row.id, entries)
        deleted += 1
    return deleted


def _same_family(connection: apsw.Connection, source_id: int | None, owner: int | None) -> bool:
    query = "select a.family = b.family from sources a, sources b where a.id = ? and b.id = ?"
    return bool(value(connection, query, (source_id, owner)))


def stored_by_key(connection: apsw.Connection, keys: Iterable[str]) -> dict[str, Stored]:
    """Return the rows of these keys, by key."""
    found: Iterable[tuple[Any, ...]] = connection.execute(
        "select id, key, hash, edited, pinned, source_id from exchanges"
        " where key in (select packed_uuid(value) from json_each(?))",
        (json.dumps(list(keys)),),
    )
    stored = (
        Stored(row_id, unpacked_uuid(key), digest, bool(edited), bool(pinned), source_id)
        for row_id, key, digest, edited, pinned, source_id in found
    )
    return {row.key: row for row in stored}


def exchange_of(connection: apsw.Connection, row_id: int) -> Exchange:
    """Return the exchange of a row."""
    query = f"select {rows.MEMORY_COLUMNS} from {rows.MEMORY_TABLES} where e.id = ?"
    return rows.memory(fetch(connection, query, (row_id,))[0]).exchange


def _differs(row: Stored, exchange: Exchange) -> bool:
    return not row.edited and row.hash != content_hash(exchange)


def _is_users(row: Stored) -> bool:
    return row.edited or row.pinned


def _keys(upserts: Iterable[Indexed]) -> list[str]:
    return [indexed.exchange.key for indexed in upserts]


def _sum(total: Committed, part: Committed) -> Committed:
    return replace(
        total,
        new=total.new + part.new,
        updated=total.updated + part.updated,
        deleted=total.deleted + part.deleted,
        stale=total.stale + part.stale,
    )
