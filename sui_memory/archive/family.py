"""A family of transcripts cut into exchanges, without what the user had forgotten."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic_core import from_json

from sui_memory.archive.tools import Tools
from sui_memory.transcript.chain import fingerprint
from sui_memory.transcript.models import Record, parse_record
from sui_memory.transcript.slim import stub
from sui_memory.transcript.turns import Turn
from sui_memory.types import Exchange, Indexed, content_hash

Lines = Mapping[str, Sequence[bytes]]

_ARCHIVED = {"user", "assistant", "attachment", "queue-operation", "system", "link"}
"""The record types that the chunker knows; only these can be told apart by turn."""


@dataclass(frozen=True, slots=True)
class Cutting:
    """The exchanges of a family, and the files whose raw records had to be silenced, with their new lines."""

    exchanges: tuple[Exchange, ...]
    silenced: dict[str, list[bytes]]


def cut_family(lines: Lines, forgotten: Collection[str], tools: Tools) -> Cutting:
    """Cut the slim records of a family, by path.

    Turns whose key or fingerprint is in `forgotten` are left out, and their records, wherever they
    were copied to, become stubs; so do records that come late for a turn forgotten before.
    """
    exchanges: list[Exchange] = []
    dropped: list[Turn] = []
    name = Path(next(iter(lines), "")).stem
    for turn in tools.adapter.chunk([*lines.items()]):
        exchange = turn.exchange(name, tools.project_of)
        if turn.forgotten or exchange.key in forgotten or exchange.fingerprint in forgotten:
            dropped.append(turn)
        else:
            exchanges.append(exchange)
    return Cutting(tuple(exchanges), _silence(lines, dropped))


def changed(exchanges: Sequence[Exchange], hashes: Mapping[str, bytes]) -> list[Exchange]:
    """Return the exchanges that are not stored in this form yet."""
    return [exchange for exchange in exchanges if hashes.get(exchange.key) != content_hash(exchange)]


def indexed(exchanges: Sequence[Exchange], tools: Tools) -> tuple[Indexed, ...]:
    """Return the exchanges with their passages: the costly part, word by word."""
    return tuple(Indexed(exchange, tools.cut(exchange, tools.analyzer)) for exchange in exchanges)


def _silence(lines: Lines, dropped: Sequence[Turn]) -> dict[str, list[bytes]]:
    spoken = [record for turn in dropped for record in turn.records if record.forgotten is None]
    if not spoken:
        return {}
    openers = {turn.opener.uuid for turn in dropped if turn.opener.uuid}
    is_dropped = _matcher(spoken)
    result = {}
    for path, before in lines.items():
        after = [line for old in before for line in _without_words(old, is_dropped, openers)]
        if after != list(before):
            result[path] = after
    return result


def _matcher(records: Sequence[Record]) -> Callable[[Record], bool]:
    uuids = {record.uuid for record in records if record.uuid}
    prints = {mark for record in records if (mark := fingerprint(record))}
    return lambda record: record.uuid in uuids or fingerprint(record) in prints


def _without_words(
    line: bytes, is_dropped: Callable[[Record], bool], openers: Collection[str]
) -> Sequence[bytes]:
    """Return the stub of a dropped record, another record as it is, and nothing of an unknown one."""
    record = parse_record(line)
    if record is None or record.type not in _ARCHIVED:
        return ()
    if record.forgotten is not None or not is_dropped(record):
        return (line,)
    return (stub(from_json(line), opener=record.uuid in openers),)
