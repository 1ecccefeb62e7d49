"""What speaks for each hit: the numbers by which it is shown or turned away, in its trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sui_memory.recall.cue import Cue
from sui_memory.scoring import Grounds, covered, evidence_of
from sui_memory.store.base import MemoryStore
from sui_memory.types import Analyzer, Hit


def judged(
    hits: Sequence[Hit], cue: Cue, *, is_told: bool, store: MemoryStore, analyzer: Analyzer
) -> list[Hit]:
    """Return the hits with what speaks for each in their traces; `is_told` says that the cue is an order."""
    coverages = _coverages(hits, cue, store, analyzer)
    asked = sum(cue.weights.values()) / cue.most if cue.most else 0.0
    weighed = []
    for hit, coverage in zip(hits, coverages, strict=True):
        grounds = Grounds(coverage * asked, (1 - coverage) * asked, hit.score, is_told)
        numbers = {
            "covered": coverage,
            "held": grounds.held,
            "missed": grounds.missed,
            "order": float(is_told),
        }
        weighed.append(traced(hit, *numbers.items(), ("evidence", evidence_of(grounds))))
    return weighed


def _coverages(hits: Sequence[Hit], cue: Cue, store: MemoryStore, analyzer: Analyzer) -> list[float]:
    """Return the share of the cue that each hit holds: as ranking found it, unless the text may tell more."""
    known = [dict(hit.trace).get("coverage score") for hit in hits]
    rarest = [term for term, weight in cue.weights.items() if weight >= cue.most and not term.isascii()]
    unsure = [
        hit.memory.id
        for hit, share in zip(hits, known, strict=True)
        if share is None or (rarest and share < 1)
    ]
    held = store.holding(cue.terms, unsure) if unsure else {}
    return [
        covered(cue.weights, held[hit.memory.id] | _literally(hit, cue, rarest, analyzer))
        if hit.memory.id in held
        else share or 0.0
        for hit, share in zip(hits, known, strict=True)
    ]


def traced(hit: Hit, *numbers: tuple[str, float]) -> Hit:
    """Return a hit with more in its trace; a number replaces an older one of its name."""
    names = {name for name, _ in numbers}
    kept = (entry for entry in hit.trace if entry[0] not in names)
    return replace(hit, trace=(*kept, *numbers))


def _literally(hit: Hit, cue: Cue, rarest: Sequence[str], analyzer: Analyzer) -> frozenset[str]:
    """Return those of the rarest terms that stand in the passage as they are, though it was cut otherwise.

    Names that the dictionary lacks are cut by what is around them; the whole cue may be such a name. Latin
    words are not: they have borders.
    """
    if not rarest:
        return frozenset()
    start, stop = hit.passage
    passage = analyzer.fold(hit.memory.exchange.text[start:stop])
    if len(cue.text) > 1 and analyzer.fold(cue.text) in passage:
        return frozenset(cue.terms)
    return frozenset(term for term in rarest if len(term) > 1 and term in passage)
