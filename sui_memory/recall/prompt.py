"""What a prompt brings to mind: memories that answer it on evidence, or nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from sui_memory.recall.cue import Cue, bounded, cue_of
from sui_memory.recall.gate import Silence, is_order, routine, said, speechless, vague
from sui_memory.recall.routine import SMALL_TALK
from sui_memory.recall.search import Embed, Query, Ranking, candidates, hits_of, ranked
from sui_memory.scoring import Rankings, affine, bar, covered, distinct, evidence, fold, standing_out
from sui_memory.store.base import MemoryStore
from sui_memory.types import Analyzer, Hit, Scope

JUDGED = 12
"""Hits whose evidence is weighed, best first: what ranks lower is not among the three that are shown."""

UNSAID = 2.0
"""Words of the highest weight that an order, or a pasted text, is taken to leave unsaid: it names what is to
be done now, and bears on what was said before only when it names much of that."""

_POOL = 50  # passages asked of words and of trigrams: half of what a search pages through takes half the time
_REFUSED = 3  # hits below the bar that a log shows


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a person, or a program, has just said to the assistant.

    `session` and `transcript` tell which memories are before its eyes already, `project` is the folder it
    is in. `shown` are ids that this session was shown since its last compaction, at `compacted_at`.
    """

    text: str
    session: str
    now: datetime
    project: str | None = None
    transcript: str | None = None
    shown: frozenset[str] = frozenset()
    compacted_at: datetime | None = None


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
) -> Recollection:
    """Return the memories that bear on a prompt, at most `limit`, on evidence alone.

    `embed` gives the vector of the cue or, when it is late, None; without a model it is None itself. Any
    text will do; failures are the store's.
    """
    text = bounded(prompt.text)
    words = said(text)
    if not words:
        return Recollection(silence=speechless(text))
    terms = analyzer.query_terms(words)
    if silence := routine(words, terms):
        return Recollection(silence=silence, terms=tuple(terms))
    cue = cue_of(words, [term for term in terms if term not in SMALL_TALK], store)
    if silence := vague(cue):
        return Recollection(silence=silence, terms=cue.terms)
    query = Query(words, prompt.now, _scope(prompt, store))
    rankings = candidates(query, cue.terms, store=store, embed=embed, pool=_POOL)
    late = embed is not None and "vectors" not in rankings
    hits = hits_of(ranked(rankings, prompt.now, ranking)[:JUDGED], store)
    judged = _judged(_near(hits, prompt.project), cue, rankings, store, analyzer)
    if late:
        judged = [_traced(hit, ("late", 1.0)) for hit in judged]
    return _recollection(judged, cue, limit, late=late)


def _scope(prompt: Prompt, store: MemoryStore) -> Scope:
    """Return what may come to mind: not what the session has before its eyes, and nothing muted."""
    present = store.present(prompt.session, prompt.transcript, prompt.compacted_at)
    return Scope(muted=False, exclude=prompt.shown | present)


def _near(hits: list[Hit], project: str | None) -> list[Hit]:
    """Return the hits after affinity, best first."""
    scored = []
    for hit in hits:
        near = hit.memory.exchange.project == project
        score = affine(hit.score, near=near)
        scored.append(replace(_traced(hit, ("near", float(near)), ("score", score)), score=score))
    return sorted(scored, key=lambda hit: -hit.score)


def _judged(
    hits: list[Hit], cue: Cue, rankings: Rankings, store: MemoryStore, analyzer: Analyzer
) -> list[Hit]:
    """Return the hits with what speaks for each in their traces."""
    held = store.holding(cue.terms, [hit.memory.id for hit in hits])
    z_scores = _z_scores(rankings)
    unsaid = UNSAID * cue.most if cue.is_long or is_order(cue.text) else 0.0
    judged = []
    for hit in hits:
        literal = _literally(hit, cue, analyzer)
        coverage = covered(cue.weights, held.get(hit.memory.id, frozenset()) | literal, unsaid)
        z_score = z_scores.get(hit.memory.id, 0.0) if z_scores else None
        seen = () if z_score is None else (("stands_out", z_score),)
        judged.append(_traced(hit, ("covered", coverage), *seen, ("evidence", evidence(coverage, z_score))))
    return judged


def _literally(hit: Hit, cue: Cue, analyzer: Analyzer) -> frozenset[str]:
    """Return the terms that stand in the passage as they are, though it was cut into other words.

    Names that the dictionary lacks are cut by what is around them; the whole cue may be such a name. Latin
    words are not: they have borders.
    """
    rarest = [term for term, weight in cue.weights.items() if weight >= cue.most and not term.isascii()]
    if not rarest:
        return frozenset()
    start, stop = hit.passage
    passage = analyzer.fold(hit.memory.exchange.text[start:stop])
    if len(cue.text) > 1 and analyzer.fold(cue.text) in passage:
        return frozenset(cue.terms)
    return frozenset(term for term in rarest if len(term) > 1 and term in passage)


def _z_scores(rankings: Rankings) -> dict[str, float]:
    """Return memory id → how far its vector stands out; what the pool does not hold, does not at all."""
    nearest = fold(rankings.get("vectors", ()))
    scores = standing_out([match.score for match in nearest])
    found = zip(nearest, scores, strict=True)
    return {match.memory_id: score for match, score in found if score is not None}


def _recollection(judged: list[Hit], cue: Cue, limit: int, *, late: bool) -> Recollection:
    """Divide the judged hits at the bar, and keep those that are different things."""
    speaking = [dict(hit.trace)["evidence"] for hit in judged]
    least = bar(speaking)
    found = list(zip(judged, speaking, strict=True))
    passed = [hit for hit, speaks in found if speaks >= least]
    refused = tuple(hit for hit, speaks in found if speaks < least)[:_REFUSED]
    if passed:
        return Recollection(tuple(distinct(passed, limit)), None, cue.terms, refused, late)
    silence = Silence.WEAK if judged else Silence.NOTHING
    return Recollection((), silence, cue.terms, refused, late)


def _traced(hit: Hit, *numbers: tuple[str, float]) -> Hit:
    """Return a hit with more in its trace; a number replaces an older one of its name."""
    names = {name for name, _ in numbers}
    kept = (entry for entry in hit.trace if entry[0] not in names)
    return replace(hit, trace=(*kept, *numbers))
