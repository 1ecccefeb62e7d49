"""What came of the memories that were shown, in the rows of the ledger that tell of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import apsw

from sui_memory.store.sqlite.connection import fetch
from sui_memory.types import Usage

UNJUDGED = """
    i.session = packed_uuid(:session) and i.prompt_hash <> ''
    and exists (select 1 from shown s where s.injection_id = i.id)
    and not exists (select 1 from shown s where s.injection_id = i.id and s.verdict is not null)
"""
"""Holds of an injection i that answered a prompt of a session, and of which nothing is known yet."""

_VERDICTS = {True: "used", False: "ignored", None: "unclear"}


def judge(connection: apsw.Connection, number: int, verdicts: Mapping[str, bool | None]) -> None:
    """Note for each memory of an injection whether it was used."""
    connection.executemany(
        """
        update shown set verdict = ?
        where injection_id = ? and exchange_id = (select id from exchanges where name = ?)
        """,
        [(_VERDICTS[verdict], number, memory_id) for memory_id, verdict in verdicts.items()],
    )


def usages(connection: apsw.Connection, memory_ids: Sequence[str]) -> dict[str, Usage]:
    """Return memory id → how often it was shown and used; those of which nothing is known are left out."""
    rows = fetch(
        connection,
        """
        select e.name, count(*), sum(s.verdict = 'used')
        from exchanges e join shown s on s.exchange_id = e.id
        where e.name in (select value from json_each(?)) and s.verdict in ('used', 'ignored')
        group by e.id
        """,
        (json.dumps(list(memory_ids)),),
    )
    return {name: Usage(shown, used) for name, shown, used in rows}
