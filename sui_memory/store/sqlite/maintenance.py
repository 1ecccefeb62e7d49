"""Looking after the whole file: numbers, soundness, and making the index anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw

from sui_memory.store.sqlite import fulltext, vectors
from sui_memory.store.sqlite.connection import pragma, writing
from sui_memory.store.sqlite.passages import Entries, Slice
from sui_memory.store.sqlite.rows import MEMORY_COLUMNS, memory, to_datetime
from sui_memory.types import Analyzer

_REBUILT_AT_ONCE = 100  # passages of one transaction: some 100 ms

_COUNTS = """
    select
        (select count(*) from sources) as sources,
        (select count(distinct session) from exchanges) as sessions,
        (select count(distinct project) from exchanges) as projects,
        (select count(*) from exchanges) as exchanges,
        (select count(*) from passages) as passages,
        (select count(*) from exchanges where pinned) as pinned,
        (select count(*) from exchanges where edited) as edited,
        (select count(*) from tombstones) as forgotten,
        (select ifnull(sum(octet_length(question) + octet_length(answer) + octet_length(followups)), 0)
            from exchanges) as text_bytes,
        (select ifnull(sum(octet_length(data)), 0) from segments) as raw_bytes
"""


def stats(connection: apsw.Connection, path: Path) -> dict[str, int | str | None]:
    """Return counts, sizes in bytes and dates (ISO 8601, UTC)."""
    cursor = connection.execute(_COUNTS)
    names = [column[0] for column in cursor.get_description()]
    found: dict[str, int | str | None] = dict(zip(names, cursor.fetchall()[0], strict=True))
    first, last = connection.execute("select min(asked_at), max(asked_at) from exchanges").fetchall()[0]
    found["first_at"] = _iso(first)
    found["last_at"] = _iso(last)
    found["database_bytes"] = _size(path) + _size(path.with_name(path.name + "-wal"))
    model = vectors.active(connection)
    found["model"] = model.name if model else None
    found["sqlite"] = apsw.sqlite_lib_version()
    found["sqlite_vec"] = connection.execute("select vec_version()").fetchall()[0][0]
    found["schema"] = pragma(connection, "user_version")
    return found


def _iso(microseconds: int | None) -> str | None:
    moment = to_datetime(microseconds)
    return moment.isoformat() if moment else None


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def check(connection: apsw.Connection, analyzer: Analyzer) -> list[str]:
    """Return what is wrong, one sentence each; empty when sound. Reads the whole file."""
    return [
        *_damage(connection),
        *_stale_analysis(connection, analyzer),
        *_broken_references(connection),
        *_index_damage(connection),
        *_miscounts(connection),
    ]


def _damage(connection: apsw.Connection) -> Iterator[str]:
    for (finding,) in connection.execute("pragma quick_check(10)").fetchall():
        if finding != "ok":
            yield f"The database is damaged: {finding}."


def _broken_references(connection: apsw.Connection) -> Iterator[str]:
    broken = connection.execute("pragma foreign_key_check").fetchall()
    if broken:
        yield f"{len(broken)} rows refer to rows that do not exist, the first in {broken[0][0]}."


def _stale_analysis(connection: apsw.Connection, analyzer: Analyzer) -> Iterator[str]:
    stored, wanted = fulltext.stored_analysis(connection), fulltext.analysis_name(analyzer)
    if stored != wanted:
        yield f"The index was made by {stored}, not by {wanted}: run `sui-memory rebuild`."


def _index_damage(connection: apsw.Connection) -> Iterator[str]:
    for table in fulltext.TABLES:
        try:
            connection.execute(f"insert into {table} ({table}) values ('integrity-check')")
        except apsw.CorruptError:
            yield f"The index {table} is damaged: run `sui-memory rebuild`."


def _miscounts(connection: apsw.Connection) -> Iterator[str]:
    passages = connection.execute("select count(*) from passages").fetchall()[0][0]
    for table in fulltext.TABLES:
        indexed = connection.execute(f"select count(*) from {table}_docsize").fetchall()[0][0]
        if indexed != passages:
            yield f"The index {table} holds {indexed} of {passages} passages: run `sui-memory rebuild`."
    for model in vectors.all_models(connection):
        orphans = connection.execute(
            f"select count(*) from {model.table}_rowids where rowid not in (select id from passages)"
        ).fetchall()[0][0]
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
        total = connection.execute("select count(*) from passages").fetchall()[0][0]
    done = last = 0
    entries = Entries(analyzer)
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


def _page(connection: apsw.Connection, after: int) -> list[tuple]:  # type: ignore[type-arg]
    return connection.execute(
        f"""
        select p.id, p.ordinal, p.start, p.stop, {MEMORY_COLUMNS}
        from passages p join exchanges e on e.id = p.exchange_id
        where p.id > ? order by p.id limit {_REBUILT_AT_ONCE}
        """,
        (after,),
    ).fetchall()
