"""Ties from one memory to another."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import apsw

from sui_memory.store.kept import Link, LinkType
from sui_memory.store.sqlite.connection import fetch, value
from sui_memory.store.sqlite.rows import to_datetime, to_microseconds

# Microseconds since 1970, of a link that comes without its time.
_NOW = "cast(unixepoch('subsec') * 1000000 as integer)"
_COUNT = "select count(*) from links"
_WRITE = f"""
    insert into links (source_id, target_id, type, note, strength, created_at)
    select s.id, t.id, ?, ?, ?, ifnull(?, {_NOW}) from exchanges s, exchanges t
    where s.name = ? and t.name = ? and s.id <> t.id
    on conflict do update set
        note = excluded.note, strength = excluded.strength, created_at = excluded.created_at
"""
_BETWEEN = "(source_id, target_id) in (values (:one, :other), (:other, :one))"


def write(connection: apsw.Connection, links: Sequence[Link]) -> int:
    """Store links, in the place of those that say the same; return how many are new.

    A link from a memory to itself says nothing and is passed over.
    """
    before = value(connection, _COUNT)
    connection.executemany(_WRITE, [_values(link) for link in links])
    return int(value(connection, _COUNT)) - int(before)


def _values(link: Link) -> tuple[Any, ...]:
    moment = to_microseconds(link.created_at)
    return link.type.value, link.note, link.strength, moment, link.source_id, link.target_id


def delete(connection: apsw.Connection, source_id: str, target_id: str, type: LinkType | None) -> int:
    """Delete the links from one memory to another, of a type or of any; return how many went."""
    connection.execute(
        """
        delete from links
        where source_id = (select id from exchanges where name = :source)
            and target_id = (select id from exchanges where name = :target)
            and (:type is null or type = :type)
        """,
        {"source": source_id, "target": target_id, "type": type},
    )
    return connection.changes()


def strengthen(connection: apsw.Connection, pairs: Sequence[tuple[str, str]], by: float) -> int:
    """Raise the strength of the links of each pair, either way, or make one; return how many changed."""
    ids = _row_ids(connection, {name for pair in pairs for name in pair})
    known = [(ids[one], ids[other]) for one, other in pairs if one in ids and other in ids and one != other]
    return sum(_strengthen(connection, {"one": one, "other": other, "by": by}) for one, other in known)


def _strengthen(connection: apsw.Connection, bindings: dict[str, float]) -> int:
    if not value(connection, f"select exists (select 1 from links where {_BETWEEN})", bindings):
        connection.execute(
            "insert into links (source_id, target_id, type, note, strength, created_at)"
            f" values (:one, :other, '{LinkType.RELATED}', '', min(1.0, :by), {_NOW})",
            bindings,
        )
        return 1
    connection.execute(
        f"update links set strength = min(1.0, strength + :by) where {_BETWEEN} and strength < 1", bindings
    )
    return connection.changes()


def _row_ids(connection: apsw.Connection, names: set[str]) -> dict[str, int]:
    query = "select name, id from exchanges where name in (select value from json_each(?))"
    return dict(fetch(connection, query, (json.dumps(sorted(names)),)))


def of(connection: apsw.Connection, ids: Sequence[str]) -> list[Link]:
    """Return the links from or to any of these memories, the strongest first, of equals the newest."""
    rows = fetch(
        connection,
        """
        with wanted as (select id from exchanges where name in (select value from json_each(?)))
        select s.name, t.name, l.type, l.note, l.strength, l.created_at
        from (
            select * from links where source_id in wanted union select * from links where target_id in wanted
        ) l
        join exchanges s on s.id = l.source_id join exchanges t on t.id = l.target_id
        order by l.strength desc, l.created_at desc, s.name, t.name, l.type
        """,
        (json.dumps(list(ids)),),
    )
    return [_link(row) for row in rows]


def _link(row: Sequence[Any]) -> Link:
    source, target, kind, note, strength, created_at = row
    return Link(source, target, LinkType(kind), note, strength, to_datetime(created_at))
