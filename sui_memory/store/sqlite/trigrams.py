"""The ranking over trigrams, and the plain search for a piece of text.

The trigram table knows which sides of which passages hold a trigram, and nothing else. A passage scores the
sum of the rarities of those it shares with the cue: as good as BM25 here, for a trigram seldom stands twice
in a passage and passages are of like size (measured: 24 trigrams so weighed find more than BM25's best 12).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import apsw

from sui_memory.store.sqlite import fulltext, rows
from sui_memory.store.sqlite.connection import fetch
from sui_memory.store.sqlite.postings import Postings
from sui_memory.store.sqlite.scoping import where
from sui_memory.store.sqlite.searching import (
    PLACE,
    Frequencies,
    Place,
    frequencies,
    informative,
    match,
    passage_count,
    quoted,
    ranked,
    storable,
)
from sui_memory.types import Analyzer, Match, Role, Scope

Found = tuple[Any, ...]  # a passage's id and its `Place`

_TRIGRAM = 3
_RAREST = 24  # trigrams of one query
_SCORED = 20_000  # passages scored at most for one query, at some 0.3 microseconds each
_SAMPLED = 96  # trigrams looked up for rareness; a longer cue is sampled evenly
_PREFIXED = 400  # trigrams that begin with one or two characters; beyond, a scan finds hits at once
_SCANNED_EXCHANGES = 2_000  # newest first, where the trigrams are too many to help
_READ_AT_ONCE = 50  # passages whose text is looked at together
_SIDES = {Role.QUESTION: 0, Role.ANSWER: 1}


def search_trigrams(
    connection: apsw.Connection,
    text: str,
    scope: Scope,
    limit: int,
    analyzer: Analyzer,
    known: Frequencies,
    postings: Postings | None = None,
) -> list[Match]:
    """Return the passages that share the rarest trigrams of `text`, the highest sum of rarities first.

    It takes less time with `postings`.
    """
    spread = known.of(connection, _sample(_telling(analyzer.fold(storable(text)))))
    chosen = informative(connection, spread, _RAREST, _SCORED)
    if not chosen:
        return []
    total = passage_count(connection)
    weights = {quoted(gram): math.log(1 + total / spread[gram]) for gram in chosen}
    quick = None
    if postings and scope.role is None:  # sides are left to SQLite
        quick = partial(postings.by_trigrams, connection, weights)
    bindings: dict[str, str | float] = {}
    for number, (gram, weight) in enumerate(weights.items()):
        bindings |= {f"gram{number}": gram, f"weight{number}": weight}
    return ranked(connection, _summed(len(chosen), scope), bindings, scope, limit, quick)


def _summed(count: int, scope: Scope) -> str:
    """Return the query for (passage, score) by `count` trigrams, each bound with its weight."""
    each = " union all ".join(
        f"select rowid >> 1 as passage, :weight{number} as weight from trigrams"
        f" where trigrams match :gram{number}{_side(scope)}"
        for number in range(count)
    )
    return f"select passage, sum(weight) as score from ({each}) group by passage"


def _side(scope: Scope) -> str:
    """Return the condition for rows of the side that the scope asks for."""
    return "" if scope.role is None else f" and rowid & 1 = {_SIDES[scope.role]}"


def _telling(folded: str) -> list[str]:
    """Return the trigrams of the runs between blanks, those of hiragana alone left out as mere grammar."""
    return [
        gram
        for gram in dict.fromkeys(gram for run in folded.split() for gram in _trigrams(run))
        if not all("\u3041" <= char <= "\u309f" for char in gram)
    ]


def _trigrams(text: str) -> Iterator[str]:
    return (text[start : start + _TRIGRAM] for start in range(len(text) - _TRIGRAM + 1))


def _sample(grams: Sequence[str]) -> Sequence[str]:
    step = -(-len(grams) // _SAMPLED)
    return grams[::step] if step > 1 else grams


def search_substring(
    connection: apsw.Connection, text: str, scope: Scope, limit: int, analyzer: Analyzer
) -> list[Match]:
    """Return the newest passages that contain `text`, folded; the score only tells their order."""
    needle = " ".join(analyzer.fold(storable(text)).split())
    if not needle or limit <= 0:
        return []
    places = islice(_containing(connection, needle, scope, analyzer), limit)
    return [match(*place, score=1 / (1 + rank)) for rank, place in enumerate(places)]


def _containing(
    connection: apsw.Connection, needle: str, scope: Scope, analyzer: Analyzer
) -> Iterator[Place]:
    """Yield the passages that contain a needle, the newest first."""
    expression = _expression(connection, needle)
    if expression is None:
        return _verified(connection, _newest(connection, scope), needle, scope, analyzer)
    found = _holding(connection, expression, scope)
    if len(needle) < _TRIGRAM:
        return (row[1:] for row in found)
    # All of its trigrams are there, but in any order: the text itself must tell.
    return _verified(connection, found, needle, scope, analyzer)


def _expression(connection: apsw.Connection, needle: str) -> str | None:
    """Return the FTS5 expression for rows that hold a needle's trigrams; None when they would be too many."""
    if len(needle) < _TRIGRAM:
        beginning = _beginning_with(connection, needle)
        return None if len(beginning) > _PREFIXED else " OR ".join(map(quoted, beginning))
    grams = _sample(list(dict.fromkeys(_trigrams(needle))))
    spread = frequencies(connection, "trigrams", grams)
    if len(spread) < len(grams):
        return ""
    rarest = sorted(grams, key=lambda gram: spread[gram])[:_RAREST]
    return None if spread[rarest[0]] > _SCORED else " AND ".join(map(quoted, rarest))


def _beginning_with(connection: apsw.Connection, needle: str) -> list[str]:
    """Return trigrams that begin with one or two characters, at most one more than are of use."""
    grams = fetch(
        connection,
        "select term from trigrams_vocabulary where term >= ? and term < ? limit ?",
        (needle, needle + "\U0010ffff", _PREFIXED + 1),
    )
    return [row[0] for row in grams]


def _holding(connection: apsw.Connection, expression: str, scope: Scope) -> list[Found]:
    """Return the passages of which one side matches, the newest first."""
    if not expression:
        return []
    condition, bindings = where(scope)
    return fetch(
        connection,
        f"""
        select p.id, {PLACE} from passages p join exchanges e on e.id = p.exchange_id
        where p.id in (select rowid >> 1 from trigrams where trigrams match :expression{_side(scope)})
            and {condition}
        order by ifnull(e.asked_at, 0) desc, p.id
        """,
        {**bindings, "expression": expression},
    )


def _newest(connection: apsw.Connection, scope: Scope) -> list[Found]:
    """Return the passages of the newest exchanges in scope."""
    condition, bindings = where(scope)
    return fetch(
        connection,
        f"""
        select p.id, {PLACE}
        from (
            select * from exchanges e where {condition}
            order by ifnull(e.asked_at, 0) desc limit {_SCANNED_EXCHANGES}
        ) e
        join passages p on p.exchange_id = e.id
        order by ifnull(e.asked_at, 0) desc, p.id
        """,
        bindings,
    )


def _verified(
    connection: apsw.Connection, found: Sequence[Found], needle: str, scope: Scope, analyzer: Analyzer
) -> Iterator[Place]:
    """Yield those of the passages whose text, on the side the scope asks for, contains the needle."""
    for start in range(0, len(found), _READ_AT_ONCE):
        some = found[start : start + _READ_AT_ONCE]
        sides = _sides(connection, [row[0] for row in some], analyzer)
        for row in some:
            looked_at = sides[row[0]] if scope.role is None else [sides[row[0]][_SIDES[scope.role]]]
            if any(needle in side for side in looked_at):
                yield row[1:]


def _sides(
    connection: apsw.Connection, passage_ids: Sequence[int], analyzer: Analyzer
) -> dict[int, list[str]]:
    """Return the two sides of passages as the trigram table saw them."""
    found = connection.execute(
        f"""
        select p.id, p.start, p.stop, {rows.MEMORY_COLUMNS}
        from passages p join exchanges e on e.id = p.exchange_id join contents c on c.exchange_id = e.id
        where p.id in (select value from json_each(?))
        """,
        (json.dumps(list(passage_ids)),),
    )
    return {
        passage_id: [
            fulltext.trigram_text(side, analyzer) for side in rows.memory(row).exchange.sides(start, stop)
        ]
        for passage_id, start, stop, *row in found
    }
