"""What was written by hand: projects, exchanges with their queries, prompts that should recall nothing."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent.parent / "sets" / "sources"
_NOT_EXCHANGES = ("projects", "frames", "nothing")
_JAPANESE = re.compile(r"[ぁ-ゖァ-ヺ一-鿿]")
_LATIN = re.compile(r"[A-Za-z]")
_MIXED_SHARE = 0.5
"""A query is mixed when at least this share of its letters is Latin, and some are Japanese."""


@dataclass(frozen=True, slots=True)
class Project:
    """An invented code base: `words` fill the frames, `hours` say when its people work."""

    name: str
    language: str
    evenings: bool
    people: tuple[str, ...]
    files: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """A query: `answer` is what stands in the exchange that it should find."""

    kind: str
    text: str
    answer: str
    language: str


@dataclass(frozen=True, slots=True)
class Near:
    """An exchange that shares words with another and answers something else."""

    question: str
    answer: str
    day: date | None


@dataclass(frozen=True, slots=True)
class Written:
    """A hand-written exchange with its queries.

    `older` is the id of the exchange whose decision it replaces, `after` of the one it follows in its
    session, `about` what the frames call its topic.
    """

    id: str
    project: str
    question: str
    answer: str
    about: str
    day: date | None
    after: str | None
    older: str | None
    near: tuple[Near, ...]
    asks: tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that should recall nothing."""

    id: str
    kind: str
    text: str
    language: str


def pick(key: str, count: int) -> int:
    """Return a number below `count` that depends on the key alone, on every machine."""
    return int.from_bytes(sha256(key.encode()).digest()[:8]) % count


def language_of(text: str) -> str:
    """Return "ja", "en" or "mixed", by the script of the letters."""
    japanese, latin = len(_JAPANESE.findall(text)), len(_LATIN.findall(text))
    if not japanese:
        return "en"
    return "mixed" if latin >= _MIXED_SHARE * (japanese + latin) else "ja"


@cache
def projects() -> Mapping[str, Project]:
    """Return name → project."""
    return {row["name"]: _project(row) for row in _toml("projects")["project"]}


@cache
def frames() -> Mapping[str, Mapping[str, Sequence[Sequence[str]]]]:
    """Return language → pool → rows of strings with `{slots}`."""
    loaded: Mapping[str, Mapping[str, Sequence[Sequence[str]]]] = _toml("frames")
    return loaded


@cache
def exchanges() -> tuple[Written, ...]:
    """Return every hand-written exchange, file by file."""
    files = sorted(file.stem for file in SOURCES.glob("*.toml") if file.stem not in _NOT_EXCHANGES)
    return tuple(_written(row) for file in files for row in _toml(file)["exchange"])


@cache
def nothing() -> tuple[Prompt, ...]:
    """Return the prompts that should recall nothing."""
    return tuple(_prompts(_toml("nothing")))


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((SOURCES / f"{name}.toml").read_text(encoding="utf-8"))


def _project(row: Mapping[str, Any]) -> Project:
    return Project(
        name=row["name"],
        language=row["language"],
        evenings=row.get("evenings", False),
        people=tuple(row["people"]),
        files=tuple(row["files"].split()),
        words=tuple(row["words"]),
    )


def _written(row: Mapping[str, Any]) -> Written:
    question = row["q"].strip()
    return Written(
        id=row["id"],
        project=row["project"],
        question=question,
        answer=row["a"].strip(),
        about=row["about"],
        day=_day(row.get("day")),
        after=row.get("after"),
        older=row.get("older"),
        near=tuple(Near(near[0], near[1].strip(), _day(*near[2:3])) for near in row.get("near", ())),
        asks=tuple(_ask(ask, question) for ask in row.get("ask", ())),
    )


def _day(text: str | None = None) -> date | None:
    return date.fromisoformat(text) if text else None


def _ask(row: Sequence[str], question: str) -> Ask:
    kind, text, answer = row[:3]
    return Ask(kind, text, answer, _asked_in(kind, text, question))


def _asked_in(kind: str, text: str, question: str) -> str:
    """Return the language of a query; a bare name or code out of Japanese talk is mixed."""
    language = language_of(text)
    if language != "en" or language_of(question) == "en":
        return language
    return "ja" if kind == "romaji" else "mixed"


def _prompts(data: Mapping[str, Sequence[str]]) -> Iterator[Prompt]:
    for kind, texts in data.items():
        for place, text in enumerate(texts, 1):
            yield Prompt(f"{kind.replace(' ', '-')}/{place}", kind, text, language_of(text))
