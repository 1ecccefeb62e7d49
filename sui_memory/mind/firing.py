"""What a prompt, or a tool that is about to run, calls up of lessons and reminders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sui_memory.mind.reminders import due
from sui_memory.mind.triggers import Triggers
from sui_memory.store.lessons import Lesson, Lessons, Reminder

MOST = 2
"""Lessons told at once, and reminders: more would push out what is recalled."""

_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Telling:
    """The lessons and reminders that are told at one moment."""

    lessons: tuple[Lesson, ...] = ()
    reminders: tuple[Reminder, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.lessons or self.reminders)

    @property
    def names(self) -> frozenset[str]:
        """What tells them from others."""
        return frozenset(
            [
                *(f"lesson {lesson.id}" for lesson in self.lessons),
                *(f"reminder {reminder.id}" for reminder in self.reminders),
            ]
        )

    def first(self, number: int) -> Telling:
        """Return the first lines of it, as they are told: lessons, then reminders."""
        return Telling(self.lessons[:number], self.reminders[: max(0, number - len(self.lessons))])

    def without(self, names: frozenset[str]) -> Telling:
        """Return the telling without those of these names."""
        return Telling(
            tuple(lesson for lesson in self.lessons if f"lesson {lesson.id}" not in names),
            tuple(reminder for reminder in self.reminders if f"reminder {reminder.id}" not in names),
        )


class Rules:
    """The lessons and reminders of a store, held ready: a prompt asks whether they changed, nothing more."""

    def __init__(self, store: Lessons) -> None:
        self._store = store
        self._version: int | None = None
        self._prompts = _Ready(())
        self._tools: dict[str, _Ready] = {}
        self._reminders = False

    def warm(self) -> None:
        """Make ready what the first prompt would wait for."""
        self._refresh()
        for ready in (self._prompts, *self._tools.values()):
            ready.triggers.warm()

    def for_prompt(
        self, text: str, project: str | None, now: datetime, told: frozenset[str] = frozenset()
    ) -> Telling:
        """Return what a prompt calls up, without what is named in `told`: at most two of each kind."""
        self._refresh()
        fired = self._prompts.fired(text, project)
        # Read each time where there are any: what is left of one changes with each telling.
        reminders = due(self._store.reminders(), text, now) if self._reminders else []
        return self._best(Telling(tuple(fired), tuple(reminders)).without(told))

    def for_tool(
        self, tool: str, text: str, project: str | None, told: frozenset[str] = frozenset()
    ) -> Telling:
        """Return the lessons that a tool with this input calls up: at most two, without those in `told`."""
        self._refresh()
        ready = self._tools.get(tool)
        return self._best(Telling(tuple(ready.fired(text, project))).without(told)) if ready else Telling()

    def _refresh(self) -> None:
        version = self._store.version()
        if version == self._version:
            return
        lessons = self._store.lessons()
        self._prompts = _Ready([lesson for lesson in lessons if lesson.tool is None])
        tools = {lesson.tool for lesson in lessons if lesson.tool is not None}
        self._tools = {tool: _Ready([each for each in lessons if each.tool == tool]) for tool in tools}
        self._reminders = bool(self._store.reminders())
        self._version = version

    def _best(self, telling: Telling) -> Telling:
        lessons = telling.lessons
        if len(lessons) > MOST:
            times = self._store.last_fired([lesson.id for lesson in lessons])
            lessons = tuple(ordered(lessons, times)[:MOST])
        return Telling(lessons, telling.reminders[:MOST])


class _Ready:
    """Some lessons with their triggers made ready."""

    def __init__(self, lessons: Iterable[Lesson]) -> None:
        self._lessons = list(lessons)
        self.triggers = Triggers(
            [lesson.keywords for lesson in self._lessons], [lesson.pattern for lesson in self._lessons]
        )

    def fired(self, text: str, project: str | None) -> list[Lesson]:
        """Return the lessons whose trigger is in the text and that hold in the project."""
        found = [self._lessons[number] for number in self.triggers.found(text)]
        return [lesson for lesson in found if holds_in(lesson, project)]


def fire(lessons: Sequence[Lesson], text: str, project: str | None = None) -> list[Lesson]:
    """Return the lessons that a text calls up in a project: two at most, the highest priority first.

    Of like priority the one that was told least recently comes first. Whether a lesson names a tool makes
    no difference here.
    """
    fired = _Ready(lessons).fired(text, project)
    return ordered(fired, {each.id: each.fired_at for each in fired if each.fired_at})[:MOST]


def ordered(lessons: Iterable[Lesson], times: Mapping[int, datetime]) -> list[Lesson]:
    """Return lessons, the highest priority first, then the least recently told by `times` (id → when)."""
    dated = [replace(lesson, fired_at=times.get(lesson.id)) for lesson in lessons]
    return sorted(dated, key=lambda lesson: (-lesson.priority, lesson.fired_at or _NEVER, lesson.id))


def holds_in(lesson: Lesson, project: str | None) -> bool:
    """Say whether a lesson holds in a project: in its own, in a folder below, or in one of its name."""
    if lesson.project is None:
        return True
    own, folder = lesson.project.rstrip("/"), (project or "").rstrip("/")
    if own.startswith("/"):
        return folder == own or folder.startswith(f"{own}/")
    return folder == own or folder.endswith(f"/{own}")
