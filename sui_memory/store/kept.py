"""The contract of kept memories: what was kept on purpose, how it is linked, and what was called to mind.

A kept memory is an exchange like any other, so that it is indexed, found, pinned, edited, exported and
forgotten like one; its text is the `question`, its `session` is `KEPT`, and a `Note` says what else is known
of it. Links, episodes and activations are of any memory, kept or archived.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from sui_memory.store.base import Committed, MemoryStore
from sui_memory.types import Indexed, Memory, Vector

KEPT = "kept"
"""The session of what was kept on purpose outside of any conversation, and the agent of all that was."""


class Emotion(StrEnum):
    """What was felt about it."""

    HAPPY = "happy"
    SAD = "sad"
    SURPRISED = "surprised"
    MOVED = "moved"
    EXCITED = "excited"
    NOSTALGIC = "nostalgic"
    CURIOUS = "curious"
    NEUTRAL = "neutral"


class Category(StrEnum):
    """What kind of thing it is."""

    DAILY = "daily"
    PHILOSOPHICAL = "philosophical"
    TECHNICAL = "technical"
    MEMORY = "memory"
    OBSERVATION = "observation"
    FEELING = "feeling"
    CONVERSATION = "conversation"


class LinkType(StrEnum):
    """What a link says: source, type, target read as a sentence. `similar` is made by itself."""

    SIMILAR = "similar"
    RELATED = "related"
    CAUSED_BY = "caused_by"
    LEADS_TO = "leads_to"
    CONTRADICTS = "contradicts"
    FOLLOWS = "follows"
    EXAMPLE_OF = "example_of"


class Rest(StrEnum):
    """Why a kept memory is no longer called to mind: a summary stands for it, or sleep let go of it."""

    MERGED = "merged"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True)
class Note:
    """What is known of a kept memory beside its text.

    `importance` is 1 to 5. `accessed` counts how often it was called to mind. `sources` are the ids of the
    memories that it sums up. A picture may have a camera's position, in degrees. What `rest` names is left
    out of searches and recall.
    """

    emotion: Emotion = Emotion.NEUTRAL
    importance: int = 3
    category: Category = Category.DAILY
    tags: tuple[str, ...] = ()
    accessed: int = 0
    accessed_at: datetime | None = None
    sources: tuple[str, ...] = ()
    pan_angle: float | None = None
    tilt_angle: float | None = None
    rest: Rest | None = None


@dataclass(frozen=True, slots=True)
class Medium:
    """A picture or a sound that a kept memory is about: its bytes, and a small PNG of a picture."""

    kind: str  # picture or audio
    mime: str
    name: str
    data: bytes
    thumbnail: bytes | None = None


@dataclass(frozen=True, slots=True)
class KeptMemory:
    """A memory with its note."""

    memory: Memory
    note: Note

    @property
    def id(self) -> str:
        """The short name a user sees."""
        return self.memory.id


@dataclass(frozen=True, slots=True)
class Kinds:
    """Which kept memories are wanted; `None` means any. Times are UTC, `until` is exclusive."""

    category: Category | None = None
    emotion: Emotion | None = None
    project: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    rest: bool = False  # those at rest, too


@dataclass(frozen=True, slots=True)
class Link:
    """A tie from one memory to another. `strength` is above 0 and at most 1."""

    source_id: str
    target_id: str
    type: LinkType
    note: str = ""
    strength: float = 0.5
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Episode:
    """Memories that belong together, in order. `id` is "" until it is stored."""

    title: str
    summary: str
    memory_ids: tuple[str, ...]
    participants: tuple[str, ...] = ()
    created_at: datetime | None = None
    id: str = ""


@dataclass(frozen=True, slots=True)
class Activation:
    """A memory that was called to mind at a moment; what was so at one moment was so together."""

    memory_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Slept:
    """What one sleep changes: all of it at once, or nothing.

    `merged` are summaries with their notes, whose `sources` go to rest. `faded` is id → the new importance.
    `forgotten` go to rest. `at` is when it was, which `Kept.slept_at` remembers. What was pinned since it was
    decided stays awake; a summary is left out when one of its sources was pinned, or is gone or at rest.
    """

    merged: tuple[tuple[Indexed, Note], ...] = ()
    faded: Mapping[str, int] | None = None
    forgotten: tuple[str, ...] = ()
    at: datetime | None = None


class Kept(Protocol):
    """Keeps notes, links, episodes and activations. Writes are one transaction each, failures `StoreError`.

    What is forgotten is forgotten here, too: with a memory go its note, medium, links, activations and its
    place in episodes, of which it takes the summary with it, and with the last one the episode. Unknown ids
    in a call are passed over where several are given; where one is, it is a `NotFoundError`.
    """

    def keep(self, indexed: Indexed, note: Note, medium: Medium | None = None) -> None:
        """Store a kept memory with its index, note and medium. An id that is there already is left alone."""

    def annotate(self, memory_id: str, note: Note) -> None:
        """Replace the note of a kept memory."""

    def restore(
        self, memories: Sequence[tuple[KeptMemory, Indexed, Medium | None]], *, revive: bool = False
    ) -> Committed:
        """Store kept memories that come from an export, as `MemoryStore.restore` does."""

    def reword(self, redact: Callable[[str], tuple[str, int]], *, dry_run: bool = False) -> int:
        """Mask secrets in what stands beside memories, in lessons and reminders; return how many."""

    def notes(self, ids: Sequence[str]) -> dict[str, Note]:
        """Return id → note, of those that are kept memories."""

    def summaries(self, ids: Sequence[str]) -> frozenset[str]:
        """Return the ids of the kept memories that sum up any of these: they may hold their words."""

    def recent(self, kinds: Kinds = Kinds(), limit: int = 10, offset: int = 0) -> list[KeptMemory]:
        """Return kept memories of these kinds, the newest first."""

    def medium(self, memory_id: str) -> Medium | None:
        """Return the picture or sound of a kept memory, if it has one."""

    def seen_from(self, pan_angle: float, tilt_angle: float, tolerance: float) -> list[KeptMemory]:
        """Return the pictures within `tolerance` degrees of both angles, the nearest first; none at rest."""

    def activate(self, ids: Sequence[str], at: datetime) -> None:
        """Note that these memories were called to mind together; of kept ones count the access."""

    def activations(self, since: datetime | None = None, limit: int = 200) -> list[Activation]:
        """Return what was called to mind, the latest first."""

    def link(self, links: Sequence[Link]) -> int:
        """Store links; one of the same source, target and type is replaced. Return how many are new."""

    def unlink(self, source_id: str, target_id: str, type: LinkType | None = None) -> int:
        """Delete the links from one memory to another, of a type or of any; return how many went."""

    def strengthen(self, pairs: Sequence[tuple[str, str]], by: float) -> int:
        """Raise the strength of the links between pairs by `by`, to 1 at most; `related` ones are made.

        Returns how many links changed or were made.
        """

    def links(self, ids: Sequence[str]) -> list[Link]:
        """Return the links from or to any of these memories, the strongest first."""

    def create_episode(self, episode: Episode) -> Episode:
        """Store an episode of at least one known memory and return it with its id."""

    def episode(self, episode_id: str) -> Episode | None:
        """Return an episode, its memories in order of time."""

    def episodes(self, limit: int = 50) -> list[Episode]:
        """Return episodes, the newest first."""

    def in_episodes(self, ids: Sequence[str]) -> frozenset[str]:
        """Return those of the ids that belong to an episode."""

    def sleep(self, slept: Slept) -> None:
        """Apply what a sleep decided, in one transaction."""

    def slept_at(self) -> datetime | None:
        """Return when the last sleep was, if there was one."""

    def wake(self, ids: Sequence[str]) -> int:
        """Bring memories at rest back to mind; return how many."""

    def vacuum(self) -> int:
        """Forget for good what sleep let go of, and return how many; until then `wake` undoes it."""

    def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Return id → the vector of its first passage by the active model, of unit length, if it has one."""

    def sample(self, count: int, seed: int = 0) -> list[Vector]:
        """Return vectors of so many passages of the archive, or of all, chosen by the seed."""

    def counts(self) -> dict[str, int]:
        """Return how many notes, links, episodes, activations, media and memories at rest there are."""


class KeepingStore(MemoryStore, Protocol):
    """A store of memories that keeps some on purpose."""

    @property
    def kept(self) -> Kept:
        """What was kept, and what ties memories together."""
