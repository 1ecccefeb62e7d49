"""Both full-text rankings added up in memory, for a store that stays: three times as fast as in SQLite.

FTS5's BM25 looks up the length of every match in a table, and SQLite sorts the matches of all trigrams to
add them up. Here FTS5 only lists who holds a term, as one text that numpy reads at once; the lengths are
kept. The scores are FTS5's: https://sqlite.org/fts5.html#the_bm25_function
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from sui_memory.store.sqlite.connection import fetch, value
from sui_memory.store.sqlite.matrix import highest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Scored = list[tuple[int, float]]
"""Passage ids with their scores, best first."""

_K1, _B = 1.2, 0.75  # those of FTS5, fixed there
_LEAST_IDF = 1e-6  # what FTS5 gives a term that more than half of all hold
_AVERAGES = 1  # the row of `words_data` with the number of rows, then the words of each column (fts5_index.c)

# A row for each time that a term stands somewhere. In `temp`, which is this connection's own.
_INSTANCES = "create virtual table if not exists temp.instances using fts5vocab (main, words, instance)"
_TIMES = "select json_group_array(doc) from instances where term = ?"
_ROWS = "select json_group_array(rowid) from trigrams where trigrams match ?"


class Postings:
    """Scores passages by words and by trigrams; knows how long each passage is."""

    def __init__(self, connection: apsw.Connection) -> None:
        import numpy as np

        connection.execute(_INSTANCES)
        self._lengths: NDArray[np.int64] = np.zeros(1, np.int64)  # by passage id, which begins with 1

    def by_words(self, connection: apsw.Connection, tokens: Sequence[str], wanted: int) -> Scored:
        """Return the `wanted` best by BM25 over tokens of the words table, of equals the newer ones."""
        import numpy as np

        self.catch_up(connection)
        count, *words = _varints(value(connection, f"select block from words_data where id = {_AVERAGES}"))
        usual = sum(words) / count
        scores = np.zeros(len(self._lengths))
        for token in tokens:
            found = _listed(connection, _TIMES, token, len(self._lengths))
            first = np.flatnonzero(np.diff(found, prepend=0) > 0)  # they are in order
            holders, times = found[first], np.diff(first, append=len(found))
            idf = max(_LEAST_IDF, np.log((count - len(holders) + 0.5) / (len(holders) + 0.5)))
            damping = _K1 * (1 - _B + _B * self._lengths[holders] / usual)
            scores[holders] += idf * times * (_K1 + 1) / (times + damping)
        return _best(scores, wanted)

    def by_trigrams(self, connection: apsw.Connection, weights: Mapping[str, float], wanted: int) -> Scored:
        """Return the `wanted` highest sums of weights over FTS5 strings, of equals the newer ones.

        A trigram on both sides of a passage counts twice.
        """
        import numpy as np

        self.catch_up(connection)
        found = [_listed(connection, _ROWS, gram, 2 * len(self._lengths)) for gram in weights]
        each = np.repeat(np.array(list(weights.values())), [len(rows) for rows in found])
        sums = np.bincount(np.concatenate(found) >> 1, each)
        return _best(sums.astype(np.float64, copy=False), wanted)

    def catch_up(self, connection: apsw.Connection) -> None:
        """Read the lengths of passages that came since: none ever changes, nor does an id come again."""
        import numpy as np

        newest = int(value(connection, "select ifnull(max(id), 0) from passages"))
        if newest < len(self._lengths):
            return
        rows = fetch(
            connection,
            "select id, sz from words_docsize where id between ? and ?",
            (len(self._lengths), newest),
        )
        lengths = np.zeros(newest + 1, np.int64)
        lengths[: len(self._lengths)] = self._lengths
        columns = _varints(b"".join(row[1] for row in rows)).reshape(len(rows), -1)
        lengths[[row[0] for row in rows]] = columns.sum(axis=1)
        self._lengths = lengths


def _listed(connection: apsw.Connection, query: str, term: str, stop: int) -> NDArray[np.int64]:
    """Return the numbers below `stop` that a query lists as JSON, in order: a merge adds a row far beyond."""
    import numpy as np

    listed: str = value(connection, query, (term,))
    if listed == "[]":
        return np.empty(0, np.int64)
    # A hundred times as fast as rows, ten times as JSON: this is what makes it pay.
    numbers = np.fromstring(listed[1:-1], np.int64, sep=",")
    return numbers[: np.searchsorted(numbers, stop)]


def _varints(packed: bytes) -> NDArray[Any]:
    """Return SQLite's numbers of variable length: 7 bits a byte, the highest first, the last below 128."""
    import numpy as np

    every = np.frombuffer(packed, np.uint8)
    last = np.flatnonzero(every < 128)
    if not len(last):
        return np.empty(0, np.int64)
    sizes = np.diff(last, prepend=-1)
    places = np.repeat(last, sizes) - np.arange(len(every))
    return np.add.reduceat((every & 127).astype(np.int64) << 7 * places, last - sizes + 1)


def _best(scores: NDArray[np.float64], wanted: int) -> Scored:
    import numpy as np

    # Among truth values numpy finds those that are set three times as fast as among numbers.
    newest_first = np.flatnonzero(scores > 0)[::-1]
    places = newest_first[highest(scores[newest_first], wanted)]
    return list(zip(places.tolist(), scores[places].tolist(), strict=True))
