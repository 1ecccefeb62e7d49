"""Reading what is stored: by id, around an id, in order of time, by session and by project."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import apsw

from sui_memory.store.base import SessionRow
from sui_memory.store.kept import KEPT
from sui_memory.store.sqlite.connection import fetch
from sui_memory.store.sqlite.packing import packed_uuid
from sui_memory.store.sqlite.rows import (
    MEMORY_COLUMNS,
    MEMORY_TABLES,
    memory,
    to_datetime,
    to_microseconds,
)
from sui_memory.store.sqlite.scoping import where
from sui_memory.types import Memory, Scope

_PAGE = 200  # exchanges read at once by `scan`; a page of long answers is a few megabytes
_TITLE_CHARS = 80
_MAX_FOUND = 10


def get(connection: apsw.Connection, ids: Sequence[str]) -> list[Memory]:
    """Return the memories of these ids, in the order asked; unknown ids are left out."""
    rows: Iterable[tuple[Any, ...]] = connection.execute(
        f"select e.name, {MEMORY_COLUMNS} from {MEMORY_TABLES}"
        " where e.name in (select value from json_each(?))",
        (json.dumps(list(ids)),),
    )
    found = {row[0]: memory(row[1:]) for row in rows}
    return [found[name] for name in ids if name in found]


def find(connection: apsw.Connection, prefix: str) -> list[str]:
    """Return the ids that start with `prefix`, at most 10, in order."""
    rows = connection.execute(
        "select name from exchanges where name >= ? and name < ? order by name limit ?",
        (prefix.lower(), prefix.lower() + "\U0010ffff", _MAX_FOUND),
    )
    return [row[0] for row in rows]


def neighbours(connection: apsw.Connection, memory_id: str, before: int, after: int) -> list[Memory]:
    """Return the exchanges around a memory in its session and side chain, in order, itself included."""
    rows = connection.execute(
        f"""
        with line as (
            select e.id, e.name, row_number() over (order by ifnull(e.asked_at, 0), e.id) as place
            from exchanges e join exchanges o on o.session = e.session and o.sidechain = e.sidechain
            where o.name = :name
        ), middle as (select place from line where name = :name)
        select {MEMORY_COLUMNS} from middle, line, {MEMORY_TABLES}
        where e.id = line.id and line.place between middle.place - :before and middle.place + :after
        order by line.place
        """,
        {"name": memory_id, "before": before, "after": after},
    )
    return [memory(row) for row in rows]


def adjacent(connection: apsw.Connection, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return id → the ids of the exchanges just before and after it in its session and side chain.

    What was kept outside of any conversation stands alone, whatever was kept before and after it.
    """
    beside = f"""(
        select o.name from exchanges o where o.session = e.session and o.sidechain = e.sidechain
        and e.session <> '{KEPT}' and (ifnull(o.asked_at, 0), o.id) {{0}} (ifnull(e.asked_at, 0), e.id)
        order by ifnull(o.asked_at, 0) {{1}}, o.id {{1}} limit 1
    )"""
    rows = connection.execute(
        f"select e.name, {beside.format('<', 'desc')}, {beside.format('>', 'asc')} from exchanges e"
        " where e.name in (select value from json_each(?))",
        (json.dumps(list(ids)),),
    )
    return {name: tuple(other for other in others if other) for name, *others in rows}


def scan(connection: apsw.Connection, scope: Scope) -> Iterator[list[Memory]]:
    """Yield the memories in scope in pages, oldest first; each page is a read of its own."""
    condition, bindings = where(scope)
    last = (-(2**63), 0)
    while True:
        rows = fetch(
            connection,
            f"""
            select ifnull(e.asked_at, 0), e.id, {MEMORY_COLUMNS} from {MEMORY_TABLES}
            where ifnull(e.asked_at, 0) >= :moment and (ifnull(e.asked_at, 0), e.id) > (:moment, :id)
                and {condition}
            order by ifnull(e.asked_at, 0), e.id limit :page
            """,
            {**bindings, "moment": last[0], "id": last[1], "page": _PAGE},
        )
        if not rows:
            return
        last = (rows[-1][0], rows[-1][1])
        yield [memory(row[2:]) for row in rows]


def present(
    connection: apsw.Connection, session: str, path: str | None, since: datetime | None
) -> frozenset[str]:
    """Return the ids of a session's memories, and of those of its family that were asked before its first.

    Of a session of which nothing is stored yet, all of the family are: any of it may have been copied.
    """
    rows = connection.execute(
        """
        with own as (
            select name, asked_at from exchanges where session = :session
        ), inherited as (
            select e.name, e.asked_at
            from sources named join sources member on member.family = named.family
            join exchanges e on e.source_id = member.id
            where named.path = :path
                and ifnull(e.asked_at, 0) < ifnull((select min(asked_at) from own), 9223372036854775807)
        )
        select name from (select * from own union all select * from inherited)
        where :since is null or asked_at >= :since
        """,
        {"session": packed_uuid(session), "path": path, "since": to_microseconds(since)},
    )
    return frozenset(row[0] for row in rows)


def muted(connection: apsw.Connection) -> list[Memory]:
    """Return the memories that are never to be injected, oldest first."""
    rows = fetch(
        connection,
        f"select {MEMORY_COLUMNS} from {MEMORY_TABLES}"
        " where e.muted = 1 order by ifnull(e.asked_at, 0), e.id",
    )
    return [memory(row) for row in rows]


def sessions(connection: apsw.Connection, scope: Scope, limit: int, offset: int) -> list[SessionRow]:
    """Return sessions, the most recent first; the title is the beginning of the first question."""
    condition, bindings = where(scope)
    rows = connection.execute(
        f"""
        with page as (
            select e.session, count(*) as exchanges, min(e.asked_at) as first_at,
                max(ifnull(e.answered_at, e.asked_at)) as last_at
            from exchanges e where {condition}
            group by e.session order by last_at desc nulls last, e.session limit :limit offset :offset
        )
        select page.first_at, page.last_at, page.exchanges, {MEMORY_COLUMNS}
        from page join exchanges e on e.id = (
            select e.id from exchanges e where e.session = page.session and {condition}
            order by ifnull(e.asked_at, 0), e.id limit 1
        ) join contents c on c.exchange_id = e.id
        order by page.last_at desc nulls last, page.session
        """,
        {**bindings, "limit": limit, "offset": offset},
    )
    return [_session(row) for row in rows]


def _session(row: Sequence[Any]) -> SessionRow:
    first, last, count, *columns = row
    opening = memory(columns).exchange
    title = " ".join(opening.question[: _TITLE_CHARS * 4].split())[:_TITLE_CHARS]
    return SessionRow(
        opening.session, opening.project, opening.agent, to_datetime(first), to_datetime(last), count, title
    )


def projects(connection: apsw.Connection) -> dict[str, int]:
    """Return project → number of exchanges, the largest first."""
    return {
        project: count
        for project, count in fetch(
            connection,
            "select project, count(*) from exchanges group by project order by count(*) desc, project",
        )
    }
