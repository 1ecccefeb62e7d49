"""The nouns of the project: frozen values that every layer shares. Standard library only."""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Protocol

Clock = Callable[[], datetime]
Vector = Sequence[float]


class Status(StrEnum):
    """How a turn ended."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    UNANSWERED = "unanswered"


class Branch(StrEnum):
    """Whether the conversation went on from a turn, or was rewound past it."""

    MAIN = "main"
    ABANDONED = "abandoned"


class Role(StrEnum):
    """Which side of an exchange a text belongs to."""

    QUESTION = "question"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question with its answer: the unit that is archived, found and recalled.

    `key` is the uuid of the prompt's record; `fingerprint` recognises the same prompt when an old
    resume copied it under a new uuid. Times are UTC and come from the records. `uuids` are the
    records whose text is in here.
    """

    key: str
    fingerprint: str
    session: str
    project: str
    question: str
    answer: str = ""
    followups: tuple[str, ...] = ()
    status: Status = Status.COMPLETE
    branch: Branch = Branch.MAIN
    sidechain: bool = False
    auto: bool = False
    plan: bool = False
    agent: str = "claude-code"
    version: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    asked_at: datetime | None = None
    answered_at: datetime | None = None
    files: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    uuids: tuple[str, ...] = ()

    @property
    def human(self) -> str:
        """Everything the person typed in this turn, in order."""
        return "\n\n".join(part for part in (self.question, *self.followups) if part)

    @property
    def text(self) -> str:
        """Both sides in order; passages are cut from this string."""
        return f"{self.human}\n\n{self.answer}" if self.answer else self.human

    @property
    def marks(self) -> list[str]:
        """What sets it apart from an ordinary, complete exchange, in words."""
        marks = {
            "automated": self.auto,
            "sub-agent": self.sidechain,
            "plan": self.plan,
            "abandoned": self.branch is Branch.ABANDONED,
            self.status.value: self.status is not Status.COMPLETE,
        }
        return [name for name, is_set in marks.items() if is_set]

    def sides(self, start: int, stop: int) -> tuple[str, str]:
        """Return the parts of `text[start:stop]` on either side, without the space between them."""
        human, border = self.human, len(self.human) + 2
        answer = self.answer[max(0, start - border) : max(0, stop - border)]
        return human[start:stop].rstrip(), answer.lstrip()

    @property
    def id(self) -> str:
        """The short name a user sees: 12 base-32 characters (60 bits) of a hash of the key."""
        digest = blake2b(self.key.encode(), digest_size=8).digest()
        return b32encode(digest).decode().lower()[:12]


def content_hash(exchange: Exchange) -> bytes:
    """Return 16 bytes that change whenever anything stored of the exchange changes."""
    return blake2b(repr(exchange).encode("utf-8", "replace"), digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of an exchange, `text[start:stop]`, small enough for the embedding model.

    `question` and `answer` are the parts of that slice on either side, exactly as `Exchange.sides`
    gives them; `*_terms` are what `Analyzer.terms` makes of them. The store keeps neither: it computes
    both again to take a passage out of the index.
    """

    ordinal: int
    start: int
    stop: int
    question: str
    answer: str
    question_terms: str
    answer_terms: str


@dataclass(frozen=True, slots=True)
class Indexed:
    """An exchange with its passages, ready to be stored."""

    exchange: Exchange
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """A stored exchange. `pinned`, `edited` and `muted` (never to be injected) are the user's doing."""

    exchange: Exchange
    pinned: bool = False
    edited: bool = False
    muted: bool = False

    @property
    def id(self) -> str:
        """The short name a user sees."""
        return self.exchange.id

    @property
    def marks(self) -> list[str]:
        """What sets it apart from an ordinary memory, in words."""
        own = {"pinned": self.pinned, "edited": self.edited, "muted": self.muted}
        return [*(name for name, is_set in own.items() if is_set), *self.exchange.marks]


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memories a search may see. `None` means no limit; times are UTC, `until` is exclusive.

    Automated sessions and sub-agents are out unless asked for, and so are memories at rest; abandoned
    branches and muted memories are in. `exclude` are ids of memories that must not be found.
    """

    project: str | None = None
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    git_branch: str | None = None
    role: Role | None = None
    auto: bool = False
    sidechains: bool = False
    abandoned: bool = True
    muted: bool = True
    rest: bool = False
    exclude: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Match:
    """A passage that one index found, `text[start:stop]` of a memory of that time.

    A higher score is better; its unit is the index's own.
    """

    memory_id: str
    ordinal: int
    score: float
    start: int = 0
    stop: int = 0
    asked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was recalled, best passage, and how each stage scored it."""

    memory: Memory
    score: float
    passage: tuple[int, int]
    trace: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """How often a memory was shown, as far as it is known what came of it, and how often it was used."""

    shown: int = 0
    used: int = 0


class Analyzer(Protocol):
    """Turns text into index terms. The same text must always give the same terms.

    `version` names the analysis (dictionary and rules); an index made by another one is rebuilt.
    """

    @property
    def version(self) -> str:
        """Name of this analysis, stored beside the index."""

    @property
    def fts_tokenizer(self) -> str:
        """The `tokenize` option of the FTS5 table that holds the terms."""

    def terms(self, text: str) -> str:
        """Return the content words of `text`, normalised and separated by single spaces."""

    def query_terms(self, text: str) -> list[str]:
        """Return the distinct terms to ask for, in order of appearance."""

    def fold(self, text: str) -> str:
        """Return `text` as the trigram index sees it: NFKC and case-folded."""

    def sounds(self, terms: Sequence[str]) -> list[str]:
        """Return how each term is spoken, one spelling for one sound; empty where that is not known."""


class Embedder(Protocol):
    """Turns text into unit vectors of `dim` floats. Loading the weights is the constructor's work."""

    @property
    def model_id(self) -> str:
        """Name of the model and everything that changes its vectors."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    def embed_query(self, text: str) -> Vector:
        """Return the vector of something asked for."""

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector for each text, in order."""


class Reranker(Protocol):
    """Reads a query and a passage together. Loading the weights is the constructor's work."""

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        """Return how well each passage answers the query, in order; higher is better, in any unit."""
