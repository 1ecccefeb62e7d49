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
        asked, said = shingles(_question(hit.memory.exchange)), shingles(hit.memory.exchange.text)
        if not any(alike(asked, other) or alike(said, text) for _, other, text in kept):
            kept.append((hit, asked, said))
    return [hit for hit, _, _ in kept]


def _question(exchange: Exchange) -> str:
    return exchange.question if len(exchange.question) >= _TELLING else ""


def shingles(text: str) -> frozenset[str]:
    """Return the character trigrams of the beginning of a text, in one case and with single spaces."""
    head = " ".join(text[:_COMPARED].split()).casefold()
    return frozenset(head[start : start + 3] for start in range(len(head) - 2))


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether two texts, given by their shingles, say the same."""
    return len(one & other) >= ALIKE * len(one | other) > 0
