"""Reminders: what a person wants to be told when something comes up, or when its time has come."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from sui_memory.errors import UsageError
from sui_memory.mind.triggers import bounded, folded, is_word
from sui_memory.mind.wording import action_of, keyword_of
from sui_memory.store.lessons import Lessons, Reminder

_MOST_REMINDERS = 1_000


def due(reminders: Iterable[Reminder], text: str, now: datetime) -> list[Reminder]:
    """Return the reminders whose trigger is in a text or whose time has come, and is not over."""
    words = folded(bounded(text))
    return [each for each in reminders if _is_due(each, words, now)]


def _is_due(reminder: Reminder, words: str, now: datetime) -> bool:
    if reminder.left == 0 or (reminder.until is not None and now > reminder.until):
        return False
    if reminder.at is not None and now >= reminder.at:
        return True
    keyword = folded(reminder.trigger or "")
    return bool(keyword) and is_word(keyword, words)


def add_reminder(store: Lessons, reminder: Reminder, *, redact: Callable[[str], tuple[str, int]]) -> Reminder:
    """Store a reminder, redacted, and return it with its id; one that makes no sense is a `UsageError`."""
    if reminder.trigger is None and reminder.at is None:
        raise UsageError("A reminder needs a trigger or a time.")
    if reminder.left is not None and reminder.left < 1:
        raise UsageError("A reminder is told once or more often.")
    if reminder.at and reminder.until and reminder.until <= reminder.at:
        raise UsageError("A reminder ends after it begins: give a later --until.")
    if len(store.reminders()) >= _MOST_REMINDERS:
        raise UsageError(f"There are {_MOST_REMINDERS:,} reminders already: remove one first.")
    trigger = None if reminder.trigger is None else keyword_of(reminder.trigger, redact)
    action = action_of(reminder.action, redact)
    return store.remind(
        Reminder(action, trigger, reminder.at, reminder.until, reminder.left, created_at=reminder.created_at)
    )
