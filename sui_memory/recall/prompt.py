"""What a prompt brings to mind: memories that answer it on evidence, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sui_memory.recall.cue import Cue, bounded, cue_of
from sui_memory.recall.gate import Silence, is_order, pointing, routine, said, speechless, vague
from sui_memory.recall.judging import judged, traced
from sui_memory.recall.routine import SMALL_TALK
from sui_memory.recall.search import Embed, Query, Ranking, candidates, hits_of, ranked
from sui_memory.recall.spelling import respelled
from sui_memory.recall.when import when_said
from sui_memory.scoring import affine, distinct, fed_back, succeeded
from sui_memory.store.base import MemoryStore
from sui_memory.types import Analyzer, Hit, Scope, Status, Usage

Usages = Callable[[Sequence[str]], Mapping[str, Usage]]
"""Gives memory id → how often it was shown and used, of those of which that is known."""

JUDGED = 12
"""Hits whose evidence is weighed, best first: what ranks lower is not among the three that are shown."""

_POOL = 50  # passages asked of words and of trigrams: half of what a search pages through takes half the time
_TELLING = 2  # terms of a cue from which two memories that hold them alike are about the same
_UNLESS_DATED = (Silence.ORDER, Silence.POINTING)  # "back to last week's colours" asks for what was said then
_REFUSED = 3  # hits below the bar that a recollection tells of


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a person, or a program, has just said to the assistant.

    `session` and `transcript` tell which memories are before its eyes already, `project` is the folder it
    is in. `shown` are ids that this session was shown since its last compaction, at `compacted_at`.
    `origin` is the session that it was forked from, which counts until the archive knows the fork itself.
    """

    text: str
    session: str
    now: datetime
    project: str | None = None
    transcript: str | None = None
    shown: frozenset[str] = frozenset()
    compacted_at: datetime | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class Recollection:
    """The memories for a prompt, best first, or none and the reason for silence.

    `terms` are the words of the cue, by which the part of an answer is chosen that answers. `refused` are
    the best hits that the bar turned away. `late` says that the model's vector did not come in time.
    """

    hits: tuple[Hit, ...] = ()
    silence: str | None = None
    terms: tuple[str, ...] = ()
    refused: tuple[Hit, ...] = ()
    late: bool = False


def recollect(
    prompt: Prompt,
    *,
    store: MemoryStore,
    analyzer: Analyzer,
    embed: Embed | None,
    ranking: Ranking,
    limit: int = 3,
    usages: Usages | None = None,
) -> Recollection:
    """Return the memories that bear on a prompt, at most `limit`, on evidence alone.

    `embed` gives the vector of the cue or, when it is late, None; without a model it is None itself. With
    `usages` those that were used before rise. Any text will do; failures are the store's.
    """
    text = bounded(prompt.text)
    words = said(text)
    if not words:
        return Recollection(silence=speechless(text))
    when = when_said(words, prompt.now.astimezone())
    words = when.rest if when else words
    spelled = respelled(words, analyzer.query_terms(words), store=store, analyzer=analyzer)
    silence = routine(spelled.text, spelled.terms) or pointing(spelled.text, spelled.terms)
    if silence and not (when and silence in _UNLESS_DATED):
        return Recollection(silence=silence, terms=spelled.terms)
    telling = [term for term in spelled.terms if term not in SMALL_TALK]
    cue = cue_of(spelled.text, telling, store, spelled.trust, spelled.rarity)
    if silence := vague(cue):
        return Recollection(silence=silence, terms=cue.terms)
    query = Query(cue.text, prompt.now, _scope(prompt, store))
    rankings = candidates(query, cue, store=store, embed=embed, pool=_POOL)
    late = embed is not None and "vectors" not in rankings
    best = ranked(rankings, prompt.now, ranking, JUDGED, when)
    hits = [hit for hit in hits_of(best, store) if _tells(hit)]
    near = _near(hits, prompt.project)
    if usages is not None:
        near = fed_back(near, usages([hit.memory.id for hit in near]))
    told = when is None and is_order(cue.text)
    found = judged(near, cue, is_told=told, store=store, analyzer=analyzer)
    if late:
        found = [traced(hit, ("late", 1.0)) for hit in found]
    return _recollection(found, cue, limit, ranking.bar, late=late)


def _scope(prompt: Prompt, store: MemoryStore) -> Scope:
    """Return what may come to mind: not what the session has before its eyes, and nothing muted."""
    present = store.present(prompt.session, prompt.transcript, prompt.compacted_at)
    if not present and prompt.origin is not None:
        present = store.present(prompt.origin, None, None)
    return Scope(muted=False, exclude=prompt.shown | present)


def _tells(hit: Hit) -> bool:
    """Say whether a memory is more than a question that was cut off before its answer."""
    exchange = hit.memory.exchange
    return bool(exchange.answer) or exchange.status is Status.COMPLETE


def _near(hits: list[Hit], project: str | None) -> list[Hit]:
    """Return the hits after affinity, best first."""
    scored = []
    for hit in hits:
        near = hit.memory.exchange.project == project
        score = affine(hit.score, near=near)
        scored.append(replace(traced(hit, ("near", float(near)), ("score", score)), score=score))
    return sorted(scored, key=lambda hit: -hit.score)


def _recollection(hits: list[Hit], cue: Cue, limit: int, least: float, *, late: bool) -> Recollection:
    """Divide the judged hits at the bar, and keep those that are different things."""
    hits = [traced(hit, ("bar", least)) for hit in hits]
    passed = [hit for hit in hits if passes(hit)]
    refused = tuple(hit for hit in hits if not passes(hit))[:_REFUSED]
    if len(cue.terms) >= _TELLING:
        passed = succeeded(passed)
    if passed:
        return Recollection(tuple(distinct(passed, limit)), None, cue.terms, refused, late)
    silence = Silence.WEAK if hits else Silence.NOTHING
    return Recollection((), silence, cue.terms, refused, late)


def passes(hit: Hit) -> bool:
    """Say whether there is as much evidence for a hit as the bar asks for."""
    numbers = dict(hit.trace)
    return numbers["evidence"] >= numbers["bar"]
