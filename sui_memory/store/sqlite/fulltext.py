"""The two full-text tables and the passages they index.

Both are contentless: they keep no text, so what is taken out must be named exactly as it was put in.
That is computed again from the stored exchange by the same analysis, whose name is kept in `meta`.

The rowid of `words` is the passage's id. `trigrams` says only which rows hold a trigram, not where or how
often (`detail=none`): a third of the bytes of the whole. Each side of a passage is a row of its own there,
so that a side can be asked for: twice the passage's id for the question, one more for the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any

import apsw

from sui_memory.store.sqlite.connection import writing
from sui_memory.types import Analyzer

TABLES = ("words", "trigrams")
_ANALYSIS = "analysis"
# A trigram needs three characters, so the last two of a text would begin none; two blanks behind it make
# every substring of one or two characters the beginning of some trigram.
_TAIL = "  "

_MERGE_PAGES = 500  # index pages of one merging transaction: some 50 ms, so that other writers get their turn
_NEVER_A_ROW = 2**62
_INTO = {
    "words": "words (rowid, question, answer) values (?, ?, ?)",
    "trigrams": "trigrams (rowid, side) values (?, ?)",
}
_OUT_OF = {
    "words": "words (words, rowid, question, answer) values ('delete', ?, ?, ?)",
    "trigrams": "trigrams (trigrams, rowid, side) values ('delete', ?, ?)",
}
COUNTS = {
    "words": "select count(*) from words_docsize",
    "trigrams": "select count(distinct id >> 1) from trigrams_docsize",
}
"""How many passages each table indexes."""

# Something that both tables index, though no passage is that.
_BLANK = {"words": (_NEVER_A_ROW, "---", ""), "trigrams": (_NEVER_A_ROW, "---")}


@dataclass(frozen=True, slots=True)
class Entry:
    """What both full-text tables hold of one passage."""

    passage_id: int
    question_terms: str
    answer_terms: str
    question_text: str
    answer_text: str

    @property
    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Table → rows. A passage without any text has a row too, by which it is counted."""
        sides = [(2 * self.passage_id, self.question_text), (2 * self.passage_id + 1, self.answer_text)]
        return {
            "words": [(self.passage_id, self.question_terms, self.answer_terms)],
            "trigrams": [side for side in sides if side[1]] or sides[:1],
        }


def analysis_name(analyzer: Analyzer) -> str:
    """Return the name of everything that decides what the index holds."""
    return f"{analyzer.version} {analyzer.fts_tokenizer}"


def stored_analysis(connection: apsw.Connection) -> str | None:
    """Return the name of the analysis that the index was made with; None before the first."""
    row = connection.execute("select value from meta where name = ?", (_ANALYSIS,)).fetchone()
    return row[0] if row else None


def name_analysis(connection: apsw.Connection, name: str) -> None:
    """Record the analysis that the index is made with."""
    connection.execute("insert or replace into meta (name, value) values (?, ?)", (_ANALYSIS, name))


def create(connection: apsw.Connection, analyzer: Analyzer) -> None:
    """Make both tables, empty, in place of any that exist, and record the analysis.

    The answer is the first column of `words` because FTS5 spends two bytes on each word of any other, and
    answers are the longer side: a tenth of the index.
    """
    tokenizer = analyzer.fts_tokenizer.replace('"', '""')
    for table in TABLES:
        connection.execute(f"drop table if exists {table}_vocabulary")
        connection.execute(f"drop table if exists {table}")
    connection.execute(
        f"create virtual table words using fts5 (answer, question, content='', tokenize=\"{tokenizer}\")"
    )
    connection.execute(
        "create virtual table trigrams using fts5 "
        "(side, content='', detail=none, tokenize='trigram case_sensitive 1')"
    )
    for table in TABLES:
        connection.execute(f"create virtual table {table}_vocabulary using fts5vocab ({table}, row)")
    name_analysis(connection, analysis_name(analyzer))


def trigram_text(text: str, analyzer: Analyzer) -> str:
    """Return what the trigram table sees of a side: folded, and each run of blanks as one."""
    folded = " ".join(analyzer.fold(text).split())
    return folded + _TAIL if folded else ""


def insert(connection: apsw.Connection, entries: Sequence[Entry]) -> None:
    """Put entries into both tables."""
    _run(connection, _INTO, entries)


def remove(connection: apsw.Connection, entries: Sequence[Entry]) -> None:
    """Take entries, exactly as they were put in, out of both tables."""
    _run(connection, _OUT_OF, entries)


def _run(connection: apsw.Connection, statements: Mapping[str, str], entries: Sequence[Entry]) -> None:
    rows = [entry.rows for entry in entries]
    for table, statement in statements.items():
        connection.executemany(f"insert into {statement}", chain.from_iterable(row[table] for row in rows))


@contextmanager
def overwriting(connection: apsw.Connection) -> Iterator[None]:
    """Inside the block removals rewrite the index in place instead of noting the deletion beside it.

    FTS5's `secure-delete` costs 15-30 ms a passage where a note costs 0.3, so it is for what a user
    wants gone, not for the growth of a conversation; `purge` clears the notes' leftovers.
    """
    _set_option(connection, "secure-delete", 1)
    yield
    _set_option(connection, "secure-delete", 0)


def _set_option(connection: apsw.Connection, option: str, value: int) -> None:
    for table in TABLES:
        connection.execute(f"insert into {table} ({table}, rank) values (?, ?)", (option, value))


def merge(connection: apsw.Connection, table: str) -> None:
    """Merge an index into one segment, in steps of a transaction each.

    A lone segment would be left as it is, with parts of deleted words as separators in it; a blank row makes
    a second one. A negative number of pages starts, positive ones go on:
    https://sqlite.org/fts5.html#the_merge_command
    """
    with writing(connection):
        connection.execute(f"insert into {_INTO[table]}", _BLANK[table])
    pages = -_MERGE_PAGES
    while True:
        with writing(connection):
            before = connection.total_changes()
            connection.execute(f"insert into {table} ({table}, rank) values ('merge', ?)", (pages,))
            # "if the difference is less than 2, the merge was a no-op" (same page)
            done = connection.total_changes() - before < 2
        if done:
            break
        pages = _MERGE_PAGES
    with writing(connection), overwriting(connection):
        connection.execute(f"insert into {_OUT_OF[table]}", _BLANK[table])
