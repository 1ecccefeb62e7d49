"""The dated block of recalled memories that is put into context."""

from __future__ import annotations

from collections.abc import Sequence

from sui_memory.context.excerpt import excerpt, matches, reply, short_question, topic_of
from sui_memory.context.fence import CLOSING, OPENING, defused
from sui_memory.store.kept import KEPT
from sui_memory.store.lessons import Lesson, Reminder
from sui_memory.types import Hit, Memory

CEILING = 9_000
"""UTF-16 units of a block at most, whatever the settings: Claude Code cuts off beyond 10,000."""

PREFACE = "Recalled memories of earlier conversations: dated background, to be checked before use."

TOLD = "Lessons and reminders that were kept for a moment like this:"

_LEAST = 60
"""Units that an entry leaves to its answer; when there is less room, the last memory is dropped."""

_SEARCHED = 20_000
"""Characters of a memory that are searched for the part that answers; of a longer one, its best passage."""

_INDENT = "\n  "

_LONGEST_TRIGGER = 60
_LONGEST_TOLD = 400
"""Units of a line about a lesson: its trigger, and the longest action that can be kept."""


def render(
    hits: Sequence[Hit],
    terms: Sequence[str],
    *,
    memories: int = 3,
    budget_chars: int = 1500,
    told: Sequence[str] = (),
) -> str:
    """Return the block of the best memories, dated and fenced as background; empty without any.

    `terms` are the words of the cue, by which the part of an answer is chosen. The whole block has at
    most `budget_chars` characters, counted in UTF-16 units as Claude Code does, and never over `CEILING`.
    `told` are lines of `told_lines`, which come first.
    """
    kept = fitting(hits[:memories], budget_chars=budget_chars, told=told)
    shares = _shares([_whole(hit) for hit in kept], _room(budget_chars, told))
    entries = [_entry(head(hit.memory), hit, terms, share) for hit, share in zip(kept, shares, strict=True)]
    above = [TOLD, *told] if told else []
    below = [PREFACE, *entries] if entries else []
    return "\n".join([OPENING, *above, *below, CLOSING]) if above or below else ""


def fitting(hits: Sequence[Hit], *, budget_chars: int, told: Sequence[str] = ()) -> list[Hit]:
    """Return the first hits that a block has room for below what is told: those that `render` shows."""
    room = _room(budget_chars, told)
    kept = list(hits)
    while kept and room < sum(units(head(hit.memory)) + _LEAST for hit in kept):
        kept.pop()
    return kept


def told_lines(
    lessons: Sequence[Lesson], reminders: Sequence[Reminder], *, budget_chars: int = 1500
) -> list[str]:
    """Return a line for each lesson, then for each reminder, as far as a block has room for them."""
    room = min(budget_chars, CEILING) - _height((OPENING, TOLD, CLOSING))
    lines: list[str] = []
    for line in [*map(_lesson_line, lessons), *map(_reminder_line, reminders)]:
        if room <= _LEAST:
            break
        lines.append(clipped(line, min(room - 1, _LONGEST_TOLD)))
        room -= units(lines[-1]) + 1
    return lines


def _lesson_line(lesson: Lesson) -> str:
    # The pattern is the poorer telling: it is shown where there are no words.
    trigger = " or ".join(lesson.keywords) or lesson.pattern or ""
    when = f"{clipped(defused(trigger), _LONGEST_TRIGGER)}{f' in {lesson.tool}' if lesson.tool else ''}"
    return f"- Lesson: if {when}, then {defused(lesson.action)} (priority {lesson.priority})"


def _reminder_line(reminder: Reminder) -> str:
    since = reminder.created_at
    kept = f" (kept {since.astimezone():%Y-%m-%d})" if since else ""
    return f"- Reminder: {defused(reminder.action)}{kept}"


def _room(budget_chars: int, told: Sequence[str] = ()) -> int:
    """Return the UTF-16 units that the frame of a block, with what is told, leaves to its entries."""
    frame = (OPENING, PREFACE, CLOSING, *([TOLD, *told] if told else []))
    return min(budget_chars, CEILING) - _height(frame)


def _height(lines: Sequence[str]) -> int:
    """Return the units of lines with their ends."""
    return sum(units(line) + 1 for line in lines)


def _shares(wanted: Sequence[int], room: int) -> list[int]:
    """Return how much of the room each gets: what it wants, or as much as any other that wants more."""
    shares = [0] * len(wanted)
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    for number, at in enumerate(order):
        shares[at] = min(wanted[at], room // (len(wanted) - number))
        room -= shares[at]
    return shares


def _whole(hit: Hit) -> int:
    """Return the units of an entry that shows all of a memory, with its line ends."""
    exchange = hit.memory.exchange
    return units(head(hit.memory)) + len(_INDENT) + 1 + units(exchange.answer or exchange.human)


def units(text: str) -> int:
    """Return the length of a text in UTF-16 units, in which Claude Code counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def clipped(text: str, room: int) -> str:
    """Return as much of a text as has at most `room` UTF-16 units."""
    if units(text) <= room:
        return text
    while text and units(text) >= room:
        text = text[: min(len(text) - 1, room - 1)]
    return f"{text}…" if room > 0 else ""


def head(memory: Memory) -> str:
    """Return the line of a memory: its date, project, id and question in short; of a note, that it is one."""
    exchange = memory.exchange
    day = exchange.asked_at.astimezone().strftime("%Y-%m-%d") if exchange.asked_at else "undated"
    project = clipped(defused(exchange.project.rstrip("/").rpartition("/")[2]), 40)
    place = f"{project} note".lstrip() if exchange.agent == KEPT else project
    return f"- {day} · {place} · {memory.id} · {clipped(defused(short_question(exchange)), 90)}"


def _entry(line: str, hit: Hit, terms: Sequence[str], share: int) -> str:
    """Return a memory in at most `share` UTF-16 units with the line ends before and within it."""
    room = share - units(line) - len(_INDENT) - 1
    answer = clipped(defused(_answer(hit, terms, room)), room)
    return f"{line}{_INDENT}{answer}" if answer else line


def _answer(hit: Hit, terms: Sequence[str], width: int) -> str:
    """Return the part of a memory that answers: of its answer where the memory holds the words."""
    exchange = hit.memory.exchange
    if exchange.answer and len(exchange.text) <= _SEARCHED and matches(exchange.text, terms):
        return excerpt(exchange.answer, terms, width, topic_of(exchange))
    return reply(hit, terms, width)
