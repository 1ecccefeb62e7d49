"""Lessons as a JSON file: written for another archive, and read from any registry of the same shape."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sui_memory.errors import UsageError
from sui_memory.mind.lessons import MOST_LESSONS, checked, sense_of
from sui_memory.mind.wording import Redact
from sui_memory.store.lessons import Lesson, Lessons

_NAMES: dict[str, tuple[str, ...]] = {
    "keywords": ("keywords", "trigger", "if"),
    "action": ("action", "then"),
    "priority": ("priority", "importance"),
    "project": ("project",),
    "tool": ("tool",),
    "pattern": ("pattern",),
}
"""What a registry may call the parts of a lesson, the usual name first; any others are passed over."""

_USUAL_PRIORITY = Lesson("").priority


def lesson_json(lesson: Lesson) -> dict[str, Any]:
    """Return a lesson as a registry has it: what it says, not what became of it."""
    parts: dict[str, Any] = {
        "keywords": list(lesson.keywords),
        "pattern": lesson.pattern,
        "action": lesson.action,
        "priority": lesson.priority,
        "project": lesson.project,
        "tool": lesson.tool,
    }
    return {name: value for name, value in parts.items() if value not in (None, [])}


def registry_of(lessons: Sequence[Lesson]) -> dict[str, Any]:
    """Return the registry of lessons, which `read_registry` reads."""
    return {"lessons": [lesson_json(lesson) for lesson in lessons]}


def read_registry(data: bytes, redact: Redact) -> tuple[list[Lesson], list[str]]:
    """Return the lessons of a registry, redacted, and a sentence for each entry that is none.

    A registry is a JSON list of objects, or an object with such a list as its `lessons`; `UsageError` for
    what is none.
    """
    lessons: list[Lesson] = []
    problems: list[str] = []
    for number, entry in enumerate(_entries(data), start=1):
        try:
            lessons.append(checked(_lesson(entry), redact))
        except UsageError as error:
            problems.append(f"Entry {number} was left out: {error}")
    return lessons, problems


def add_new(store: Lessons, lessons: Sequence[Lesson]) -> list[Lesson]:
    """Store checked lessons but those that are there already, and return what was stored."""
    present = store.lessons()
    known = {sense_of(lesson) for lesson in present}
    new = list({sense_of(lesson): lesson for lesson in lessons if sense_of(lesson) not in known}.values())
    if len(present) + len(new) > MOST_LESSONS:
        raise UsageError(f"An archive has at most {MOST_LESSONS:,} lessons: nothing was imported.")
    return [store.add(lesson) for lesson in new]


def _entries(data: bytes) -> Iterator[Any]:
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The registry is no JSON in UTF-8 ({error}): nothing was imported.") from error
    entries = value.get("lessons") if isinstance(value, dict) else value
    if not isinstance(entries, list):
        raise UsageError("A registry is a list of lessons, or an object with such a list as `lessons`.")
    yield from entries


def _lesson(entry: Any) -> Lesson:
    if not isinstance(entry, dict):
        raise UsageError("A lesson is an object with `keywords` and an `action`.")
    return Lesson(
        action=_text(entry, "action") or "",
        keywords=_keywords(_part(entry, "keywords")),
        pattern=_text(entry, "pattern"),
        project=_text(entry, "project"),
        tool=_text(entry, "tool"),
        priority=_priority(_part(entry, "priority")),
    )


def _part(entry: Mapping[str, Any], name: str) -> Any:
    return next((entry[key] for key in _NAMES[name] if entry.get(key) not in (None, "", [])), None)


def _text(entry: Mapping[str, Any], name: str) -> str | None:
    value = _part(entry, name)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"Its {name} is no text.")
    return value


def _keywords(value: Any) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) else value if value is not None else []
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UsageError("Its keywords are no list of texts.")
    return tuple(words)


def _priority(value: Any) -> int:
    if value is None:
        return _USUAL_PRIORITY
    if not isinstance(value, int) or isinstance(value, bool):
        raise UsageError(f"A priority is a number from 1 to 5, not {value!r}.")
    return value
