"""Finding memories: by id, by words among those of a kind, as a prompt would, and around one of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sui_memory.errors import NotFoundError
from sui_memory.mind.allowed import asked, choice, count, moment, whole
from sui_memory.mind.ports import MindStore, Ports
from sui_memory.store.kept import KEPT, Category, Emotion, Kinds, Note
from sui_memory.text import clean
from sui_memory.types import Hit, Memory, Scope

_POOL = 200
"""Hits among which those of a kind are looked for: as many as the rankings of one search hold."""

_AROUND = 20


def known(memory_id: str, store: MindStore) -> Memory:
    """Return the memory that an id, or the beginning of one, names; none or several is a `NotFoundError`."""
    name = clean(memory_id).lower()
    found = store.find(name) if name else []
    if len(found) > 1 and name not in found:
        raise NotFoundError(f"Several memories start with {name!r}: {', '.join(found)}.")
    memories = store.get([name if name in found else found[0]]) if found else []
    if not memories:
        raise NotFoundError(f"No memory has the id {memory_id[:50]!r}: a search shows ids.")
    return memories[0]


def wanted(
    category: str | None,
    emotion: str | None,
    project: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Kinds:
    """Return which memories are wanted, by the names of kinds."""
    return Kinds(
        category=None if category is None else choice(Category, category, "The category"),
        emotion=None if emotion is None else choice(Emotion, emotion, "The emotion"),
        project=None if project is None else clean(project),
        since=moment(since, "`since`"),
        until=moment(until, "`until`"),
    )


def search(query: str, n: int, kinds: Kinds, *, ports: Ports) -> list[Hit]:
    """Return the best hits of these kinds, at most `n`.

    When the whole archive's best hold too few of a category or an emotion, what was kept outside of any
    conversation is asked by itself.
    """
    text, n = asked(query, "The query"), count(n)
    scope = Scope(project=kinds.project, since=kinds.since, until=kinds.until)
    if kinds.category is None and kinds.emotion is None:
        return list(ports.search(text, scope, n))
    found = _of(kinds, ports.search(text, scope, _POOL), ports.store)
    if len(found) < n:
        alone = Scope(project=kinds.project, session=KEPT, since=kinds.since, until=kinds.until)
        there = {hit.memory.id for hit in found}
        more = _of(kinds, ports.search(text, alone, _POOL), ports.store)
        found += [hit for hit in more if hit.memory.id not in there]
    return found[:n]


def _of(kinds: Kinds, hits: Sequence[Hit], store: MindStore) -> list[Hit]:
    notes = store.kept.notes([hit.memory.id for hit in hits])
    return [hit for hit in hits if (note := notes.get(hit.memory.id)) and _fits(note, kinds)]


def _fits(note: Note, kinds: Kinds) -> bool:
    return kinds.category in (None, note.category) and kinds.emotion in (None, note.emotion)


def recall(context: str, n: int, project: str | None, *, ports: Ports) -> list[Hit]:
    """Return what a prompt of these words would be shown, at most `n`."""
    return list(ports.recall(asked(context, "The context"), project, count(n)))


def around(memory_id: str, before: int, after: int, *, store: MindStore) -> list[Memory]:
    """Return a memory with its neighbours in the conversation, in order."""
    memory = known(memory_id, store)
    before = whole(before, 0, _AROUND, "`before`")
    after = whole(after, 0, _AROUND, "`after`")
    if memory.exchange.session == KEPT:
        return [memory]
    return store.neighbours(memory.id, before, after)


def at_rest(ids: Sequence[str], store: MindStore) -> frozenset[str]:
    """Return those of the ids that are no longer called to mind."""
    return frozenset(name for name, note in store.kept.notes(ids).items() if note.rest is not None)
