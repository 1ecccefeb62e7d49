"""Sets: what was said, what is asked of it, and which of it is the answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_DATES = ("%I:%M %p on %d %B, %Y", "%Y-%m-%d")
"""Forms of date in published sets, beside ISO 8601."""

_PROJECTS = "/code"


@dataclass(frozen=True, slots=True)
class Document:
    """What an archive holds as one exchange. A set without two sides has all of its text in `question`."""

    id: str
    question: str
    answer: str
    group: str
    session: str
    project: str
    asked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Question:
    """A query, or a prompt. `gold` is empty when nothing should come to mind.

    `answer` is a string that the gold document holds; `older` are documents that the gold one replaces.
    `language` and `split` are "" in sets that do not tell them.
    """

    id: str
    text: str
    gold: frozenset[str]
    group: str
    project: str
    kind: str = ""
    language: str = ""
    split: str = ""
    answer: str = ""
    older: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """One set. `now` is when everything is asked; without it, that is the date of the newest document."""

    name: str
    documents: tuple[Document, ...]
    queries: tuple[Question, ...]
    nothing: tuple[Question, ...] = ()
    now: datetime | None = None

    def half(self, split: str) -> EvaluationSet:
        """Return the set with the queries of one split; for `all`, or without splits, it stays whole."""
        if split == "all":
            return self
        return replace(
            self,
            queries=tuple(query for query in self.queries if query.split in ("", split)),
            nothing=tuple(prompt for prompt in self.nothing if prompt.split in ("", split)),
        )

    @property
    def has_prompts(self) -> bool:
        """Whether it tells what a block must hold, or which prompts should recall nothing."""
        return bool(self.nothing) or any(query.answer for query in self.queries)


def load_sets(place: Path) -> Iterator[EvaluationSet]:
    """Yield every set in a folder, by name; other JSON is passed over. A file is one set."""
    for path in [place] if place.is_file() else sorted(place.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(data, dict) and "docs" in data and "queries" in data:
            yield read_set(path.stem, data)


def read_set(name: str, data: Mapping[str, Any]) -> EvaluationSet:
    """Return the set that a JSON object describes; a row that lacks what every row has is a `KeyError`."""
    return EvaluationSet(
        name=name,
        documents=tuple(_document(row) for row in data["docs"]),
        queries=tuple(_question(row) for row in data["queries"]),
        nothing=tuple(_question(row) for row in data.get("nothing", ())),
        now=date_of(data.get("now")),
    )


def date_of(text: str | None) -> datetime | None:
    """Return a date of any form that is known as UTC, which it is in when it names no zone, or None."""
    moment = _parsed(text) if text else None
    if moment is None:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _parsed(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    for form in _DATES:
        try:
            return datetime.strptime(text, form)  # naive on purpose: `date_of` gives it a zone
        except ValueError:
            continue
    return None


def _document(row: Mapping[str, Any]) -> Document:
    return Document(
        id=row["id"],
        question=row["question"] if "answer" in row else row["text"],
        answer=row.get("answer", ""),
        group=str(row["group"]),
        session=str(row["session"]),
        project=_folder(row),
        asked_at=date_of(row.get("date")),
    )


def _question(row: Mapping[str, Any]) -> Question:
    return Question(
        id=row["id"],
        text=row["text"],
        gold=frozenset(row["gold"]),
        group=str(row["group"]),
        project=_folder(row),
        kind=str(row.get("cat", "")),
        language=row.get("language", ""),
        split=row.get("split", ""),
        answer=row.get("answer", ""),
        older=frozenset(row.get("older", ())),
    )


def _folder(row: Mapping[str, Any]) -> str:
    """Return a folder for a project: what a conversation is held in has a path."""
    return f"{_PROJECTS}/{row.get('project', row['group'])}"
