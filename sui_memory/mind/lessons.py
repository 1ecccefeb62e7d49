"""Lessons learnt: if this comes up, then do that. Keeping, changing and listing them."""

from __future__ import annotations

import re
from dataclasses import replace

from sui_memory.errors import NotFoundError, UsageError
from sui_memory.mind.firing import fire, holds_in
from sui_memory.mind.patterns import check_pattern
from sui_memory.mind.triggers import folded
from sui_memory.mind.wording import Redact, action_of, keyword_of
from sui_memory.store.lessons import Lesson, Lessons
from sui_memory.text import scrub_surrogates

__all__ = [
    "MOST_LESSONS",
    "add_lesson",
    "checked",
    "edit_lesson",
    "find_lesson",
    "fire",
    "list_lessons",
    "sense_of",
    "tools_of",
]

MOST_LESSONS = 2_000
"""Beyond this, lessons are no longer few enough to be looked through with every prompt."""

_MOST_KEYWORDS = 20
_LONGEST_PROJECT = 4_096
_TOOL = re.compile(r"[A-Za-z][\w-]{0,99}", re.ASCII)
_PRIORITIES = range(1, 6)


def add_lesson(store: Lessons, lesson: Lesson, *, redact: Redact) -> Lesson:
    """Store a lesson, redacted, and return it with its id; one that makes no sense is a `UsageError`."""
    if len(store.lessons()) >= MOST_LESSONS:
        raise UsageError(f"There are {MOST_LESSONS:,} lessons already: remove one first.")
    new = checked(lesson, redact)
    _require_new(store, new)
    return store.add(new)


def edit_lesson(store: Lessons, lesson: Lesson, *, redact: Redact) -> Lesson:
    """Store a lesson, redacted, in the place of the one with its id, and return it."""
    changed = checked(lesson, redact)
    _require_new(store, changed)
    store.replace(changed)
    return changed


def list_lessons(store: Lessons, project: str | None = None) -> list[Lesson]:
    """Return the lessons that hold in a project, or all: the highest priority first."""
    return [lesson for lesson in store.lessons() if project is None or holds_in(lesson, project)]


def tools_of(store: Lessons) -> list[str]:
    """Return the tools that lessons name, in order."""
    return sorted({lesson.tool for lesson in store.lessons() if lesson.tool})


def find_lesson(store: Lessons, lesson_id: int) -> Lesson:
    """Return the lesson of an id; `NotFoundError` when there is none."""
    for lesson in store.lessons():
        if lesson.id == lesson_id:
            return lesson
    raise NotFoundError(f"There is no lesson {lesson_id}: `sui-memory lesson list` shows their numbers.")


def sense_of(lesson: Lesson) -> tuple[object, ...]:
    """Return what two lessons share that say the same, whatever their priority."""
    keywords = frozenset(map(folded, lesson.keywords))
    return (keywords, lesson.pattern, lesson.action, lesson.project, lesson.tool)


def checked(lesson: Lesson, redact: Redact) -> Lesson:
    """Return a lesson as it is stored, without secrets; `UsageError` says what makes no sense in it."""
    keywords = _keywords(lesson, redact)
    if not keywords and lesson.pattern is None:
        raise UsageError("A lesson needs a trigger: a keyword or a pattern.")
    if len(keywords) > _MOST_KEYWORDS:
        raise UsageError(f"A lesson has at most {_MOST_KEYWORDS} keywords; this one has {len(keywords)}.")
    if isinstance(lesson.priority, bool) or lesson.priority not in _PRIORITIES:
        raise UsageError(f"A priority is a number from 1 to 5, not {lesson.priority!r}.")
    if lesson.tool is not None and not _TOOL.fullmatch(lesson.tool):
        raise UsageError(f"{lesson.tool!r} is no name of a tool: write Bash, Edit, mcp__server__tool …")
    if lesson.project is not None and not 0 < len(lesson.project) <= _LONGEST_PROJECT:
        raise UsageError("A project is the path of a folder, or its name.")
    if any(scrub_surrogates(part) != part for part in (lesson.project or "", lesson.pattern or "")):
        raise UsageError("The project or the pattern holds what is no text in UTF-8: write it without.")
    if redact(lesson.project or "")[1]:
        raise UsageError("The project holds what looks like a secret: write it without.")
    if lesson.pattern is not None:
        _check_pattern(lesson.pattern, redact)
    return replace(lesson, action=action_of(lesson.action, redact), keywords=keywords)


def _keywords(lesson: Lesson, redact: Redact) -> tuple[str, ...]:
    """Return the keywords of a lesson as they are stored, of those that differ in case or width the first."""
    words: dict[str, str] = {}
    for word in lesson.keywords:
        keyword = keyword_of(word, redact)
        words.setdefault(folded(keyword), keyword)
    return tuple(words.values())


def _require_new(store: Lessons, lesson: Lesson) -> None:
    """Raise `UsageError` when another lesson says the same."""
    for each in store.lessons():
        if each.id != lesson.id and sense_of(each) == sense_of(lesson):
            raise UsageError(
                f"Lesson {each.id} says that already, with the priority {each.priority}: "
                f"`sui-memory lesson edit {each.id}` changes it."
            )


def _check_pattern(pattern: str, redact: Redact) -> None:
    if redact(pattern)[1]:
        raise UsageError("The pattern holds what looks like a secret: write one without it.")
    check_pattern(pattern)
