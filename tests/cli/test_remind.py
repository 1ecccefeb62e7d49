"""`sui-memory remind`, as a person and a program use it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from sui_memory.app import open_app
from sui_memory.config import Settings
from sui_memory.store.lessons import Reminder
from tests.builders import CommandLine


def reminders(cli: CommandLine) -> list[dict[str, Any]]:
    return cli("remind", "list", "--json").json["reminders"]


def test_a_reminder_is_added_listed_and_removed(empty: CommandLine):
    added = empty("remind", "add", "請求書", "ask Mio for the number", "--once")
    assert added.out == "Reminder 1: when 請求書 comes up, once: ask Mio for the number\n"
    head, row = empty("remind", "list").out.splitlines()
    assert head.split() == ["id", "told", "reminder"]
    assert row.split()[:3] == ["1", "0", "when"]
    assert empty("remind", "remove", "1").out == "Removed: 1.\n"
    assert empty("remind", "list").err == "There are no reminders.\n"


def test_the_list_has_the_documented_shape(empty: CommandLine):
    empty(
        "remind", "add", "call the bank", "--at", "2026-12-01 09:00", "--until", "2099-12-02", TZ="Asia/Tokyo"
    )
    (reminder,) = reminders(empty)
    assert reminder.pop("created_at").endswith("Z")
    assert reminder == {
        "id": 1,
        "trigger": None,
        "action": "call the bank",
        "at": "2026-12-01T00:00:00Z",
        "until": "2099-12-02T15:00:00Z",
        "left": 1,
        "told": 0,
    }


@pytest.mark.parametrize(("options", "left"), [([], None), (["--once"], 1), (["--times", "3"], 3)])
def test_a_word_reminds_without_end_unless_it_is_counted(
    empty: CommandLine, options: list[str], left: int | None
):
    empty("remind", "add", "bank", "call", *options)
    assert reminders(empty)[0]["left"] == left


def test_a_zone_that_is_named_holds(empty: CommandLine):
    empty("remind", "add", "call", "--at", "2026-12-01T09:00:00+01:00", "--times", "2")
    assert (reminders(empty)[0]["at"], reminders(empty)[0]["left"]) == ("2026-12-01T08:00:00Z", 2)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["bank"], 2, "Give a TRIGGER and an ACTION"),
        (["bank", "call", "now"], 2, "Give a TRIGGER and an ACTION"),
        (["bank", "call", "--at", "tomorrow"], 2, "is no time"),
        (["bank", "call", "--once", "--times", "2"], 2, "--once or --times"),
        (["bank", "call", "--times", str(2**63 - 1)], 2, "1000000"),
        (["bank", "call", "--until", "2020-01-01"], 2, "over already"),
        ([" ", "call"], 1, "A trigger needs a word"),
        (["bank", ""], 1, "An action needs words"),
        (["call", "--at", "2099-12-02", "--until", "2099-11-02"], 1, "ends after it begins"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    empty: CommandLine, arguments: list[str], code: int, sentence: str
):
    assert sentence in empty("remind", "add", *arguments, code=code).err
    assert reminders(empty) == []


def test_a_reminder_whose_time_is_over_says_so(empty: CommandLine):
    with open_app(Settings(home=empty.home, model="none")) as app:
        app.store.lessons.remind(Reminder("call", "bank", until=datetime(2020, 1, 1, tzinfo=UTC)))
    assert "(over) when bank comes up" in empty("remind", "list").out


def test_removing_removes_all_or_none(empty: CommandLine):
    empty("remind", "add", "bank", "call")
    assert "There is no reminder 9" in empty("remind", "remove", "1", "9", code=1).err
    assert len(reminders(empty)) == 1


def test_a_password_is_masked_before_it_is_stored(empty: CommandLine):
    empty("remind", "add", "bank", "パスワード：himitsu99")
    assert "himitsu99" not in empty("remind", "list", "--json").out
