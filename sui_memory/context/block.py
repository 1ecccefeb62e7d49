"""The dated block of recalled memories that is put into context."""

from __future__ import annotations

from collections.abc import Sequence

from sui_memory.context.excerpt import excerpt, short_question
from sui_memory.types import Hit


def render(hits: Sequence[Hit], terms: Sequence[str], budget_chars: int = 1500) -> str:
    """Return the block of recalled memories, dated and fenced as background; empty without hits."""
    if not hits:
        return ""
    share = budget_chars // len(hits)
    entries = [_entry(hit, terms, share) for hit in hits]
    return "\n".join(["<recalled-memories>", _PREFACE, *entries, "</recalled-memories>"])


_PREFACE = "Recalled memories of earlier conversations: dated background, to be checked before use."


def _entry(hit: Hit, terms: Sequence[str], share: int) -> str:
    exchange = hit.memory.exchange
    day = exchange.asked_at.astimezone().strftime("%Y-%m-%d") if exchange.asked_at else "undated"
    head = f"- {day} · {exchange.project.rsplit('/', 1)[-1]} · {hit.memory.id} · {short_question(exchange)}"
    return f"{head}\n  {_defused(excerpt(exchange.answer, terms, max(80, share - len(head))))}"


def _defused(text: str) -> str:
    """Keep stored text from imitating the fence."""
    return text.replace("<recalled-memories", "‹recalled-memories").replace(
        "</recalled-memories", "‹/recalled-memories"
    )
