"""Two plain full-text searches from outside, to see what the project's own rankings are worth beside them.

Character bigrams are what a CJK analyser without a dictionary does (Lucene's `CJKAnalyzer`), stemmed words
without stop words what an English one does. Both are ranked by FTS5's BM25 in a table of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from types import MappingProxyType

import apsw

from benchmarks.evaluation.sets import Document, Question
from sui_memory.language.identifiers import STOP_WORDS
from sui_memory.text import fold

Tokens = Callable[[str], list[str]]

_RUN = re.compile(r"[a-z0-9_]+|[^\W_a-z0-9]+")
_MOST = 256  # terms of one query: FTS5's parser takes any number of them, but time grows with them


def bigrams(text: str) -> list[str]:
    """Return the whole ASCII words of a text, and the character pairs of every other run."""
    return [token for run in _RUN.findall(fold(text)) for token in _pieces(run)]


def _pieces(run: str) -> Iterator[str]:
    if run.isascii() or len(run) == 1:
        yield run
    else:
        yield from (run[start : start + 2] for start in range(len(run) - 1))


def english(text: str) -> list[str]:
    """Return the words of a text without English stop words; the table stems them."""
    return [run for run in _RUN.findall(fold(text)) if run not in STOP_WORDS]


BASELINES: Mapping[str, tuple[Tokens, str]] = MappingProxyType(
    {
        "bigrams": (bigrams, "unicode61 remove_diacritics 0 tokenchars '_'"),
        "stemmed English": (english, "porter unicode61 tokenchars '_'"),
    }
)
"""Name → how a text becomes tokens, and the FTS5 tokenizer that takes them as they are."""


def searched(
    baseline: str, documents: Sequence[Document], questions: Sequence[Question], depth: int
) -> Iterator[list[str]]:
    """Yield for each question the ids of the documents that a baseline ranks first, of equals the earlier."""
    tokens, tokenizer = BASELINES[baseline]
    with closing(apsw.Connection(":memory:")) as connection:
        option = tokenizer.replace('"', '""')
        connection.execute(f'create virtual table texts using fts5 (text, tokenize="{option}")')
        connection.executemany(
            "insert into texts (rowid, text) values (?, ?)",
            ((row, " ".join(tokens(_text(document)))) for row, document in enumerate(documents)),
        )
        for question in questions:
            rows = _best(connection, tokens(question.text), depth)
            yield [documents[row].id for row in rows]


def _text(document: Document) -> str:
    return f"{document.question}\n\n{document.answer}"


def _best(connection: apsw.Connection, tokens: Collection[str], depth: int) -> list[int]:
    if not tokens:
        return []
    expression = " OR ".join(f'"{token}"' for token in list(dict.fromkeys(tokens))[:_MOST])
    found = connection.execute(
        "select rowid from texts where texts match ? order by rank, rowid limit ?", (expression, depth)
    )
    return [row for (row,) in found]
