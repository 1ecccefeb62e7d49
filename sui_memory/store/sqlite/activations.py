"""What was called to mind, and when."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

import apsw

from sui_memory.store.kept import Activation
from sui_memory.store.sqlite.connection import fetch
from sui_memory.store.sqlite.rows import to_datetime, to_microseconds

KEPT = 5_000
"""Activations kept, the newest: weeks of calls in 300 kB, and a consolidation replays 200."""

_WANTED = "(select id from exchanges where name in (select value from json_each(:ids)))"


def add(connection: apsw.Connection, ids: Sequence[str], at: datetime, *, kept: int = KEPT) -> None:
    """Note that these memories were called to mind together; of kept ones count the access."""
    bindings = {"ids": json.dumps(list(ids)), "at": to_microseconds(at)}
    connection.execute(
        f"insert into activations (exchange_id, at) select id, :at from exchanges where id in {_WANTED}",
        bindings,
    )
    connection.execute(
        "update notes set accessed = accessed + 1, accessed_at = max(ifnull(accessed_at, :at), :at)"
        f" where exchange_id in {_WANTED}",
        bindings,
    )
    connection.execute(
        "delete from activations where id <= (select max(id) from activations) - ?",
        (kept,),
    )


def latest(connection: apsw.Connection, since: datetime | None, limit: int) -> list[Activation]:
    """Return what was called to mind, the latest first."""
    rows = fetch(
        connection,
        """
        select e.name, a.at from activations a join exchanges e on e.id = a.exchange_id
        where a.at >= ifnull(?, a.at) order by a.at desc, a.id desc limit ?
        """,
        (to_microseconds(since), limit),
    )
    return [Activation(name, to_datetime(at) or datetime.min.replace(tzinfo=UTC)) for name, at in rows]
