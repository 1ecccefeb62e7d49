"""Diversity: three memories should be three different things."""

from __future__ import annotations

from collections.abc import Sequence

from sui_memory.types import Exchange, Hit

ALIKE = 0.7
"""Jaccard similarity of character trigrams from which two texts say the same: a question asked again with a
word changed is above it, two questions about one subject are far below."""

_COMPARED = 300
"""Characters of a text that are compared: a fork shares all of them."""

_TELLING = 12
"""Characters of a question by which it is known again; 「続けて」 is asked about everything."""


def distinct(hits: Sequence[Hit], limit: int) -> list[Hit]:
    """Return the first `limit` hits that repeat no better one, in the same order."""
    kept: list[tuple[Hit, frozenset[str], frozenset[str]]] = []
    for hit in hits:
        if len(kept) >= limit:
            break
        asked, said = _shingles(_question(hit.memory.exchange)), _shingles(hit.memory.exchange.text)
        if not any(_alike(asked, other) or _alike(said, text) for _, other, text in kept):
            kept.append((hit, asked, said))
    return [hit for hit, _, _ in kept]


def _question(exchange: Exchange) -> str:
    return exchange.question if len(exchange.question) >= _TELLING else ""


def _shingles(text: str) -> frozenset[str]:
    head = " ".join(text[:_COMPARED].split()).casefold()
    return frozenset(head[start : start + 3] for start in range(len(head) - 2))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= ALIKE * len(one | other) > 0
