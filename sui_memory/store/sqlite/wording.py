"""Texts that stand beside memories, lessons and reminders among them, and their rewording by what redacts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import apsw

from sui_memory.store.sqlite.connection import fetch
from sui_memory.store.sqlite.packing import to_json

Redact = Callable[[str], tuple[str, int]]
"""Returns a text without secrets, and how many were masked."""

# A lesson's pattern is left alone: with a mask in it, it would look for something else.
_TEXTS = (
    ("media", "name"),
    ("links", "note"),
    ("episodes", "title"),
    ("episodes", "summary"),
    ("lessons", "action"),
    ("lessons", "project"),
    ("reminders", "action"),
    ("reminders", "trigger"),
)
_LISTS = (("notes", "tags"), ("episodes", "participants"), ("lessons", "keywords"))


@dataclass(frozen=True, slots=True)
class Reworded:
    """A text of a column that has to be replaced wherever it stands, and the secrets in it."""

    table: str
    column: str
    old: str
    new: str
    values: int


def find(connection: apsw.Connection, redact: Redact) -> list[Reworded]:
    """Return the texts that hold secrets."""
    found = []
    for column in (*_TEXTS, *_LISTS):
        table, name = column
        for (old,) in fetch(connection, f"select distinct {name} from {table} where {name} <> ''"):
            new, values = _all(old, redact) if column in _LISTS else redact(old)
            if values:
                found.append(Reworded(table, name, old, new, values))
    return found


def _all(texts: str, redact: Redact) -> tuple[str, int]:
    """Redact each text of a JSON list."""
    masked = [redact(text) for text in json.loads(texts)]
    return to_json([text for text, _ in masked]), sum(values for _, values in masked)


def replace(connection: apsw.Connection, reworded: list[Reworded]) -> None:
    """Put the new texts in the place of the old."""
    for text in reworded:
        query = f"update {text.table} set {text.column} = ? where {text.column} = ?"
        connection.execute(query, (text.new, text.old))
