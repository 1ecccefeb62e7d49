"""Keeping on purpose: a text, what it is worth, and its ties to what is like it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

from sui_memory.errors import UsageError
from sui_memory.mind import allowed
from sui_memory.mind.allowed import Redact
from sui_memory.mind.finding import known, wanted
from sui_memory.mind.ports import MindStore, Ports
from sui_memory.mind.similarity import Similarity
from sui_memory.store.kept import KEPT, Category, Emotion, KeptMemory, LinkType, Medium, Note
from sui_memory.text import clean
from sui_memory.types import Exchange, Indexed, Memory

AGENT = "kept"
"""Stands for the program that held a conversation, where there was none."""

_PROJECT_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become different of a kept memory; None stays as it is."""

    content: str | None = None
    emotion: str | None = None
    importance: int | None = None
    category: str | None = None
    tags: Sequence[str] | None = None


def new_note(
    emotion: str, importance: int, category: str, tags: Sequence[str] = (), *, redact: Redact
) -> Note:
    """Return a note of these values, or raise `UsageError`."""
    return changed(Note(), Change(None, emotion, importance, category, tags), redact)


def changed(note: Note, change: Change, redact: Redact) -> Note:
    """Return a note with what is given in the place of its own."""
    if change.emotion is not None:
        note = replace(note, emotion=allowed.choice(Emotion, change.emotion, "The emotion"))
    if change.importance is not None:
        note = replace(note, importance=allowed.whole(change.importance, 1, 5, "The importance"))
    if change.category is not None:
        note = replace(note, category=allowed.choice(Category, change.category, "The category"))
    if change.tags is not None:
        note = replace(note, tags=allowed.tags(change.tags, redact))
    return note


def keep(
    content: str,
    note: Note,
    project: str | None,
    *,
    ports: Ports,
    similarity: Similarity,
    medium: Medium | None = None,
) -> KeptMemory:
    """Store a text with its note and medium, tie it to what is like it, and return it as it is stored."""
    text = allowed.words(content, "The content", ports.redact)
    key = f"note:{uuid4().hex}"
    exchange = Exchange(
        key=key,
        fingerprint=key,  # the same words may be kept twice, and again after they were forgotten
        session=KEPT,
        project=clean(project or "")[:_PROJECT_CHARACTERS],
        question=text,
        agent=AGENT,
        asked_at=ports.clock(),
    )
    indexed = Indexed(exchange, ports.cut(exchange, ports.analyzer))
    ports.store.kept.keep(indexed, note, medium)
    _tie(exchange, indexed, ports, similarity)
    return stored(exchange.id, ports.store)


def _tie(exchange: Exchange, indexed: Indexed, ports: Ports, similarity: Similarity) -> None:
    """Link what is stored to what is like it, if the model that tells is loaded."""
    if not indexed.passages:
        return
    first = indexed.passages[0]
    vector = ports.vector(exchange.text[first.start : first.stop])
    if vector is not None:
        ports.store.kept.link(similarity.links([(exchange.id, vector)], ports.clock()))


def update(memory_id: str, change: Change, *, ports: Ports, similarity: Similarity) -> KeptMemory:
    """Change a kept memory, all checked before anything is written, and return it as it is stored."""
    kept = stored(memory_id, ports.store)
    note = changed(kept.note, change, ports.redact)
    if change.content is not None:
        text = allowed.words(change.content, "The content", ports.redact)
        if text != kept.memory.exchange.question:
            _reword(kept.memory.exchange, text, ports, similarity)
    if note != kept.note:
        ports.store.kept.annotate(kept.id, note)
    return stored(kept.id, ports.store)


def _reword(exchange: Exchange, text: str, ports: Ports, similarity: Similarity) -> None:
    """Store other words; what was like the old ones need not be like these."""
    edited = ports.edit(exchange, text)
    for link in ports.store.kept.links([edited.id]):
        if link.type is LinkType.SIMILAR:
            ports.store.kept.unlink(link.source_id, link.target_id, LinkType.SIMILAR)
    _tie(edited, Indexed(edited, ports.cut(edited, ports.analyzer)), ports, similarity)


def forget(memory_id: str, *, ports: Ports) -> Memory:
    """Delete a memory for good and return what it was."""
    memory = known(memory_id, ports.store)
    ports.forget(memory.exchange)
    return memory


def recent(limit: int, category: str | None, *, store: MindStore) -> list[KeptMemory]:
    """Return kept memories, the newest first."""
    return store.kept.recent(wanted(category, None), allowed.count(limit))


def stored(memory_id: str, store: MindStore) -> KeptMemory:
    """Return a kept memory by its id; an archived one is a `UsageError`."""
    memory = known(memory_id, store)
    note = store.kept.notes([memory.id]).get(memory.id)
    if note is None:
        raise UsageError(
            f"{memory.id} was archived from a conversation, not kept on purpose:"
            f" `sui-memory edit {memory.id}` changes its words."
        )
    return KeptMemory(memory, note)
