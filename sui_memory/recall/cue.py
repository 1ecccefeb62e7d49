"""The cue: what of a prompt is asked of the archive, and what each of its words is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sui_memory.scoring import weights_of
from sui_memory.store.base import MemoryStore
from sui_memory.types import Analyzer

HEAD, TAIL = 600, 400
"""Characters looked at where a prompt begins and where it ends. A person asks before or below what they
paste, and a stack trace names the error there; the middle of a log would only cost time."""

TERMS = 32
"""Terms of a cue at most, the rarest known ones first: a pasted text has hundreds."""

NOWHERE = "\ue001"
"""A term that no analysis makes, by which the IDF of the unknown is learnt."""


@dataclass(frozen=True, slots=True)
class Cue:
    """What is asked for: `text` for trigrams and vectors, `weights` (term → weight) for words and evidence.

    The weight of a term is its IDF, `ceiling` the IDF of what no memory holds.
    """

    text: str
    weights: Mapping[str, float]
    ceiling: float

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms in order of appearance."""
        return tuple(self.weights)


def bounded(text: str) -> str:
    """Return a prompt whole, or the head and the tail of a long one."""
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"


def cue_of(words: str, *, store: MemoryStore, analyzer: Analyzer) -> Cue:
    """Return the cue of what a person said; without terms when nothing in it can be asked for."""
    terms = analyzer.query_terms(words)
    rarity = store.rarity([*terms, NOWHERE])
    ceiling = rarity.get(NOWHERE, 0.0)
    weights = weights_of({term: rarity.get(term, ceiling) for term in terms}, ceiling)
    chosen = set(sorted(weights, key=lambda term: -weights[term])[:TERMS])
    return Cue(words, {term: weight for term, weight in weights.items() if term in chosen}, ceiling)
