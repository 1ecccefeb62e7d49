"""The two full-text tables and the passages they index; the rowid of both is the passage's id.

Both are contentless: they keep no text, so what is taken out must be named exactly as it was put in.
That is computed again from the stored exchange by the same analysis, whose name is kept in `meta`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import apsw

from sui_memory.types import Analyzer

TABLES = ("words", "trigrams")
_ANALYSIS = "analysis"
# A trigram needs three characters, so the last two of a text would begin none; two blanks behind it make
# every substring of one or two characters the beginning of some trigram.
_TAIL = "  "


@dataclass(frozen=True, slots=True)
class Entry:
    """What both full-text tables hold of one passage."""

    passage_id: int
    question_terms: str
    answer_terms: str
    question_text: str
    answer_text: str


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

    The answer is the first column because FTS5 spends two bytes on each word of any other, and answers
    are the longer side: a fifth of the index.
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
        "(answer, question, content='', tokenize='trigram case_sensitive 1')"
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
    connection.executemany(
        "insert into words (rowid, question, answer) values (?, ?, ?)",
        ((entry.passage_id, entry.question_terms, entry.answer_terms) for entry in entries),
    )
    connection.executemany(
        "insert into trigrams (rowid, question, answer) values (?, ?, ?)",
        ((entry.passage_id, entry.question_text, entry.answer_text) for entry in entries),
    )


def remove(connection: apsw.Connection, entries: Sequence[Entry]) -> None:
    """Take entries, exactly as they were put in, out of both tables."""
    connection.executemany(
        "insert into words (words, rowid, question, answer) values ('delete', ?, ?, ?)",
        ((entry.passage_id, entry.question_terms, entry.answer_terms) for entry in entries),
    )
    connection.executemany(
        "insert into trigrams (trigrams, rowid, question, answer) values ('delete', ?, ?, ?)",
        ((entry.passage_id, entry.question_text, entry.answer_text) for entry in entries),
    )


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
