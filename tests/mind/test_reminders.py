"""Reminders are due by their trigger or their time, and not when they are over."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sui_memory.errors import UsageError
from sui_memory.mind.firing import Rules
from sui_memory.mind.reminders import add_reminder, due
from sui_memory.redaction import redact
from sui_memory.store import SqliteStore, open_store
from sui_memory.store.lessons import Reminder
from tests.store.samples import PlainAnalyzer

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = open_store(tmp_path / "memory.db", analyzer=PlainAnalyzer())
    yield store
    store.close()


@pytest.mark.parametrize(
    ("reminder", "text", "is_due"),
    [
        (Reminder("a", "請求書"), "請求書を送って", True),
        (Reminder("a", "invoice"), "Send the INVOICE.", True),
        (Reminder("a", "invoice"), "invoices", False),
        (Reminder("a", at=NOW), "anything", True),
        (Reminder("a", at=NOW + HOUR), "anything", False),
        (Reminder("a", "invoice", at=NOW + HOUR), "invoice", True),
        (Reminder("a", "invoice", at=NOW - HOUR), "anything", True),
        (Reminder("a", "invoice", until=NOW), "invoice", True),
        (Reminder("a", "invoice", until=NOW - HOUR), "invoice", False),
        (Reminder("a", at=NOW - 2 * HOUR, until=NOW - HOUR), "anything", False),
        (Reminder("a", "invoice", left=0), "invoice", False),
    ],
)
def test_a_reminder_is_due_by_its_trigger_or_its_time(reminder: Reminder, text: str, *, is_due: bool) -> None:
    assert (due([reminder], text, NOW) == [reminder]) is is_due


def test_a_reminder_is_told_as_often_as_it_was_meant_to(store: SqliteStore) -> None:
    rules = Rules(store.lessons)
    store.lessons.remind(Reminder("call", "bank", left=2))
    for times in (1, 1, 0):
        told = rules.for_prompt("the bank", None, NOW).reminders
        assert len(told) == times
        store.lessons.told([reminder.id for reminder in told], NOW)


def test_two_reminders_are_told_at_once_at_most(store: SqliteStore) -> None:
    for _ in range(3):
        store.lessons.remind(Reminder("call", "bank"))
    assert [one.id for one in Rules(store.lessons).for_prompt("bank", None, NOW).reminders] == [1, 2]


@pytest.mark.parametrize(
    ("reminder", "sentence"),
    [
        (Reminder("a"), "a trigger or a time"),
        (Reminder("a", " "), "needs a word"),
        (Reminder("", "bank"), "needs words"),
        (Reminder("a", "bank", left=0), "once or more"),
        (Reminder("a", at=NOW, until=NOW - HOUR), "ends after it begins"),
    ],
)
def test_what_makes_no_sense_is_refused(store: SqliteStore, reminder: Reminder, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        add_reminder(store.lessons, reminder, redact=redact)
    assert store.lessons.reminders() == []


def test_secrets_are_masked_before_they_are_stored(store: SqliteStore) -> None:
    stored = add_reminder(store.lessons, Reminder("パスワード：himitsu99", "bank"), redact=redact)
    assert "himitsu99" not in stored.action
