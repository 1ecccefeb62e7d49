"""Looking after the whole file: numbers, soundness, and making the index anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw

from sui_memory.store.sqlite import fulltext, models
from sui_memory.store.sqlite.connection import fetch, pragma, value, writing
from sui_memory.store.sqlite.passages import Entries, Slice
from sui_memory.store.sqlite.rows import MEMORY_COLUMNS, memory, to_datetime
from sui_memory.types import Analyzer

_FREED_AT_ONCE = 200  # pages of one transaction: some 10 ms
_REBUILT_AT_ONCE = 100  # passages of one transaction: some 100 ms

_COUNTS = {
    "sources": "select count(*) from sources",
    "sessions": "select count(distinct session) from exchanges",
    "projects": "select count(distinct project) from exchanges",
    "exchanges": "select count(*) from exchanges",
    "passages": "select count(*) from passages",
    "pinned": "select count(*) from exchanges where pinned",
    "edited": "select count(*) from exchanges where edited",
    "muted": "select count(*) from exchanges where muted = 1",
    "kept": "select count(*) from notes",
    "links": "select count(*) from links",
    "episodes": "select count(*) from episodes",
    "injections": "select count(*) from injections where memories",
    "forgotten": "select count(*) from tombstones",
    "text_bytes": "select ifnull(sum(size), 0) from exchanges",
    "raw_bytes": "select ifnull(sum(octet_length(data)), 0) from segments",
}


def stats(connection: apsw.Connection, path: Path) -> dict[str, int | str | None]:
    """Return counts, sizes in bytes and dates (ISO 8601, UTC)."""
    found: dict[str, int | str | None] = {name: value(connection, query) for name, query in _COUNTS.items()}
    first, last = fetch(connection, "select min(asked_at), max(asked_at) from exchanges")[0]
    found["first_at"] = _iso(first)
    found["last_at"] = _iso(last)
    found["database_bytes"] = _size(path) + _size(path.with_name(path.name + "-wal"))
    model = models.active(connection)
    found["model"] = model.name if model else None
    found["sqlite"] = apsw.sqlite_lib_version()
    found["sqlite_vec"] = value(connection, "select vec_version()")
    found["schema"] = pragma(connection, "user_version")
    return found


def _iso(microseconds: int | None) -> str | None:
    moment = to_datetime(microseconds)
    return moment.isoformat() if moment else None


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def compact(connection: apsw.Connection) -> None:
    """Merge both indexes and give free pages back, in short steps: a tenth of the file after many commits."""
    for table in fulltext.TABLES:
        fulltext.merge(connection, table)
    for _ in range(0, pragma(connection, "freelist_count"), _FREED_AT_ONCE):
        with writing(connection):
            fetch(connection, f"pragma incremental_vacuum({_FREED_AT_ONCE})")


def check(connection: apsw.Connection, analyzer: Analyzer) -> list[str]:
    """Return what is wrong, one sentence each; empty when sound. Reads the whole file."""
    findings: list[str] = []
    try:
        findings += _damage(connection)
        findings += _stale_analysis(connection, analyzer)
        findings += _broken_references(connection)
        findings += _miscounts(connection)
    except apsw.CorruptError as error:
        findings.append(f"The database is damaged: {error}.")
    return findings


def _damage(connection: apsw.Connection) -> Iterator[str]:
    # Since SQLite 3.44 this asks FTS5 too.
    for (finding,) in fetch(connection, "pragma quick_check(10)"):
        if finding != "ok":
            yield f"The database is damaged: {finding}."


def _broken_references(connection: apsw.Connection) -> Iterator[str]:
    broken = fetch(connection, "pragma foreign_key_check")
    if broken:
        yield f"{len(broken)} rows refer to rows that do not exist, the first in {broken[0][0]}."


def _stale_analysis(connection: apsw.Connection, analyzer: Analyzer) -> Iterator[str]:
    stored, wanted = fulltext.stored_analysis(connection), fulltext.analysis_name(analyzer)
    if stored != wanted:
        yield f"The index was made by {stored}, not by {wanted}: run `sui-memory rebuild`."


def _miscounts(connection: apsw.Connection) -> Iterator[str]:
    passages = value(connection, "select count(*) from passages")
    for table, query in fulltext.COUNTS.items():
        indexed = value(connection, query)
        if indexed != passages:
            yield f"The index {table} holds {indexed} of {passages} passages: run `sui-memory rebuild`."
    for model in models.all_models(connection):
        orphans = value(
            connection,
            f"select count(*) from {model.table}_rowids where rowid not in (select id from passages)",
        )
        if orphans:
            yield f"{orphans} vectors of {model.name} belong to no passage: run `sui-memory rebuild`."


def rebuild_index(connection: apsw.Connection, analyzer: Analyzer) -> Iterator[tuple[int, int]]:
    """Make words and trigrams anew from the stored passages, yielding (done, total).

    Other processes get their turn between the steps. Until the last one the index bears a name that no
    analysis has, so that a rebuild cut short is noticed and nobody writes into half an index.
    """
    with writing(connection):
        fulltext.create(connection, analyzer)
        fulltext.name_analysis(connection, "an unfinished rebuild")
        total = value(connection, "select count(*) from passages")
    done = last = 0
    while page := _page(connection, last):
        last = page[-1][0]
        batch = [
            entry
            for row in page
            for entry in Entries(analyzer).of(memory(row[4:]).exchange, [Slice(row[0], *row[1:4])])
        ]
        with writing(connection):
            fulltext.insert(connection, batch)
        done += len(page)
        yield done, total
    with writing(connection):
        fulltext.name_analysis(connection, fulltext.analysis_name(analyzer))


def _page(connection: apsw.Connection, after: int) -> list[tuple[Any, ...]]:
    return fetch(
        connection,
        f"""
        select p.id, p.ordinal, p.start, p.stop, {MEMORY_COLUMNS}
        from passages p join exchanges e on e.id = p.exchange_id join contents c on c.exchange_id = e.id
        where p.id > ? order by p.id limit {_REBUILT_AT_ONCE}
        """,
        (after,),
    )
