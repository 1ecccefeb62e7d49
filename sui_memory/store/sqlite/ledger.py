"""The SQLite backend of `Ledger`: injections, what each showed, and when sessions were compacted."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw

from sui_memory.store.ledger import REFUSED, Injection, Shown
from sui_memory.store.sqlite import usage
from sui_memory.store.sqlite.connection import fetch, value
from sui_memory.store.sqlite.packing import packed_uuid, to_json, unpacked_uuid
from sui_memory.store.sqlite.rows import to_datetime, to_microseconds
from sui_memory.store.sqlite.side import Side
from sui_memory.types import Usage

KEPT = 20_000
"""Injections kept, the newest: months of prompts in some 10 MB."""

KEPT_REFUSED = 2_000
"""Injections whose refused memories are kept, 2 kB for three: who wonders at a silence wonders soon."""

_COLUMNS = (
    "at",
    "session",
    "event",
    "prompt_hash",
    "silence",
    "memories",
    "characters",
    "milliseconds",
    "model",
    "late",
)
_INSERT = f"""
    insert into injections ({", ".join(_COLUMNS)}) values ({", ".join("?" * len(_COLUMNS))}) returning id
"""
# A memory may have been forgotten between being recalled and being noted.
_INSERT_MEMORY = """
    insert into {table} (injection_id, place, exchange_id, score, trace)
    select ?, ?, id, ?, ? from exchanges where name = ?
"""
_DECIMALS = 6
"""Of a number in a trace: what is printed of it, in half the bytes."""


class SqliteLedger(Side):
    """A `Ledger` beside the memories, on the store's own connection and thread.

    What it says of a memory goes with the memory.
    """

    def __init__(
        self, connection: apsw.Connection, path: Path, *, kept: int = KEPT, kept_refused: int = KEPT_REFUSED
    ) -> None:
        super().__init__(connection, path)
        self._kept = kept
        self._kept_refused = kept_refused

    def record(self, injection: Injection) -> int:
        """See `Ledger.record`."""
        with self._write() as connection:
            number = int(value(connection, _INSERT, _values(injection)))
            _insert(connection, "shown", number, injection.memories)
            _insert(connection, "refused", number, injection.refused[:REFUSED])
            connection.execute("delete from injections where id <= ?", (number - self._kept,))
            connection.execute("delete from refused where injection_id <= ?", (number - self._kept_refused,))
        return number

    def injections(
        self, limit: int, offset: int = 0, *, session: str | None = None, silent: bool = True
    ) -> list[Injection]:
        """See `Ledger.injections`."""
        condition = (
            "(:session is null or i.session = packed_uuid(:session))"
            " and (:silent or i.memories or i.characters)"
        )
        bindings = {"session": session, "silent": silent, "limit": limit, "offset": offset}
        return self._found(condition, bindings)

    def injection(self, number: int) -> Injection | None:
        """See `Ledger.injection`."""
        return next(iter(self._found("i.id = :number", {"number": number, "limit": 1, "offset": 0})), None)

    def of_memory(self, memory_id: str, limit: int) -> list[Injection]:
        """See `Ledger.of_memory`."""
        condition = """
            i.id in (
                select s.injection_id from shown s join exchanges e on e.id = s.exchange_id
                where e.name = :name
            )
        """
        return self._found(condition, {"name": memory_id, "limit": limit, "offset": 0})

    def _found(self, condition: str, bindings: dict[str, Any]) -> list[Injection]:
        with self._read() as connection:
            rows = fetch(
                connection,
                f"select i.id, {', '.join(f'i.{column}' for column in _COLUMNS)} from injections i"
                f" where {condition} order by i.id desc limit :limit offset :offset",
                bindings,
            )
            numbers = [row[0] for row in rows]
            shown, refused = (_memories(connection, table, numbers) for table in ("shown", "refused"))
        return [_injection(row, tuple(shown[row[0]]), tuple(refused[row[0]])) for row in rows]

    def shown(self, session: str) -> frozenset[str]:
        """See `Ledger.shown`."""
        with self._read() as connection:
            rows = fetch(
                connection,
                """
                select distinct e.name
                from injections i
                join shown s on s.injection_id = i.id
                join exchanges e on e.id = s.exchange_id
                where i.session = :session
                    and i.id > ifnull((select after from compactions where session = :session), 0)
                """,
                {"session": packed_uuid(session)},
            )
        return frozenset(row[0] for row in rows)

    def compact(self, session: str, at: datetime) -> None:
        """See `Ledger.compact`.

        The injections before it are found once, now: a clock that is set back later changes nothing.
        """
        with self._write() as connection:
            connection.execute(
                """
                insert into compactions (session, at, after) values (:session, :at, ifnull(
                    (select max(id) from injections where session = :session and at <= :at), 0
                ))
                on conflict (session) do update set at = excluded.at, after = max(after, excluded.after)
                """,
                {"session": packed_uuid(session), "at": to_microseconds(at)},
            )

    def compacted_at(self, session: str) -> datetime | None:
        """See `Ledger.compacted_at`."""
        with self._read() as connection:
            return to_datetime(
                value(connection, "select at from compactions where session = ?", (packed_uuid(session),))
            )

    def unjudged(self, session: str, limit: int) -> list[Injection]:
        """See `Ledger.unjudged`."""
        return self._found(usage.UNJUDGED, {"session": session, "limit": limit, "offset": 0})

    def judge(self, number: int, verdicts: Mapping[str, bool | None]) -> None:
        """See `Ledger.judge`."""
        with self._write() as connection:
            usage.judge(connection, number, verdicts)

    def feedback(self, memory_ids: Sequence[str]) -> dict[str, Usage]:
        """See `Ledger.feedback`."""
        with self._read() as connection:
            return usage.usages(connection, memory_ids)

    def latest(self, events: Sequence[str]) -> datetime | None:
        """See `Ledger.latest`."""
        with self._read() as connection:
            query = (
                "select at from injections where event in (select value from json_each(?))"
                " order by id desc limit 1"
            )
            return to_datetime(value(connection, query, (json.dumps(list(events)),)))


def forget(connection: apsw.Connection, session: bytes | str) -> None:
    """Delete what a session (packed) was shown, once nothing that was said in it is left."""
    for table in ("injections", "compactions"):
        connection.execute(
            f"delete from {table} where session = :session"
            " and not exists (select 1 from exchanges where session = :session)",
            {"session": session},
        )


def _values(injection: Injection) -> tuple[Any, ...]:
    """Return the values of `_COLUMNS`."""
    return (
        to_microseconds(injection.at),
        packed_uuid(injection.session),
        injection.event,
        injection.prompt_hash,
        injection.silence,
        len(injection.memories) + injection.forgotten,
        injection.characters,
        injection.milliseconds,
        injection.model,
        injection.late,
    )


def _insert(connection: apsw.Connection, table: str, number: int, memories: Sequence[Shown]) -> None:
    """Note in `shown` or `refused` the memories of an injection, in order."""
    rows = []
    for place, memory in enumerate(memories):
        trace = to_json([(stage, round(part, _DECIMALS)) for stage, part in memory.trace])
        rows.append((number, place, memory.score, trace, memory.memory_id))
    connection.executemany(_INSERT_MEMORY.format(table=table), rows)


def _memories(
    connection: apsw.Connection, table: str, numbers: Sequence[int]
) -> defaultdict[int, list[Shown]]:
    """Return injection id → those of its memories in `shown` or `refused` that are still there, in order."""
    rows = connection.execute(
        f"""
        select m.injection_id, e.name, m.score, m.trace
        from {table} m join exchanges e on e.id = m.exchange_id
        where m.injection_id in (select value from json_each(?)) order by m.injection_id, m.place
        """,
        (json.dumps(list(numbers)),),
    )
    found: defaultdict[int, list[Shown]] = defaultdict(list)
    for number, name, score, trace in rows:
        stages = tuple((str(stage), float(part)) for stage, part in json.loads(trace))
        found[number].append(Shown(name, score, stages))
    return found


def _injection(row: Sequence[Any], memories: tuple[Shown, ...], refused: tuple[Shown, ...]) -> Injection:
    number, at, session, event, prompt_hash, silence, count, characters, milliseconds, model, late = row
    moment = to_datetime(at)
    assert moment is not None  # noqa: S101 - the column is not null
    return Injection(
        at=moment,
        session=unpacked_uuid(session),
        event=event,
        prompt_hash=prompt_hash,
        silence=silence,
        memories=memories,
        characters=characters,
        milliseconds=milliseconds,
        model=model,
        late=bool(late),
        id=number,
        forgotten=count - len(memories),
        refused=refused,
    )
