"""What speaks for each hit: the numbers by which it is shown or turned away, in its trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sui_memory.recall.cue import Cue
from sui_memory.recall.gate import is_order
from sui_memory.scoring import Rankings, covered, evidence_of, fold, standing_out
from sui_memory.store.base import MemoryStore
from sui_memory.types import Analyzer, Hit

UNSAID = 2.5
"""Words of the highest weight that an order, or a pasted text, is taken to leave unsaid: it names what is to
be done now, and bears on what was said before only when it names much of that."""


def judged(
    hits: Sequence[Hit], cue: Cue, rankings: Rankings, *, store: MemoryStore, analyzer: Analyzer
) -> list[Hit]:
    """Return the hits with what speaks for each in their traces."""
    held = store.holding(cue.terms, [hit.memory.id for hit in hits])
    z_scores = _z_scores(rankings)
    unsaid = UNSAID * cue.most if cue.is_long or is_order(cue.text) else 0.0
    weighed = []
    for hit in hits:
        literal = _literally(hit, cue, analyzer)
        coverage = covered(cue.weights, held.get(hit.memory.id, frozenset()) | literal, unsaid)
        z_score = z_scores.get(hit.memory.id, 0.0) if z_scores else None
        seen = () if z_score is None else (("stands_out", z_score),)
        weighed.append(
            traced(hit, ("covered", coverage), *seen, ("evidence", evidence_of(coverage, z_score)))
        )
    return weighed


def traced(hit: Hit, *numbers: tuple[str, float]) -> Hit:
    """Return a hit with more in its trace; a number replaces an older one of its name."""
    names = {name for name, _ in numbers}
    kept = (entry for entry in hit.trace if entry[0] not in names)
    return replace(hit, trace=(*kept, *numbers))


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
