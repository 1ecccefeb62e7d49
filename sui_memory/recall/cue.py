"""The cue: what of a prompt is asked of the archive, and what each of its words is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sui_memory.recall.routine import ASKING
from sui_memory.scoring import heaviest
from sui_memory.store.base import MemoryStore

HEAD, TAIL = 600, 400
"""Characters looked at where a prompt begins and where it ends. A person asks before or below what they
paste, and a stack trace names the error there; the middle of a log would only cost time."""

TERMS = 32
"""Terms of a cue at most. A pasted text has hundreds, of which the rarest that are known are taken: times and
addresses that no memory holds say nothing."""

ASKED = 0.3
"""Part of its weight that a word of asking keeps, 「理由」 or "reason": an answer seldom holds it."""

NOWHERE = "\ue001"
"""A term that no analysis makes, by which the IDF of the unknown is learnt."""


@dataclass(frozen=True, slots=True)
class Cue:
    """What is asked for: `text` for trigrams and vectors, `weights` (term → weight) for words and evidence.

    The weight of a term is its IDF, `most` the highest there can be; that of a guess is less, and what is
    missing is the weight of NOWHERE, which no memory holds. A cue is long when it had more terms than were
    taken, as pasted text has.
    """

    text: str
    weights: Mapping[str, float]
    most: float
    is_long: bool = False

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms in order of appearance."""
        return tuple(term for term in self.weights if term != NOWHERE)


def bounded(text: str) -> str:
    """Return a prompt whole, or the head and the tail of a long one."""
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"


def cue_of(
    words: str,
    terms: Sequence[str],
    store: MemoryStore,
    trust: Mapping[str, float] = MappingProxyType({}),
    rarity: Mapping[str, float] = MappingProxyType({}),
) -> Cue:
    """Return the cue of what a person said, and of its distinct terms.

    `trust`, 0 to 1, is of the terms that were guessed; `rarity` is what is known of it already.
    """
    missing = [term for term in (*terms, NOWHERE) if term not in rarity]
    rarity = {**rarity, **store.rarity(missing)} if missing else rarity
    most = heaviest(rarity[NOWHERE])
    is_long = len(terms) > TERMS
    if is_long:
        terms = [term for term in terms if rarity[term] < rarity[NOWHERE]]
    rarest = set(sorted(terms, key=lambda term: -rarity[term])[:TERMS])
    weights = {
        term: min(rarity[term], most) * (ASKED if term in ASKING else 1) for term in terms if term in rarest
    }
    doubt = sum(weight * (1 - trust.get(term, 1)) for term, weight in weights.items())
    if doubt:
        weights = {term: weight * trust.get(term, 1) for term, weight in weights.items()} | {NOWHERE: doubt}
    return Cue(words, weights, most, is_long)
