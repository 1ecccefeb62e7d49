"""What tells whether a memory answers a cue: how rare the cue's words are, and which of them it holds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence

import apsw

from sui_memory.store.sqlite.connection import fetch, value
from sui_memory.store.sqlite.searching import Frequencies, quoted, tokens_of
from sui_memory.types import Analyzer

# Of a term in so many passages FTS5 keeps an index into its list, which spans four pages by then; asking for
# one passage takes 4 microseconds, as long as walking past 125 (measured at 17,000 and 87,000 passages).
# Of a shorter list, asking for one walks through half of it.
_INDEXED = 5_000
_WALKED_FOR_ONE_SOUGHT = 125


def rarity(
    connection: apsw.Connection, terms: Sequence[str], analyzer: Analyzer, frequencies: Frequencies
) -> dict[str, float]:
    """Return term → IDF; of a term that is no word at all 0."""
    tokens = tokens_of(connection, terms, analyzer)
    holders = frequencies.of(connection, {token for group in tokens.values() for token in group})
    total = value(connection, "select count(*) from passages")
    return {
        term: _idf(min(holders.get(token, 0) for token in group), total) if group else 0.0
        for term, group in tokens.items()
    }


def _idf(holders: int, total: int) -> float:
    # A remembered frequency may be a little more than is there now.
    return math.log(1 + max(0.0, total - holders + 0.5) / (holders + 0.5))


def holding(
    connection: apsw.Connection,
    terms: Sequence[str],
    memory_ids: Sequence[str],
    analyzer: Analyzer,
    frequencies: Frequencies,
) -> dict[str, frozenset[str]]:
    """Return memory id → those of the terms that one of its passages holds; unknown ids hold none."""
    owners = _owners(connection, memory_ids)
    tokens = tokens_of(connection, terms, analyzer)
    held: dict[str, set[str]] = {name: set() for name in memory_ids}
    for term, group in tokens.items():
        # Of a phrase the positions of each word would have to be sought: walking past all costs less.
        spread = frequencies.remembered(group[0]) if len(group) == 1 else 0
        for passage_id in _holders(connection, term, owners, spread) if group else ():
            held[owners[passage_id]].add(term)
    return {name: frozenset(found) for name, found in held.items()}


def _owners(connection: apsw.Connection, memory_ids: Sequence[str]) -> dict[int, str]:
    """Return passage id → memory id."""
    rows = fetch(
        connection,
        "select p.id, e.name from exchanges e join passages p on p.exchange_id = e.id"
        " where e.name in (select value from json_each(?))",
        (json.dumps(list(memory_ids)),),
    )
    return {passage_id: name for passage_id, name in rows}


def _holders(connection: apsw.Connection, term: str, among: Mapping[int, str], spread: int) -> Iterable[int]:
    """Return those of the passages that hold a term, which is in some `spread` of all, as far as told."""
    # The plus keeps SQLite from asking FTS5 for one rowid after the other.
    rowid = "rowid" if spread > max(_INDEXED, _WALKED_FOR_ONE_SOUGHT * len(among)) else "+rowid"
    found = connection.execute(
        f"select rowid from words where words match ? and {rowid} in (select value from json_each(?))",
        (quoted(term), json.dumps(list(among))),
    )
    return [row[0] for row in found]
