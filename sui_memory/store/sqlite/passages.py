"""Passages of stored exchanges: in step with both full-text tables and with the vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import apsw

from sui_memory.store.sqlite import fulltext, models
from sui_memory.store.sqlite.fulltext import Entry
from sui_memory.types import Analyzer, Exchange, Indexed, Passage


@dataclass(frozen=True, slots=True)
class Slice:
    """A stored passage: where it lies in `Exchange.text`."""

    id: int
    ordinal: int
    start: int
    stop: int


@dataclass(slots=True)
class Entries:
    """Index entries of stored passages, computed again.

    Analysis takes milliseconds a passage, so `prepare` is for before the write lock is taken. A passage
    never changes under its id, so what was prepared stays true.
    """

    analyzer: Analyzer
    _known: dict[int, Entry] = field(default_factory=dict)

    def prepare(self, exchange: Exchange, slices: Iterable[Slice]) -> None:
        """Compute the entries of slices of an exchange as it is stored."""
        for piece in slices:
            if piece.id not in self._known:
                self._known[piece.id] = self._compute(exchange, piece)

    def of(self, exchange: Exchange, slices: Sequence[Slice]) -> list[Entry]:
        """Return the entries of slices of an exchange as it is stored."""
        self.prepare(exchange, slices)
        return [self._known[piece.id] for piece in slices]

    def _compute(self, exchange: Exchange, piece: Slice) -> Entry:
        question, answer = exchange.sides(piece.start, piece.stop)
        return Entry(
            piece.id,
            self.analyzer.terms(question) if question else "",
            self.analyzer.terms(answer) if answer else "",
            fulltext.trigram_text(question, self.analyzer),
            fulltext.trigram_text(answer, self.analyzer),
        )


def slices_of(connection: apsw.Connection, exchange_id: int) -> list[Slice]:
    """Return the passages of an exchange, in order."""
    rows = connection.execute(
        "select id, ordinal, start, stop from passages where exchange_id = ? order by ordinal", (exchange_id,)
    )
    return [Slice(*row) for row in rows]


def difference(stored: Exchange, slices: Sequence[Slice], new: Indexed) -> tuple[list[Slice], list[Passage]]:
    """Return the stored passages that must go and the new ones that must come; the rest are alike.

    A passage is kept, and its vectors with it, when its place and both sides of its text are the same.
    """
    coming = {(passage.ordinal, passage.start, passage.stop): passage for passage in new.passages}
    going = []
    for piece in slices:
        place = (piece.ordinal, piece.start, piece.stop)
        passage = coming.get(place)
        if passage and stored.sides(piece.start, piece.stop) == new.exchange.sides(piece.start, piece.stop):
            del coming[place]
        else:
            going.append(piece)
    return going, list(coming.values())


def replace(
    connection: apsw.Connection, exchange_id: int, stored: Exchange, new: Indexed, entries: Entries
) -> None:
    """Exchange the passages of an exchange for those of its new text."""
    going, coming = difference(stored, slices_of(connection, exchange_id), new)
    _remove(connection, stored, going, entries)
    add(connection, [(exchange_id, Indexed(new.exchange, tuple(coming)))], entries.analyzer)


def remove_all(connection: apsw.Connection, exchange_id: int, stored: Exchange, entries: Entries) -> None:
    """Take every passage of an exchange out of the indexes and the vectors."""
    _remove(connection, stored, slices_of(connection, exchange_id), entries)


def _remove(connection: apsw.Connection, stored: Exchange, slices: Sequence[Slice], entries: Entries) -> None:
    if not slices:
        return
    ids = [piece.id for piece in slices]
    fulltext.remove(connection, entries.of(stored, slices))
    models.remove(connection, ids)
    connection.executemany("delete from passages where id = ?", ((passage_id,) for passage_id in ids))


def add(connection: apsw.Connection, stored: Iterable[tuple[int, Indexed]], analyzer: Analyzer) -> None:
    """Store and index the passages of (row id, exchange) pairs, under new ids."""
    passage_id = _last_id(connection)
    rows, entries = [], []
    for exchange_id, indexed in stored:
        for passage in indexed.passages:
            passage_id += 1
            rows.append((passage_id, exchange_id, passage.ordinal, passage.start, passage.stop))
            entries.append(_entry(passage_id, indexed.exchange, passage, analyzer))
    if rows:
        connection.executemany(
            "insert into passages (id, exchange_id, ordinal, start, stop) values (?, ?, ?, ?, ?)", rows
        )
        fulltext.insert(connection, entries)


def _last_id(connection: apsw.Connection) -> int:
    row = connection.execute("select seq from sqlite_sequence where name = 'passages'").fetchone()
    return int(row[0]) if row else 0


def _entry(passage_id: int, exchange: Exchange, passage: Passage, analyzer: Analyzer) -> Entry:
    question, answer = exchange.sides(passage.start, passage.stop)
    return Entry(
        passage_id,
        passage.question_terms,
        passage.answer_terms,
        fulltext.trigram_text(question, analyzer),
        fulltext.trigram_text(answer, analyzer),
    )
