"""The terms of the index that are like a term it does not hold: by their letters, and by their sound."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence, Set
from itertools import chain

import apsw

from sui_memory.store.edits import distance, heads, is_replaced
from sui_memory.store.sqlite.connection import fetch
from sui_memory.store.sqlite.searching import passage_count, tokens_of
from sui_memory.types import Analyzer

# Letters from which on a word is compared at all: four that change places, five that anything happens to.
# Of shorter ones every other word is a neighbour.
_SHORTEST, _ONE_EDIT = 4, 5
# Letters from which on a second slip is taken for one: a word of five has a dozen neighbours at two edits.
_TWO_EDITS = 8
# The prefix that a candidate shares, but for slips within it, which are asked for one by one: two letters
# leave too many candidates, four make too many questions.
_PREFIX = 3
# Terms of one prefix that are looked at, at half a microsecond each: of 200,000 terms a prefix has 200 on
# average, and 3,000 begin with `con`.
_WALKED = 4_000
# A candidate ends as the word does or is like it but for its last letters: two slips are seldom so far apart.
_END = 3
_KEPT = 3  # of the terms alike, the nearest and then the most frequent
_ISE = re.compile(r"i[sz](?=(?:e[ds]?|ing|ations?|ers?)\Z)")
_DOUBLED = re.compile(r"(.)\1\Z")
_FIRST_JAPANESE = "ぁ"
_LAST = "\U0010ffff"
# Japanese terms whose sound is learnt, the most frequent: half a second, some 20 MB.
_HEARD = 50_000
# The sounds are learnt again when the archive has grown by this share of it.
_STALE_SHARE = 1 / 16


def similar(
    connection: apsw.Connection, terms: Sequence[str], analyzer: Analyzer
) -> dict[str, dict[str, int]]:
    """Return term → the index's terms that are a slip or two away → the edits, the nearest first."""
    variants = {term: _variants(term) for term in terms}
    tokens = tokens_of(connection, [*terms, *chain.from_iterable(variants.values())], analyzer)
    return {
        term: _near(connection, tokens[term], {stem for other in others for stem in tokens[other]})
        for term, others in variants.items()
    }


def _variants(term: str) -> list[str]:
    """Return spellings whose stem is far from the word's: a doubled end made single, -ise for -ize."""
    swapped = _ISE.sub(lambda match: "iz" if match[0] == "is" else "is", term)
    undoubled = _DOUBLED.sub(r"\1", term)
    return [other for other in (swapped, undoubled) if other != term]


def _near(connection: apsw.Connection, tokens: Sequence[str], variants: Set[str]) -> dict[str, int]:
    if len(tokens) != 1 or len(tokens[0]) < _SHORTEST:
        return {}
    token = tokens[0]
    most = 2 if len(token) >= _TWO_EDITS else 1
    found = [(1, -passages, known) for known, passages in _held(connection, variants - {token})]
    for candidate, passages in _candidates(connection, token, most):
        edits = distance(token, candidate, most)
        if 0 < edits <= most and _is_slip(token, candidate):
            found.append((edits, -passages, candidate))
    return {candidate: edits for edits, _, candidate in sorted(set(found))[:_KEPT]}


def _is_slip(token: str, candidate: str) -> bool:
    """Say whether one may be a slip for the other: of short words what keeps the ends, and misses a key.

    Else meant is mean, liner line, async sync, and whose whole.
    """
    if sorted(token) == sorted(candidate) or len(token) >= _TWO_EDITS:
        return True
    ends = (token[0], token[-1]) == (candidate[0], candidate[-1])
    return len(token) >= _ONE_EDIT and ends and not is_replaced(token, candidate)


def _held(connection: apsw.Connection, tokens: Collection[str]) -> list[tuple[str, int]]:
    return fetch(
        connection,
        "select term, doc from words_vocabulary where term in (select value from json_each(?))",
        (json.dumps(sorted(tokens)),),
    )


def _candidates(connection: apsw.Connection, token: str, most: int) -> Iterator[tuple[str, int]]:
    prefix = token[:_PREFIX]
    yield from fetch(
        connection,
        """
        select term, doc from (
            select term, doc from words_vocabulary where term >= :prefix and term < :beyond limit :walked
        )
        where length(term) between :shortest and :longest
            and (substr(term, -2) = :tail or substr(term, 1, :size) = :front)
        """,
        {
            "prefix": prefix,
            "beyond": prefix + _LAST,
            "walked": _WALKED,
            "shortest": len(token) - most,
            "longest": len(token) + most,
            "tail": token[-2:],
            "front": token[: max(_PREFIX, len(token) - _END)],
            "size": max(_PREFIX, len(token) - _END),
        },
    )
    yield from _held(connection, heads(token, _PREFIX))


class Sounds:
    """The terms of the index by their sound: learnt at the first question, at some 10 microseconds a term."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._heard: dict[str, str] = {}
        self._alike: dict[str, dict[str, int]] = {}
        self._size = -1

    def of(self, connection: apsw.Connection, sounds: Sequence[str]) -> dict[str, dict[str, int]]:
        """Return sound → the terms that sound so → passages that hold it, the most frequent first."""
        self.learn(connection)
        return {sound: dict(self._alike[sound]) for sound in sounds if sound in self._alike}

    def learn(self, connection: apsw.Connection) -> None:
        """Learn how the terms sound, unless little is new since the last time."""
        size = passage_count(connection)
        if self._size >= 0 and abs(size - self._size) <= self._size * _STALE_SHARE:
            return
        found = fetch(
            connection,
            "select term, doc from words_vocabulary where term >= ? order by doc desc limit ?",
            (_FIRST_JAPANESE, _HEARD),
        )
        fresh = [term for term, _ in found if term not in self._heard]
        self._heard |= zip(fresh, self._analyzer.sounds(fresh), strict=True)
        alike: dict[str, dict[str, int]] = defaultdict(dict)
        for term, passages in found:
            if sound := self._heard[term]:
                alike[sound][term] = passages
        self._alike, self._size = dict(alike), size
