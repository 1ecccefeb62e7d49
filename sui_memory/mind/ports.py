"""What the mind needs of the layers around it, and the nouns that its answers are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sui_memory.store.base import MemoryStore
from sui_memory.store.kept import Kept
from sui_memory.types import Analyzer, Clock, Exchange, Hit, Memory, Passage, Scope, Vector


class MindStore(MemoryStore, Protocol):
    """A store of memories that also keeps notes, links, episodes and activations."""

    @property
    def kept(self) -> Kept:
        """What was kept on purpose."""


@dataclass(frozen=True, slots=True)
class Ports:
    """How the mind reaches what is outside of it.

    `search` finds memories in a scope, best first, at most so many. `recall` gives what a prompt of these
    words in this project would be shown. `vector` makes a document's vector by the active model when that is
    loaded already, and None otherwise: it never loads one. `edit` puts other words in the place of a
    memory's, redacted; `forget` deletes one for good.
    """

    store: MindStore
    analyzer: Analyzer
    redact: Callable[[str], tuple[str, int]]
    cut: Callable[[Exchange, Analyzer], tuple[Passage, ...]]
    clock: Clock
    search: Callable[[str, Scope, int], Sequence[Hit]]
    recall: Callable[[str, str | None, int], Sequence[Hit]]
    vector: Callable[[str], Vector | None]
    edit: Callable[[Exchange, str], Exchange]
    forget: Callable[[Exchange], int]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an association: `tie` is a type of link, or `episode`, or `adjacent`, or `near`."""

    source_id: str
    target_id: str
    tie: str
    strength: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Association:
    """A memory that others led to, and the steps from where it began; none when it was found itself.

    `strength` is the geometric mean of the steps' strengths, of a memory without steps 1.
    """

    memory: Memory
    strength: float
    path: tuple[Step, ...] = ()

    @property
    def id(self) -> str:
        """The short name a user sees."""
        return self.memory.id


@dataclass(frozen=True, slots=True)
class Associated:
    """A hit, and the memories that are tied to it, the strongest first."""

    hit: Hit
    associations: tuple[Association, ...]


@dataclass(frozen=True, slots=True)
class Active:
    """A memory in working memory, how active it is, and when it was last called to mind."""

    memory: Memory
    activation: float
    at: datetime


@dataclass(frozen=True, slots=True)
class Refreshed:
    """Working memory recomputed: what is active still, and the ids of what decayed within the last day."""

    active: tuple[Active, ...]
    decayed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What a consolidation did: activations replayed, their moments, links strengthened, links made."""

    replayed: int
    moments: int
    strengthened: int
    linked: int


@dataclass(frozen=True, slots=True)
class Aspect:
    """One part of a perspective: what to ask oneself, and the ids of memories that bear on it."""

    name: str
    question: str
    memory_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Perspective:
    """A frame to see a situation with another's eyes; whoever reads it draws the conclusions.

    `of_person` are memories that name the person, `of_situation` those of like situations.
    """

    situation: str
    person: str
    of_person: tuple[Hit, ...]
    of_situation: tuple[Hit, ...]
    aspects: tuple[Aspect, ...]


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How well the memories that a context finds hang together.

    `sample` are their ids. `link_types` counts the stored links from or to any of them, `mean_strength` is
    those links' own. `ties` counts, by kind, the ways that a walk could go from the sample; `degree` is to
    how many memories one of the sample is tied, on average, and `isolated` are those tied to none.
    `reachable_pairs` of `pairs` reach each other over two ties or fewer. `threshold` is the least cosine
    of a similarity link by this `model`, None when it cannot be told. `counts` are of the whole archive.
    """

    sample: tuple[str, ...]
    link_types: dict[str, int]
    mean_strength: float
    ties: dict[str, int]
    degree: float
    isolated: tuple[str, ...]
    reachable_pairs: int
    pairs: int
    model: str | None
    threshold: float | None
    counts: dict[str, int]
