"""A family of transcripts cut into exchanges, without what the user had forgotten."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sui_memory.archive.silencing import Lines, hush, silence
from sui_memory.archive.tools import Tools
from sui_memory.transcript.turns import Turn
from sui_memory.types import Exchange, Indexed, content_hash


@dataclass(frozen=True, slots=True)
class Cutting:
    """The exchanges of a family, and the files whose raw records had to be silenced, with their new lines."""

    exchanges: tuple[Exchange, ...]
    silenced: dict[str, list[bytes]]


def cut_family(
    lines: Lines, forgotten: Collection[str], tools: Tools, *, sessions: Collection[str] = ()
) -> Cutting:
    """Cut the slim records of a family, by path.

    Turns whose key or fingerprint is in `forgotten` are left out, and their records, wherever they
    were copied to, become stubs; so do records that come late, or again, for a turn forgotten before.
    Of `sessions`, records that belong to no turn become stubs, too.
    """
    exchanges: list[Exchange] = []
    kept: list[Turn] = []
    dropped: list[Turn] = []
    name = Path(min(lines, default="")).stem
    hushed = hush(lines)
    for turn in tools.adapter.chunk([*hushed.items()]):
        exchange = turn.exchange(name, tools.project_of, tools.adapter.agent)
        if turn.forgotten or exchange.key in forgotten or exchange.fingerprint in forgotten:
            dropped.append(turn)
        else:
            exchanges.append(exchange)
            kept.append(turn)
    after = silence(hushed, kept, dropped, sessions)
    return Cutting(tuple(exchanges), {path: new for path, new in after.items() if new != list(lines[path])})


def changed(exchanges: Sequence[Exchange], hashes: Mapping[str, bytes]) -> list[Exchange]:
    """Return the exchanges that are not stored in this form yet."""
    return [exchange for exchange in exchanges if hashes.get(exchange.key) != content_hash(exchange)]


def indexed(exchanges: Sequence[Exchange], tools: Tools) -> tuple[Indexed, ...]:
    """Return the exchanges with their passages: the costly part, word by word."""
    return tuple(Indexed(exchange, tools.cut(exchange, tools.analyzer)) for exchange in exchanges)
