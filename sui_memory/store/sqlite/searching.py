"""The ranking over words, and what it has in common with the one over trigrams.

Every passage that matches is scored before any is sorted, so the cost of a query is the number of its
matches: terms that most passages hold are left out while rarer ones are there, since their rarity gives
them next to no weight anyway.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, islice
from typing import Any

import apsw

from sui_memory.store.sqlite import rows
from sui_memory.store.sqlite.connection import fetch, value
from sui_memory.store.sqlite.postings import Postings
from sui_memory.store.sqlite.scoping import barred, unbarred, where
from sui_memory.types import Analyzer, Match, Scope

Place = tuple[Any, ...]
PLACE = "e.name, p.ordinal, p.start, p.stop, e.asked_at"
"""The columns of a `Place`."""

# A term in more than this share of the passages scores below ln(9) = 2.2 in BM25 and costs the most.
_COMMON_SHARE = 0.1
# Below this many passages every query is fast, and shares of them mean nothing.
_SMALL_ARCHIVE = 500
# So many passages are scored at most for one query, at about a microsecond each: the sum of the frequencies.
_SCORED_BY_WORDS = 20_000
_MAX_TERMS = 64  # of one query of words, the rarest first
# How many more matches than asked for are fetched, so that a scope that drops some needs no second query.
_OVERFETCH = 4
# One in so many is placed in addition at first, for those that prove to be out of scope.
_SPARE = 4
# Passages of a term from which on its frequency is remembered: looking it up walks past all of them.
_FREQUENT = 256
# A frequency is looked up again when the archive has grown by this share of it: so it is off by a sixteenth
# at most, and an IDF by 0.06. What was deleted meanwhile is not noticed; users delete little at a time.
_STALE_SHARE = 1 / 16


class Frequencies:
    """How many passages hold a token of a full-text table; those of frequent tokens are remembered."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._known: dict[str, tuple[int, int]] = {}

    def of(self, connection: apsw.Connection, tokens: Iterable[str]) -> dict[str, int]:
        """Return token → number of passages, for the tokens that any passage holds."""
        size = passage_count(connection)
        wanted = set(tokens)
        found = {
            token: holders
            for token in wanted
            if (known := self._known.get(token)) and size - known[1] <= (holders := known[0]) * _STALE_SHARE
        }
        fresh = frequencies(connection, self._table, wanted - found.keys())
        self._known |= {token: (holders, size) for token, holders in fresh.items() if holders >= _FREQUENT}
        return found | fresh

    def remembered(self, token: str) -> int:
        """Return about how many passages hold a frequent token, 0 when it is not known to be one."""
        return self._known.get(token, (0, 0))[0]


def search_words(
    connection: apsw.Connection,
    terms: Sequence[str],
    scope: Scope,
    limit: int,
    analyzer: Analyzer,
    known: Frequencies,
    postings: Postings | None = None,
) -> list[Match]:
    """Return the passages that hold any of the terms, best BM25 first; sooner with `postings`."""
    tokens = tokens_of(connection, terms, analyzer)
    frequency = known.of(connection, {token for group in tokens.values() for token in group})
    # A term of several tokens is a phrase, no more frequent than its rarest token.
    spread = {
        term: min(frequency.get(token, 0) for token in group) for term, group in tokens.items() if group
    }
    chosen = informative(connection, spread, _MAX_TERMS, _SCORED_BY_WORDS)
    if not chosen:
        return []
    scored = "select rowid as passage, -rank as score from words where words match :expression"
    quick = None
    # Phrases and sides are left to FTS5.
    if postings and scope.role is None and all(len(tokens[term]) == 1 for term in chosen):
        quick = partial(postings.by_words, connection, [tokens[term][0] for term in chosen])
    return ranked(connection, scored, {"expression": _any_of(chosen, scope)}, scope, limit, quick)


def storable(text: str) -> str:
    """Return a query without what no stored text holds: lone surrogates and NUL, which ends FTS5's syntax."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def tokens_of(connection: apsw.Connection, terms: Sequence[str], analyzer: Analyzer) -> dict[str, list[str]]:
    """Return term → the tokens that the words table holds of it: of some terms several, of some none."""
    name, *arguments = shlex.split(analyzer.fts_tokenizer)
    tokenizer = connection.fts5_tokenizer(name, arguments)

    def tokenize(term: str) -> list[str]:
        text = storable(term).encode()
        found = tokenizer(text, apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False)
        return [str(group[0]) for group in found]

    return {term: tokenize(term) for term in dict.fromkeys(terms)}


def frequencies(connection: apsw.Connection, table: str, terms: Iterable[str]) -> dict[str, int]:
    """Return term → number of passages, for the terms that the table knows."""
    # One statement: FTS5 prepares another one each time that the vocabulary is opened.
    found = connection.execute(
        f"select v.term, v.doc from json_each(?) wanted"
        f" cross join {table}_vocabulary v on v.term = wanted.value",
        (json.dumps(list(terms)),),
    )
    return dict(found)


def informative(connection: apsw.Connection, spread: dict[str, int], at_most: int, scored: int) -> list[str]:
    """Return the terms worth asking for: those that occur, the rarest first, without the common ones.

    The rarest stays even when it is common.
    """
    rarest_first = sorted((term for term in spread if spread[term]), key=lambda term: spread[term])
    border = max(_SMALL_ARCHIVE, passage_count(connection) * _COMMON_SHARE)
    sums = accumulate(spread[term] for term in rarest_first)
    rare = [
        term
        for term, total in zip(rarest_first, sums, strict=True)
        if spread[term] <= border and total <= scored
    ]
    return (rare or rarest_first[:1])[:at_most]


def passage_count(connection: apsw.Connection) -> int:
    """Return about how many passages there are: the newest id is enough for a share, and costs nothing."""
    return int(value(connection, "select ifnull(max(id), 0) from passages"))


def ranked(
    connection: apsw.Connection,
    scored: str,
    bindings: Mapping[str, Any],
    scope: Scope,
    limit: int,
    quick: Callable[[int], Sequence[tuple[int, float]]] | None = None,
) -> list[Match]:
    """Return the best of what the query `scored` gives as (passage, score), of equals the newer ones.

    `quick` gives as many of the best as asked for in less time than the query.
    """
    if limit <= 0:
        return []
    out = barred(connection, scope)
    wanted = limit * _OVERFETCH + len(out)
    best: Sequence[tuple[Any, ...]]
    if quick:
        best = quick(wanted)
    else:
        best = fetch(
            connection,
            f"{scored} order by score desc, passage desc limit :wanted",
            {**bindings, "wanted": wanted},
        )
    matches = in_scope(connection, [pair for pair in best if pair[0] not in out], unbarred(scope), limit)
    if len(matches) == limit or len(best) < wanted:
        return matches
    return _ranked_in_scope(connection, scored, bindings, scope, limit)


def _any_of(terms: Sequence[str], scope: Scope) -> str:
    """Return the FTS5 expression for passages that hold any of the terms on the side the scope asks for."""
    expression = " OR ".join(quoted(term) for term in terms)
    return expression if scope.role is None else f"{{{scope.role.value}}} : ({expression})"


def quoted(term: str) -> str:
    """Return a term as an FTS5 string: text, never syntax."""
    return '"' + storable(term).replace('"', '""') + '"'


def in_scope(
    connection: apsw.Connection, scored: Sequence[tuple[Any, ...]], scope: Scope, limit: int
) -> list[Match]:
    """Return the first (passage id, score) pairs as matches, those out of scope or gone left out."""
    matches: list[Match] = []
    step = limit + limit // _SPARE  # most are in scope, so the first step is mostly enough
    for start in range(0, len(scored), step):
        placed = _placed(connection, scored[start : start + step], scope)
        matches += islice(placed, limit - len(matches))
        if len(matches) == limit:
            break
    return matches


def _placed(connection: apsw.Connection, scored: Sequence[tuple[Any, ...]], scope: Scope) -> Iterator[Match]:
    condition, bindings = where(scope, role=True)
    found = connection.execute(
        f"""
        select p.id, {PLACE} from json_each(:ids) wanted
        cross join passages p on p.id = wanted.value cross join exchanges e on e.id = p.exchange_id
        where {condition}
        """,
        {**bindings, "ids": json.dumps([passage_id for passage_id, _ in scored])},
    )
    places = {passage_id: place for passage_id, *place in found}
    return (match(*places[passage_id], score=score) for passage_id, score in scored if passage_id in places)


def match(name: str, ordinal: int, start: int, stop: int, asked_at: int | None, *, score: float) -> Match:
    """Return the match of a `Place`."""
    return Match(name, ordinal, score, start, stop, rows.to_datetime(asked_at))


def _ranked_in_scope(
    connection: apsw.Connection, scored: str, bindings: Mapping[str, Any], scope: Scope, limit: int
) -> list[Match]:
    """Ask again with the scope inside the query: slower for each match, but no match is missed."""
    condition, scope_bindings = where(scope)
    found = connection.execute(
        f"""
        select {PLACE}, score from ({scored})
        join passages p on p.id = passage join exchanges e on e.id = p.exchange_id
        where {condition} order by score desc, passage desc limit :limit
        """,
        {**bindings, **scope_bindings, "limit": limit},
    )
    return [match(*place, score=score) for *place, score in found]
