"""Memories as a tool returns them: ids and facts first, then what was recalled, fenced as background."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from sui_memory.context import render, units
from sui_memory.context.block import PREFACE, clipped
from sui_memory.context.fence import CLOSING, OPENING, defused
from sui_memory.mcp_server.library import Library
from sui_memory.mcp_server.tool import Result
from sui_memory.store.kept import Note
from sui_memory.types import Hit, Memory

BUDGET = 4_000
"""UTF-16 units of a result, as text and as data: 1,000 to 3,000 tokens, which a model can spare in any turn.

Claude Code 2.1 shows its model the data alone, as compact JSON; others show the text.
"""

_Row = TypeVar("_Row")

_LEAST_BLOCK = 1_200
_NAME_UNITS = 80
_HARMLESS = "‹"  # what `defused` makes of the bracket of an imitated tag


@dataclass(frozen=True, slots=True)
class Entry:
    """A memory to be shown, how well it was found, and what else is said of it in this place."""

    memory: Memory
    score: float | None = None
    passage: tuple[int, int] = (0, 0)
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_hit(cls, hit: Hit) -> Entry:
        """Return the entry of something found."""
        return cls(hit.memory, hit.score, hit.passage)


def listing(
    library: Library,
    lead: str,
    entries: Sequence[Entry],
    *,
    terms: Sequence[str] = (),
    data: Mapping[str, Any] | None = None,
    lines: Sequence[str] = (),
    budget: int = BUDGET,
) -> Result:
    """Return memories as a result: a line for each with its id, then the block of what they say.

    `terms` are the words by which excerpts are chosen, `lines` what is ours to say beneath the list. What
    the budget has no room for is counted as `left_out`.
    """
    notes = library.mind.notes([entry.memory.id for entry in entries])
    facts = dict(data or {})
    rows = bounded(
        [_row(entry, notes.get(entry.memory.id)) for entry in entries],
        budget - _LEAST_BLOCK - json_units(facts),
    )
    if len(rows) < len(entries):
        facts["left_out"] = len(entries) - len(rows)
        lines = [*lines, f"{facts['left_out']} more are left out for want of room."]
    head = "\n".join([lead, *map(_line, rows), *lines])
    hits = [Hit(entry.memory, entry.score or 0.0, entry.passage) for entry in entries[: len(rows)]]
    room = budget - max(units(head) + 1, json_units({**facts, "memories": rows, "recalled": ""}))
    block = _fitted(lambda size: render(hits, terms, memories=len(hits), budget_chars=size), room)
    return Result("\n".join(filter(None, [head, block])), {**facts, "memories": rows, "recalled": block})


def bounded(rows: Sequence[_Row], room: int) -> list[_Row]:
    """Return as many of the rows as have room as compact JSON."""
    kept: list[_Row] = []
    for row in rows:
        room -= json_units(row) + 1
        if room < 0:
            break
        kept.append(row)
    return kept


def json_units(value: Any) -> int:
    """Return the UTF-16 units of a value as compact JSON."""
    return units(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def fenced(lines: Sequence[str], room: int = BUDGET) -> str:
    """Return lines of stored text as a block of background, in at most so many units; empty without any."""
    return _fitted(lambda size: _fenced(lines, size), room)


def _fenced(lines: Sequence[str], room: int) -> str:
    left = room - sum(units(line) + 1 for line in (OPENING, PREFACE, CLOSING))
    kept: list[str] = []
    for line in map(defused, lines):
        shown = clipped(line, left - 1)
        if not shown:
            break
        kept.append(shown)
        left -= units(shown) + 1
    return "\n".join([OPENING, PREFACE, *kept, CLOSING]) if kept else ""


def _fitted(block_of: Callable[[int], str], room: int) -> str:
    """Return a block of a size at which it has room as JSON, too, where quotes and line ends take two."""
    size = room
    while True:
        block = block_of(size)
        excess = json_units(block) - len('""') - room
        if excess <= 0 or not block:
            return block
        size -= excess


def verbatim(text: str) -> str:
    """Return stored text defused line by line, with its indentation; on one line where lines hide a tag."""
    lines = "\n".join(_indent(line) + defused(line) for line in text.splitlines())
    whole = defused(text)
    return lines if lines.count(_HARMLESS) >= whole.count(_HARMLESS) else whole


def name(text: str) -> str:
    """Return a short stored name (a project, a title, a tag) without anything that could do harm."""
    return clipped(defused(text), _NAME_UNITS)


def counted(number: int, what: str, many: str = "") -> str:
    """Return a number of things as a person says it."""
    return f"{number:,} {what if number == 1 else many or what + 's'}"


def iso(moment: datetime | None) -> str | None:
    """Return a time as JSON has it: ISO 8601 in UTC."""
    return moment.isoformat().replace("+00:00", "Z") if moment else None


def minute(moment: datetime | None) -> str | None:
    """Return a time in UTC to the minute."""
    return moment.strftime("%Y-%m-%dT%H:%MZ") if moment else None


def note_facts(note: Note) -> dict[str, Any]:
    """Return what is known of a kept memory beside its text, as JSON."""
    facts = {
        "emotion": note.emotion.value,
        "importance": note.importance,
        "category": note.category.value,
        "tags": [name(tag) for tag in note.tags],
        "sources": list(note.sources),
        "pan_angle": note.pan_angle,
        "tilt_angle": note.tilt_angle,
        "rest": note.rest.value if note.rest else None,
    }
    return {key: value for key, value in facts.items() if value not in (None, [])}


def _row(entry: Entry, note: Note | None) -> dict[str, Any]:
    exchange = entry.memory.exchange
    row = {
        "id": entry.memory.id,
        "kind": "exchange" if note is None else "note",
        "asked_at": minute(exchange.asked_at),
        "project": name(exchange.project),
        **({} if note is None else note_facts(note)),
    }
    if entry.score is not None:
        row["score"] = round(entry.score, 3)
    return row | dict(entry.facts)


def _line(row: Mapping[str, Any]) -> str:
    """Return a row for the model: its id and what makes a difference."""
    said = [row["id"], (row["asked_at"] or "undated")[:10]]
    if row["kind"] == "note":
        said.append(f"kept: {row['category']}, {row['emotion']}, importance {row['importance']}")
    said += [f"{key} {row[key]}" for key in ("score", "strength", "activation", "via") if key in row]
    return "- " + " · ".join(said)


def _indent(line: str) -> str:
    blank = line[: len(line) - len(line.lstrip(" \t"))]
    return blank.replace("\t", "    ")
