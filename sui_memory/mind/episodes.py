"""Episodes: memories put together under a title, summed up by rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sui_memory.errors import NotFoundError, UsageError
from sui_memory.mind.allowed import asked, count, words
from sui_memory.mind.finding import known as known_memory
from sui_memory.mind.ports import MindStore, Ports
from sui_memory.store.kept import Episode, Note
from sui_memory.text import clean
from sui_memory.types import Memory, Scope

SUMMARY = 500
"""Characters of a summary: a paragraph that is read at a glance."""

_SENTENCE = re.compile(r"[^\n]*?(?:[。！？]|[.!?](?=\s|$)|(?=\n|$))")
_SENTENCE_CHARACTERS = 120
_TITLE, _NAME = 200, 100
_MEMBERS, _PARTICIPANTS = 500, 50
_LISTED = 200  # episodes that a search reads, the newest
_POOL = 50  # hits whose episodes count
_OLDEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Draft:
    """An episode as it is asked for."""

    title: str
    memory_ids: Sequence[str]
    participants: Sequence[str] = ()
    auto_summarize: bool = True


def create(draft: Draft, *, ports: Ports) -> Episode:
    """Store an episode of known memories, all of them, and return it with its id."""
    title = words(draft.title, "The title", ports.redact, limit=_TITLE)
    if isinstance(draft.memory_ids, str) or not 1 <= len(draft.memory_ids) <= _MEMBERS:
        raise UsageError(f"An episode is a list of 1 to {_MEMBERS} ids of memories.")
    if isinstance(draft.participants, str) or len(draft.participants) > _PARTICIPANTS:
        raise UsageError(f"The participants are a list of at most {_PARTICIPANTS} names.")
    names = [words(name, "A participant", ports.redact, limit=_NAME) for name in draft.participants]
    members = [known_memory(name, ports.store) for name in draft.memory_ids]
    members = list({member.id: member for member in members}.values())
    summary = summed_up(members, ports.store) if draft.auto_summarize else ""
    ids = tuple(member.id for member in members)
    episode = Episode(title, summary, ids, tuple(dict.fromkeys(names)), ports.clock())
    return ports.store.kept.create_episode(episode)


def summed_up(members: Sequence[Memory], store: MindStore) -> str:
    """Return the dated first sentences of the weightiest members, in order of time, in 500 characters.

    Weight is a memory's importance, and how many of the others it is linked to.
    """
    ids = [member.id for member in members]
    notes, degrees = store.kept.notes(ids), _degrees(ids, store)
    order = sorted(members, key=lambda member: -_weight(member, notes, degrees))
    chosen: dict[str, Memory] = {}
    room = SUMMARY
    for member in order:
        line = _line(member)
        if line not in chosen and len(line) < room:
            chosen[line] = member
            room -= len(line) + 1
    in_time = sorted(chosen, key=lambda line: (chosen[line].exchange.asked_at or _OLDEST, chosen[line].id))
    return "\n".join(in_time)


def _degrees(ids: Sequence[str], store: MindStore) -> Counter[str]:
    inside = set(ids)
    ties = {
        frozenset((link.source_id, link.target_id))
        for link in store.kept.links(ids)
        if link.source_id in inside and link.target_id in inside
    }
    return Counter(name for tie in ties for name in tie)


def _weight(member: Memory, notes: dict[str, Note], degrees: Counter[str]) -> float:
    note = notes.get(member.id, Note())
    return note.importance + degrees[member.id] / (1 + degrees[member.id])


def _line(memory: Memory) -> str:
    asked_at = memory.exchange.asked_at
    day = f"{asked_at.astimezone():%Y-%m-%d}: " if asked_at else ""
    return day + first_sentence(memory.exchange.text)


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, cut to 120 characters."""
    found = _SENTENCE.match(text.strip())
    sentence = " ".join(found[0].split()) if found else ""
    if len(sentence) > _SENTENCE_CHARACTERS:
        return f"{sentence[: _SENTENCE_CHARACTERS - 1]}…"
    return sentence


def search(query: str, n: int, *, ports: Ports) -> list[Episode]:
    """Return the episodes that answer a query, best first.

    One scores the share of the query's words, by rarity, that its title, summary and participants hold,
    or 1 when they hold the query as it is, and the score of its best memory among the query's hits.
    """
    text, n = asked(query, "The query"), count(n)
    hits = {hit.memory.id: hit.score for hit in ports.search(text, Scope(), _POOL)}
    weights = _weights(text, ports)
    scored = []
    for episode in ports.store.kept.episodes(_LISTED):
        said = f"{episode.title}\n{episode.summary}\n{' '.join(episode.participants)}"
        member = max((hits.get(name, 0.0) for name in episode.memory_ids), default=0.0)
        score = _covered(said, text, weights, ports) + member
        if score > 0:
            scored.append((score, episode))
    scored.sort(key=lambda pair: -pair[0])
    return [episode for _, episode in scored[:n]]


def _weights(text: str, ports: Ports) -> dict[str, float]:
    """Return what each word of a query counts: its rarity; one that no memory holds counts as well."""
    terms = ports.analyzer.query_terms(text)
    rarity = ports.store.rarity(terms)
    return {term: rarity.get(term, 0.0) for term in terms}


def _covered(said: str, text: str, weights: dict[str, float], ports: Ports) -> float:
    analyzer = ports.analyzer
    if analyzer.fold(text) in analyzer.fold(said):
        return 1.0
    total = sum(weights.values())
    held = set(analyzer.terms(said).split())
    return sum(weight for term, weight in weights.items() if term in held) / total if total else 0.0


def known(episode_id: str, store: MindStore) -> Episode:
    """Return an episode by its id, or raise `NotFoundError`."""
    found = store.kept.episode(clean(episode_id))
    if found is None:
        raise NotFoundError(f"No episode has the id {episode_id[:50]!r}: a search of episodes shows ids.")
    return found


def memories(episode_id: str, store: MindStore) -> list[Memory]:
    """Return the memories of an episode in order of time."""
    return store.get(known(episode_id, store).memory_ids)
