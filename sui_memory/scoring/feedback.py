"""Feedback: memories that proved useful rise a little, those shown and ignored fall a little.

Whether a shown memory was used is read off the answer that followed: it holds what only the memory could
have told, the telling words of its answer that were not in the prompt. Use rates are smoothed by a Beta
prior, because one showing proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from sui_memory.types import Hit, Usage

PRIOR_RATE = 0.5
"""Expected use rate of a memory of which nothing is known. Of what the prompts of the project's own set are
shown 62 % is what was asked for, and of that five in six are recognised as used."""

PRIOR_SHOWS = 4.0
"""Showings that the prior is worth: after four the memory's own record weighs as much as what is expected."""

BONUS = 0.1
"""What a memory gains, or loses, on a score of 0 to 1 when its rate is 1, or 0: at most .05 either way, as
much as freshness decides. More would make what was once asked for the answer to everything like it."""

TELLING = 12
"""Terms of a memory that are looked for, the rarest: an answer takes one thing out of a long memory."""

LEAST = 3
"""Terms that the memory must have beyond the prompt to be judged: of fewer, one may be there by chance."""

SHARE = 0.15
"""Share of their IDF weight that the following answer must hold. On the tuning half of the project's own set
an answer that repeats one sentence of the memory is recognised in 84 % of the cases, and 2 % of the other
memories shown beside it are taken for used; at .1 it is 88 % and 5 %, at .25 66 % and 2 %."""


def used(weights: Mapping[str, float], prompted: Set[str], following: Set[str]) -> bool | None:
    """Say whether an answer draws on a memory; None when the memory tells too little beyond the prompt.

    `weights` are the terms of the memory's answer with their IDF; `prompted` are the terms of the prompt,
    which prove nothing, and `following` those of the answer that came after it.
    """
    beyond = sorted((weight, term) for term, weight in weights.items() if term not in prompted)
    telling = beyond[-TELLING:]
    total = sum(weight for weight, _ in telling)
    if len(telling) < LEAST or not total:
        return None
    return sum(weight for weight, term in telling if term in following) >= SHARE * total


def use_rate(usage: Usage) -> float:
    """Return the expected share, 0 to 1, of showings after which a memory is used: the mean of a Beta."""
    return (usage.used + PRIOR_RATE * PRIOR_SHOWS) / (usage.shown + PRIOR_SHOWS)


def encouraged(score: float, usage: Usage) -> float:
    """Return a score of 0 to 1 after feedback; a memory that was never shown keeps its own."""
    return min(1.0, max(0.0, score + BONUS * (use_rate(usage) - PRIOR_RATE)))


def fed_back(hits: Sequence[Hit], usages: Mapping[str, Usage]) -> list[Hit]:
    """Return the hits after feedback, best first; equals stay in order. `usages` is memory id → usage."""
    scored = [_fed_back(hit, usages.get(hit.memory.id, Usage())) for hit in hits]
    return sorted(scored, key=lambda hit: -hit.score)


def _fed_back(hit: Hit, usage: Usage) -> Hit:
    if not usage.shown:
        return hit
    score = encouraged(hit.score, usage)
    kept = (entry for entry in hit.trace if entry[0] != "score")
    return replace(hit, score=score, trace=(*kept, ("used", use_rate(usage)), ("score", score)))
