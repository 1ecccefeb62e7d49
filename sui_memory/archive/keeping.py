"""How what is kept on purpose looks in an export: notes and media beside their memories, links, episodes."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sui_memory.archive.values import blob, member, moment, number, record, text, texts, whole
from sui_memory.store.kept import (
    Category,
    Emotion,
    Episode,
    KeepingStore,
    Kept,
    Link,
    LinkType,
    Medium,
    Note,
    Rest,
)

LINK, EPISODE = "link", "episode"
"""What a line that is no memory holds under this one key."""

_AT_ONCE = 500
_ALL = 2**31
_MOST = 2**31
_KINDS = ("picture", "audio")


def note_fields(note: Note) -> dict[str, Any]:
    """Return a note as an export has it (docs/json.md)."""
    return {
        "emotion": note.emotion.value,
        "importance": note.importance,
        "category": note.category.value,
        "tags": list(note.tags),
        "accessed": note.accessed,
        "accessed_at": _iso(note.accessed_at),
        "sources": list(note.sources),
        "pan_angle": note.pan_angle,
        "tilt_angle": note.tilt_angle,
        "rest": note.rest.value if note.rest else None,
    }


def read_note(value: Any) -> Note:
    """Return the note that `note_fields` was given; what is missing has its default."""
    found = {**note_fields(Note()), **record("note", value)}
    return Note(
        emotion=member("emotion", found["emotion"], Emotion),
        importance=whole("importance", found["importance"], 1, 5),
        category=member("category", found["category"], Category),
        tags=texts("tags", found["tags"]),
        accessed=whole("accessed", found["accessed"], 0, _MOST),
        accessed_at=moment("accessed_at", found["accessed_at"]),
        sources=texts("sources", found["sources"]),
        pan_angle=_angle("pan_angle", found["pan_angle"]),
        tilt_angle=_angle("tilt_angle", found["tilt_angle"]),
        rest=None if found["rest"] is None else member("rest", found["rest"], Rest),
    )


def _angle(name: str, value: Any) -> float | None:
    return None if value is None else number(name, value)


def medium_fields(medium: Medium) -> dict[str, Any]:
    """Return a picture or sound as an export has it, its bytes in Base64."""
    return {
        "kind": medium.kind,
        "mime": medium.mime,
        "name": medium.name,
        "data": b64encode(medium.data).decode(),
        "thumbnail": None if medium.thumbnail is None else b64encode(medium.thumbnail).decode(),
    }


def read_medium(value: Any) -> Medium:
    """Return the medium that `medium_fields` was given."""
    found = record("medium", value)
    kind, small = text("kind", found.get("kind")), found.get("thumbnail")
    if kind not in _KINDS:
        raise ValueError(f"'kind' is none of {', '.join(_KINDS)}")
    return Medium(
        kind=kind,
        mime=text("mime", found.get("mime")),
        name=text("name", found.get("name")),
        data=blob("data", found.get("data")),
        thumbnail=None if small is None else blob("thumbnail", small),
    )


def link_fields(link: Link) -> dict[str, Any]:
    """Return a link as an export has it (docs/json.md)."""
    return {
        "source": link.source_id,
        "target": link.target_id,
        "type": link.type.value,
        "note": link.note,
        "strength": link.strength,
        "created_at": _iso(link.created_at),
    }


def read_link(value: Any) -> Link:
    """Return the link of an export."""
    found = record(LINK, value)
    strength = number("strength", found.get("strength", 0.5))
    if not 0 < strength <= 1:
        raise ValueError("'strength' is not above 0 and at most 1")
    return Link(
        text("source", found.get("source")),
        text("target", found.get("target")),
        member("type", found.get("type"), LinkType),
        text("note", found.get("note", "")),
        strength,
        moment("created_at", found.get("created_at")),
    )


def _episode_fields(episode: Episode) -> dict[str, Any]:
    return {
        "id": episode.id,
        "title": episode.title,
        "summary": episode.summary,
        "memories": list(episode.memory_ids),
        "participants": list(episode.participants),
        "created_at": _iso(episode.created_at),
    }


def read_episode(value: Any) -> Episode:
    """Return the episode of an export."""
    found = record(EPISODE, value)
    return Episode(
        title=text("title", found.get("title")),
        summary=text("summary", found.get("summary", "")),
        memory_ids=texts("memories", found.get("memories")),
        participants=texts("participants", found.get("participants", [])),
        created_at=moment("created_at", found.get("created_at")),
        id=text("id", found.get("id")),
    )


def _iso(at: datetime | None) -> str | None:
    return at.isoformat().replace("+00:00", "Z") if at else None


def ties(ids: set[str], kept: Kept) -> Iterator[dict[str, Any]]:
    """Yield the links and episodes of which all memories are among `ids`, as an export has them."""
    ordered = sorted(ids)
    for start in range(0, len(ordered), _AT_ONCE):
        batch = set(ordered[start : start + _AT_ONCE])
        links = kept.links(sorted(batch))
        own = [link for link in links if link.source_id in batch and link.target_id in ids]
        for link in sorted(own, key=_what_it_ties):
            yield {LINK: link_fields(link)}
    for episode in reversed(kept.episodes(_ALL)):
        if ids.issuperset(episode.memory_ids):
            yield {EPISODE: _episode_fields(episode)}


def _what_it_ties(link: Link) -> tuple[str, str, LinkType]:
    return link.source_id, link.target_id, link.type


class Tying:
    """Stores links and episodes that are not there yet, once their memories are, and counts them.

    `new_links`, `new_episodes` and `values`, the secrets masked in them, say what was done.
    """

    def __init__(self, store: KeepingStore, redact: Callable[[str], tuple[str, int]]) -> None:
        self._store = store
        self._redact = redact
        self.new_links = self.new_episodes = self.values = 0

    def links(self, links: Sequence[Link]) -> None:
        """Store links between memories that are there."""
        for start in range(0, len(links), _AT_ONCE):
            batch = links[start : start + _AT_ONCE]
            there = self._store.kept.links([link.source_id for link in batch])
            known = set(map(_what_it_ties, there))
            fresh = [link for link in batch if _what_it_ties(link) not in known]
            ready = [replace(link, note=self._masked(link.note)) for link in fresh]
            self.new_links += self._store.kept.link(ready)

    def episode(self, episode: Episode) -> None:
        """Store an episode with those of its memories that are there.

        Its summary may hold the words of one that is not, since that was forgotten: then it is left out.
        """
        present = {memory.id for memory in self._store.get(episode.memory_ids)}
        if not present or self._store.kept.episode(episode.id):
            return
        summary = episode.summary if present.issuperset(episode.memory_ids) else ""
        masked = replace(
            episode,
            title=self._masked(episode.title),
            summary=self._masked(summary),
            participants=tuple(map(self._masked, episode.participants)),
        )
        self._store.kept.create_episode(masked)
        self.new_episodes += 1

    def _masked(self, words: str) -> str:
        clear, values = self._redact(words)
        self.values += values
        return clear


def fields_of(note: Note | None, medium: Medium | None) -> Mapping[str, Any]:
    """Return what an export has beside a memory; nothing where it was not kept on purpose."""
    if note is None:
        return {}
    beside: dict[str, Any] = {"note": note_fields(note)}
    return {**beside, "medium": medium_fields(medium)} if medium else beside
