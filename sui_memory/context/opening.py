"""The short block with which a session of a project begins: what was open when the last ones ended."""

from __future__ import annotations

from collections.abc import Sequence

from sui_memory.context.block import clipped, head, units
from sui_memory.context.excerpt import excerpt
from sui_memory.context.fence import CLOSING, OPENING, defused
from sui_memory.types import Memory, Status

PREFACE = "Recalled memories of how earlier sessions here ended: dated background, to be checked before use."

_ENDED = {
    Status.COMPLETE: "",
    Status.INTERRUPTED: " · interrupted",
    Status.UNANSWERED: " · unanswered",
}


def render_opening(memories: Sequence[Memory], *, budget_chars: int = 600) -> str:
    """Return the block of what was left open, in at most `budget_chars` UTF-16 units; empty without any."""
    room = budget_chars - sum(units(line) + 1 for line in (OPENING, PREFACE, CLOSING))
    entries: list[str] = []
    for number, memory in enumerate(memories):
        entry = clipped(_entry(memory, room // (len(memories) - number) - 1), room - 1)
        room -= units(entry) + 1
        entries.append(entry)
    return "\n".join([OPENING, PREFACE, *filter(None, entries), CLOSING]) if any(entries) else ""


def _entry(memory: Memory, share: int) -> str:
    """Return how one session ended: the last question, how far it came, and the end of the answer."""
    line = f"{head(memory)}{_ENDED[memory.exchange.status]}"
    room = share - units(line) - len("\n  ")
    if room < _LEAST or not memory.exchange.answer:
        return clipped(line, share)
    return f"{line}\n  {clipped(defused(excerpt(memory.exchange.answer, (), room)), room)}"


_LEAST = 40
"""Units below which an answer says nothing."""
