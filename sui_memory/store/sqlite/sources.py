"""Transcripts, how far they have been read, their raw records, and which of them share exchanges."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter

import apsw

from sui_memory.store.base import Source, SourceChange
from sui_memory.store.sqlite.connection import fetch, value
from sui_memory.store.sqlite.packing import unpacked_uuid

_PIECE_BYTES = 2000  # an eighth of a page
_FIELDS = "path, agent, position, head, size, mtime_ns"


def all_sources(connection: apsw.Connection) -> dict[str, Source]:
    """Return every known source by path."""
    rows = connection.execute(f"select {_FIELDS} from sources order by path")
    return {row[0]: Source(*row) for row in rows}


def one(connection: apsw.Connection, path: str) -> Source | None:
    """Return the source at `path`, if it is known."""
    row = connection.execute(f"select {_FIELDS} from sources where path = ?", (path,)).fetchone()
    return Source(*row) if row else None


def family(
    connection: apsw.Connection, path: str, keys: Iterable[str], fingerprints: Iterable[str]
) -> list[Source]:
    """Return the sources, other than `path`, that share an exchange with it, directly or through others."""
    families = _families(connection, [path], keys, fingerprints)
    rows = connection.execute(
        f"select {_FIELDS} from sources where family in (select value from json_each(?)) and path != ?"
        " order by path",
        (json.dumps(sorted(families)), path),
    )
    return [Source(*row) for row in rows]


def _families(
    connection: apsw.Connection, paths: Sequence[str], keys: Iterable[str], fingerprints: Iterable[str]
) -> set[int]:
    rows = connection.execute(
        """
        select family from sources where path in (select value from json_each(:paths))
        union
        select s.family from exchanges e join sources s on s.id = e.source_id
        where e.key in (select packed_uuid(value) from json_each(:keys))
        union
        select s.family from exchanges e join sources s on s.id = e.source_id
        where e.fingerprint in (select packed_digest(value) from json_each(:fingerprints))
        """,
        {
            "paths": json.dumps(list(paths)),
            "keys": json.dumps(list(keys)),
            "fingerprints": json.dumps(list(fingerprints)),
        },
    )
    return {row[0] for row in rows}


def segments(connection: apsw.Connection, path: str) -> list[bytes]:
    """Return the compressed raw records of a source, in order."""
    rows: Iterable[tuple[int, bytes]] = connection.execute(
        "select g.seq, g.data from segments g join sources s on s.id = g.source_id"
        " where s.path = ? order by g.seq, g.part",
        (path,),
    )
    return [b"".join(data for _, data in parts) for _, parts in groupby(rows, key=itemgetter(0))]


def hashes(connection: apsw.Connection, paths: Sequence[str]) -> dict[str, bytes]:
    """Return key → content hash of the exchanges of the families of these sources, edited ones left out."""
    rows = fetch(
        connection,
        """
        select e.key, e.hash from exchanges e
        where e.edited = 0 and e.source_id in (
            select member.id from sources member join sources named on named.family = member.family
            where named.path in (select value from json_each(?))
        )
        """,
        (json.dumps(list(paths)),),
    )
    return {unpacked_uuid(key): digest for key, digest in rows}


def tombstones(connection: apsw.Connection, keys: Iterable[str], fingerprints: Iterable[str]) -> set[str]:
    """Return those of `keys` and `fingerprints` that were forgotten, or whose words the user replaced."""
    rows = connection.execute(
        """
        select value from json_each(:keys)
        where exists (select 1 from tombstones where key = packed_uuid(value))
            or exists (select 1 from exchanges where key = packed_uuid(value) and edited)
        union
        select value from json_each(:fingerprints)
        where exists (select 1 from tombstones where fingerprint = packed_digest(value))
            or exists (select 1 from exchanges where fingerprint = packed_digest(value) and edited)
        """,
        {"keys": json.dumps(list(keys)), "fingerprints": json.dumps(list(fingerprints))},
    )
    return {row[0] for row in rows}


def unbury(connection: apsw.Connection, keys: Iterable[str], fingerprints: Iterable[str]) -> None:
    """Delete the tombstones of these exchanges."""
    connection.execute(
        "delete from tombstones where key in (select packed_uuid(value) from json_each(?))"
        " or fingerprint in (select packed_digest(value) from json_each(?))",
        (json.dumps(list(keys)), json.dumps(list(fingerprints))),
    )


def is_stale(connection: apsw.Connection, change: SourceChange) -> bool:
    """Tell whether the stored source is no longer what the reader started from."""
    return one(connection, change.after.path) != change.before


def record(connection: apsw.Connection, change: SourceChange) -> int:
    """Store how far a source has been read, with its new raw records, and return its row id."""
    after = change.after
    source_id = value(
        connection,
        f"insert into sources ({_FIELDS}, family) values (?, ?, ?, ?, ?, ?, 0)"
        " on conflict (path) do update set agent = excluded.agent, position = excluded.position,"
        " head = excluded.head, size = excluded.size, mtime_ns = excluded.mtime_ns returning id",
        (after.path, after.agent, after.offset, after.head, after.size, after.mtime_ns),
    )
    if change.before is None:
        connection.execute("update sources set family = id where id = ?", (source_id,))
    _replace_segments(connection, source_id, change.keep, change.segments)
    return int(source_id)


def replace_raw(connection: apsw.Connection, path: str, data: Sequence[bytes]) -> None:
    """Put `data` in the place of all raw records of the source at `path`.

    A time that no file has marks the source as changed: what was read from it before is stale, and the
    next sync looks into the file again.
    """
    query = "update sources set mtime_ns = random() where path = ? returning id"
    for (source_id,) in fetch(connection, query, (path,)):
        _replace_segments(connection, source_id, 0, data)


def _replace_segments(connection: apsw.Connection, source_id: int, keep: int, data: Sequence[bytes]) -> None:
    connection.execute("delete from segments where source_id = ? and seq >= ?", (source_id, keep))
    connection.executemany(
        "insert into segments (source_id, seq, part, data) values (?, ?, ?, ?)",
        (
            (source_id, seq, part, piece)
            for seq, segment in enumerate(data, keep)
            for part, piece in enumerate(_pieces(segment))
        ),
    )


def _pieces(segment: bytes) -> list[bytes]:
    """Return a segment in pieces that fill a page well; one empty piece when it is empty."""
    starts = range(0, max(1, len(segment)), _PIECE_BYTES)
    return [segment[start : start + _PIECE_BYTES] for start in starts]


def unite(
    connection: apsw.Connection, paths: Sequence[str], keys: Iterable[str], fingerprints: Iterable[str]
) -> None:
    """Make one family of these sources and of all that hold one of these exchanges."""
    families = _families(connection, paths, keys, fingerprints)
    if len(families) > 1:
        connection.execute(
            "update sources set family = ? where family in (select value from json_each(?))",
            (min(families), json.dumps(sorted(families))),
        )
