"""The rankings over words and trigrams, and the plain search for one or two characters.

FTS5 scores every passage that matches before it sorts, so the cost of a query is the number of its
matches: terms that most passages hold are left out while rarer ones are there, since BM25 gives them
next to nothing anyway.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, islice
from typing import Any

import apsw

from sui_memory.store.sqlite import rows
from sui_memory.store.sqlite.connection import fetch, value
from sui_memory.store.sqlite.scoping import where
from sui_memory.types import Analyzer, Match, Scope

Place = tuple[str, int, int, int]  # the columns of `_PLACE`
_PLACE = "e.name, p.ordinal, p.start, p.stop"

# A term in more than this share of the passages scores below ln(9) = 2.2 in BM25 and costs the most.
_COMMON_SHARE = 0.1
# Below this many passages every query is fast, and shares of them mean nothing.
_SMALL_ARCHIVE = 500
# So many passages are scored at most for one query, at about a microsecond each: the sum of the frequencies.
_SCORED_BY_WORDS = 20_000
_SCORED_BY_TRIGRAMS = 8_000
_RAREST_TRIGRAMS = 12  # measured: as good as all of them, at a tenth of the cost
_MAX_TRIGRAMS = 96  # looked up for rareness; a longer cue is sampled evenly
_MAX_TERMS = 64  # of one query of words, the rarest first
# How many more matches than asked for are fetched, so that a scope that drops some needs no second query.
_OVERFETCH = 4
_PREFIX_TERMS = 400  # trigrams that begin with one or two characters; beyond, a scan finds hits at once
_SCANNED_EXCHANGES = 2_000  # newest first, where the trigrams are too many to help


def search_words(
    connection: apsw.Connection, terms: Sequence[str], scope: Scope, limit: int, analyzer: Analyzer
) -> list[Match]:
    """Return the passages that hold any of the terms, best BM25 first."""
    tokenize = _tokenizer(connection, analyzer)
    tokens = {term: tokenize(term) for term in dict.fromkeys(map(_storable, terms))}
    frequency = _frequencies(connection, "words", {token for group in tokens.values() for token in group})
    # A term of several tokens is a phrase, no more frequent than its rarest token.
    spread = {
        term: min(frequency.get(token, 0) for token in group) for term, group in tokens.items() if group
    }
    return _ranked(
        connection, "words", _informative(connection, spread, _MAX_TERMS, _SCORED_BY_WORDS), scope, limit
    )


def _storable(text: str) -> str:
    """Return a query without what no stored text holds: lone surrogates and NUL, which ends FTS5's syntax."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def _tokenizer(connection: apsw.Connection, analyzer: Analyzer) -> Callable[[str], list[str]]:
    """Return what turns a term into the tokens that the words table holds of it."""
    name, *arguments = shlex.split(analyzer.fts_tokenizer)
    tokenizer = connection.fts5_tokenizer(name, arguments)

    def tokenize(term: str) -> list[str]:
        found = tokenizer(term.encode(), apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False)
        return [str(group[0]) for group in found]

    return tokenize


def search_trigrams(
    connection: apsw.Connection, text: str, scope: Scope, limit: int, analyzer: Analyzer
) -> list[Match]:
    """Return the passages that share the rarest trigrams of `text`, best BM25 first."""
    spread = _frequencies(connection, "trigrams", _sample(_trigrams(analyzer.fold(_storable(text)))))
    return _ranked(
        connection,
        "trigrams",
        _informative(connection, spread, _RAREST_TRIGRAMS, _SCORED_BY_TRIGRAMS),
        scope,
        limit,
    )


def _trigrams(folded: str) -> list[str]:
    """Return the trigrams of the runs between blanks, those of hiragana alone left out as mere grammar."""
    found = (run[start : start + 3] for run in folded.split() for start in range(len(run) - 2))
    return list(
        dict.fromkeys(gram for gram in found if not all("\u3041" <= char <= "\u309f" for char in gram))
    )


def _sample(grams: Sequence[str]) -> Sequence[str]:
    step = -(-len(grams) // _MAX_TRIGRAMS)
    return grams[::step] if step > 1 else grams


def _frequencies(connection: apsw.Connection, table: str, terms: Iterable[str]) -> dict[str, int]:
    """Return term → number of passages, for the terms that the table knows."""
    query = f"select doc from {table}_vocabulary where term = ?"
    found = ((term, value(connection, query, (term,))) for term in terms)
    return {term: passages for term, passages in found if passages}


def _informative(connection: apsw.Connection, spread: dict[str, int], at_most: int, scored: int) -> list[str]:
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


def _ranked(
    connection: apsw.Connection, table: str, terms: Sequence[str], scope: Scope, limit: int
) -> list[Match]:
    if not terms or limit <= 0:
        return []
    expression = _any_of(terms, scope)
    wanted = limit * _OVERFETCH
    best = fetch(
        connection,
        f"select rowid, -rank from {table} where {table} match ? order by rank limit ?",
        (expression, wanted),
    )
    matches = in_scope(connection, best, scope)[:limit]
    if len(matches) == limit or len(best) < wanted:
        return matches
    return _ranked_in_scope(connection, table, expression, scope, limit)


def _any_of(terms: Sequence[str], scope: Scope) -> str:
    """Return the FTS5 expression for passages that hold any of the terms on the side the scope asks for."""
    expression = " OR ".join(_quoted(term) for term in terms)
    return expression if scope.role is None else f"{{{scope.role.value}}} : ({expression})"


def _quoted(term: str) -> str:
    """Return a term as an FTS5 string: text, never syntax."""
    return '"' + term.replace('"', '""') + '"'


def in_scope(connection: apsw.Connection, scored: Sequence[tuple[int, float]], scope: Scope) -> list[Match]:
    """Return (passage id, score) pairs as matches, those out of scope or gone left out, in the same order."""
    condition, bindings = where(scope, role=True)
    found = connection.execute(
        f"""
        select p.id, {_PLACE} from passages p cross join exchanges e on e.id = p.exchange_id
        where p.id in (select value from json_each(:ids)) and {condition}
        """,
        {**bindings, "ids": json.dumps([passage_id for passage_id, _ in scored])},
    )
    places = {passage_id: place for passage_id, *place in found}
    return [_match(*places[passage_id], score=score) for passage_id, score in scored if passage_id in places]


def _match(name: str, ordinal: int, start: int, stop: int, *, score: float) -> Match:
    return Match(name, ordinal, score, start, stop)


def _ranked_in_scope(
    connection: apsw.Connection, table: str, expression: str, scope: Scope, limit: int
) -> list[Match]:
    """Ask again with the scope inside the query: slower for each match, but no match is missed."""
    condition, bindings = where(scope)
    found = connection.execute(
        f"""
        select {_PLACE}, -f.rank from {table} f
        join passages p on p.id = f.rowid join exchanges e on e.id = p.exchange_id
        where f.{table} match :expression and {condition}
        order by f.rank limit :limit
        """,
        {**bindings, "expression": expression, "limit": limit},
    )
    return [_match(*place, score=score) for *place, score in found]


def search_substring(
    connection: apsw.Connection, text: str, scope: Scope, limit: int, analyzer: Analyzer
) -> list[Match]:
    """Return the newest passages that contain `text`, folded; the score only tells their order."""
    needle = " ".join(analyzer.fold(_storable(text)).split())
    if not needle or limit <= 0:
        return []
    found = _by_trigrams(connection, needle, scope, limit)
    if found is None:
        found = list(islice(_by_scanning(connection, needle, scope, analyzer), limit))
    return [_match(*place, score=1 / (1 + rank)) for rank, place in enumerate(found)]


def _by_trigrams(connection: apsw.Connection, needle: str, scope: Scope, limit: int) -> list[Place] | None:
    """Find a needle by the trigrams that begin with it; None when these are too many.

    Of a longer needle all trigrams form one phrase.
    """
    if len(needle) >= 3:
        return _newest(connection, [needle], scope, limit)
    grams = fetch(
        connection,
        "select term from trigrams_vocabulary where term >= ? and term < ? limit ?",
        (needle, needle + "\U0010ffff", _PREFIX_TERMS + 1),
    )
    if len(grams) > _PREFIX_TERMS:
        return None
    return _newest(connection, [row[0] for row in grams], scope, limit) if grams else []


def _newest(connection: apsw.Connection, terms: Sequence[str], scope: Scope, limit: int) -> list[Place]:
    condition, bindings = where(scope)
    found = fetch(
        connection,
        f"""
        select {_PLACE} from passages p join exchanges e on e.id = p.exchange_id
        where p.id in (select rowid from trigrams where trigrams match :expression) and {condition}
        order by ifnull(e.asked_at, 0) desc, p.id limit :limit
        """,
        {**bindings, "expression": _any_of(terms, scope), "limit": limit},
    )
    return [(name, ordinal, start, stop) for name, ordinal, start, stop in found]


def _by_scanning(
    connection: apsw.Connection, needle: str, scope: Scope, analyzer: Analyzer
) -> Iterable[Place]:
    """Yield the passages that contain a needle so common that reading the newest exchanges finds it."""
    condition, bindings = where(scope)
    found: Iterable[tuple[Any, ...]] = connection.execute(
        f"""
        select {_PLACE}, {rows.MEMORY_COLUMNS}
        from (
            select * from exchanges e where {condition}
            order by ifnull(e.asked_at, 0) desc limit {_SCANNED_EXCHANGES}
        ) e
        join passages p on p.exchange_id = e.id
        join texts t on t.exchange_id = e.id
        order by ifnull(e.asked_at, 0) desc, p.id
        """,
        bindings,
    )
    for name, ordinal, start, stop, *row in found:
        sides = dict(zip(("question", "answer"), rows.memory(row).exchange.sides(start, stop), strict=True))
        texts = sides.values() if scope.role is None else [sides[scope.role.value]]
        if any(needle in analyzer.fold(text) for text in texts):
            yield name, ordinal, start, stop
