"""Pictures and sounds of kept memories, and from where the camera saw them."""

from __future__ import annotations

import math

import apsw

from sui_memory.store.kept import KeptMemory, Medium
from sui_memory.store.sqlite import notes
from sui_memory.store.sqlite.connection import fetch

_COLUMNS = "kind, mime, name, data, thumbnail"
_CIRCLE = 360.0


def add(connection: apsw.Connection, memory_id: str, medium: Medium) -> None:
    """Store the medium of a memory that has none."""
    connection.execute(
        f"insert into media (exchange_id, {_COLUMNS}) select id, ?, ?, ?, ?, ? from exchanges where name = ?",
        (medium.kind, medium.mime, medium.name, medium.data, medium.thumbnail, memory_id),
    )


def of(connection: apsw.Connection, memory_id: str) -> Medium | None:
    """Return the picture or sound of a memory, if it has one."""
    rows = fetch(
        connection,
        "select m.kind, m.mime, m.name, m.data, m.thumbnail"
        " from media m join exchanges e on e.id = m.exchange_id where e.name = ?",
        (memory_id,),
    )
    return Medium(*rows[0]) if rows else None


def seen_from(
    connection: apsw.Connection, pan_angle: float, tilt_angle: float, tolerance: float
) -> list[KeptMemory]:
    """Return what was seen within `tolerance` degrees of both angles, the nearest first."""
    rows = fetch(
        connection,
        "select e.name, n.pan_angle, n.tilt_angle from notes n join exchanges e on e.id = n.exchange_id"
        " where n.pan_angle is not null and n.tilt_angle is not null and e.rest is null"
        " order by e.asked_at desc, e.id desc",
    )
    turned = {name: (_apart(pan, pan_angle), _apart(tilt, tilt_angle)) for name, pan, tilt in rows}
    near = [name for name, both in turned.items() if max(both) <= tolerance]
    return notes.kept(connection, sorted(near, key=lambda name: math.hypot(*turned[name])))


def _apart(one: float, other: float) -> float:
    """Return how many degrees two directions are apart, 180 at most: 359 and 1 are 2 apart."""
    return abs(math.remainder(one - other, _CIRCLE))
