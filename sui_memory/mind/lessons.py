"""Lessons learnt: if this comes up, then do that. Keeping, changing and listing them."""

from __future__ import annotations

import re
from dataclasses import replace

from sui_memory.errors import NotFoundError, UsageError
from sui_memory.mind.firing import fire, holds_in
from sui_memory.mind.patterns import check_pattern
from sui_memory.mind.wording import Redact, action_of, keyword_of
from sui_memory.store.lessons import Lesson, Lessons

__all__ = [
    "MOST_LESSONS",
    "add_lesson",
    "checked",
    "edit_lesson",
    "find_lesson",
    "fire",
    "list_lessons",
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
    return store.add(checked(lesson, redact))


def edit_lesson(store: Lessons, lesson: Lesson, *, redact: Redact) -> Lesson:
    """Store a lesson, redacted, in the place of the one with its id, and return it."""
    changed = checked(lesson, redact)
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


def checked(lesson: Lesson, redact: Redact) -> Lesson:
    """Return a lesson as it is stored, without secrets; `UsageError` says what makes no sense in it."""
    keywords = tuple(dict.fromkeys(keyword_of(word, redact) for word in lesson.keywords))
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
    if redact(lesson.project or "")[1]:
        raise UsageError("The project holds what looks like a secret: write it without.")
    if lesson.pattern is not None:
        _check_pattern(lesson.pattern, redact)
    return replace(lesson, action=action_of(lesson.action, redact), keywords=keywords)


def _check_pattern(pattern: str, redact: Redact) -> None:
    if redact(pattern)[1]:
        raise UsageError("The pattern holds what looks like a secret: write one without it.")
    check_pattern(pattern)
