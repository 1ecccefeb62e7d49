"""The contract of lessons (if this comes up, then do that) and of reminders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Lesson:
    """A rule: when one of the keywords or the pattern is in what is said or done, tell the action.

    Without a `project` it holds in all. With a `tool` it is checked before that tool runs, against its
    input, and only there. `priority` is 1 to 5, higher first. `source_id` is the memory that it comes
    from. `id` is 0 until it is stored.
    """

    action: str
    keywords: tuple[str, ...] = ()
    pattern: str | None = None
    project: str | None = None
    tool: str | None = None
    priority: int = 3
    source_id: str | None = None
    fired: int = 0
    fired_at: datetime | None = None
    created_at: datetime | None = None
    id: int = 0


@dataclass(frozen=True, slots=True)
class Reminder:
    """What to be reminded of: when `trigger` is in a prompt, or from the time `at` on, and not after `until`.

    `left` counts how often it will still be told; None is without end. `id` is 0 until it is stored.
    """

    action: str
    trigger: str | None = None
    at: datetime | None = None
    until: datetime | None = None
    left: int | None = None
    told: int = 0
    created_at: datetime | None = None
    id: int = 0


class Lessons(Protocol):
    """Keeps lessons and reminders. Writes are one transaction each; failures are `StoreError`."""

    def lessons(self) -> list[Lesson]:
        """Return all lessons, the highest priority first, then by id."""

    def add(self, lesson: Lesson) -> Lesson:
        """Store a lesson and return it with its id."""

    def replace(self, lesson: Lesson) -> None:
        """Store a lesson in place of the one with its id; `NotFoundError` when there is none."""

    def remove(self, lesson_id: int) -> None:
        """Delete a lesson; `NotFoundError` when there is none."""

    def fired(self, lesson_ids: Sequence[int], at: datetime) -> None:
        """Count that lessons were told."""

    def last_fired(self, lesson_ids: Sequence[int]) -> dict[int, datetime]:
        """Return id → when a lesson was last told, of those that ever were."""

    def reminders(self) -> list[Reminder]:
        """Return the reminders that may still be told, in order of id."""

    def remind(self, reminder: Reminder) -> Reminder:
        """Store a reminder and return it with its id."""

    def told(self, reminder_ids: Sequence[int], at: datetime) -> None:
        """Count that reminders were told; those that have none left are deleted."""

    def dismiss(self, reminder_id: int) -> None:
        """Delete a reminder; `NotFoundError` when there is none."""

    def version(self) -> int:
        """Return a number that changes whenever a lesson or reminder does: till then what was read holds.

        How often and when lessons fired is not part of that, or whoever holds many would read them anew
        with every prompt.
        """
