"""`sui-memory sleep`: a report by id, nothing done unless asked, and undone by id."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sui_memory.app import App, open_app
from sui_memory.config import Settings
from tests.builders import CommandLine
from tests.cli.test_json import documented, keys
from tests.sleep.notes import contents, fill


@contextmanager
def opened(cli: CommandLine) -> Iterator[App]:
    with open_app(Settings(home=cli.home, model="none")) as app:
        yield app


@pytest.fixture
def ids(cli: CommandLine) -> dict[str, str]:
    with opened(cli) as app:
        return fill(app)


def test_asked_by_hand_it_only_tells_what_it_would_do(cli: CommandLine, ids: dict[str, str]) -> None:
    before = contents(cli.database)
    told = cli("sleep").out
    assert contents(cli.database) == before
    assert cli("sleep", "--dry-run").out == told
    assert "Looked at 7 kept memories: 2 merged into 1, 1 faded, 1 let go." in told
    assert f"faded   {ids['fades']}  importance 3 → 2" in told
    assert f"let go  {ids['goes']}" in told
    assert "Nothing is changed yet: --apply does it." in told


def test_it_reports_by_id_as_json_what_it_did(cli: CommandLine, ids: dict[str, str]) -> None:
    report = json.loads(cli("sleep", "--apply", "--json").out)
    assert report["applied"]
    assert set(keys(report)) <= documented("sleep")
    assert [set(merge["sources"]) for merge in report["merged"]] == [
        {ids["merged, one"], ids["merged, other"]}
    ]
    assert [fade["id"] for fade in report["faded"]] == [ids["fades"]]
    assert [gone["id"] for gone in report["forgotten"]] == [ids["goes"]]
    again = json.loads(cli("sleep", "--apply", "--json").out)
    assert (again["merged"], again["faded"], again["forgotten"], again["faded_already"]) == ([], [], [], True)


def test_what_was_let_go_comes_back_and_stays(cli: CommandLine, ids: dict[str, str]) -> None:
    cli("sleep", "--apply")
    assert cli("sleep", "--wake", ids["goes"][:8]).out == f"Awake again, and pinned: {ids['goes']}.\n"
    assert json.loads(cli("sleep", "--json").out)["forgotten"] == []
    assert cli("sleep", "--wake", ids["goes"]).out == "None of them was at rest.\n"


def test_a_vacuum_deletes_what_was_let_go_and_keeps_what_was_merged(
    cli: CommandLine, ids: dict[str, str]
) -> None:
    cli("sleep", "--apply")
    assert cli("sleep", "--vacuum").out == "Deleted for good: 1 memory.\n"
    with opened(cli) as app:
        left = app.store.kept.notes(list(ids.values()))
    assert set(ids.values()) - set(left) == {ids["goes"]}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--apply", "--vacuum"),
        ("--wake", "abc", "--apply"),
        ("--similarity", "2"),
        ("--min-age-days", "-1"),
    ],
)
def test_a_wrong_call_is_refused(cli: CommandLine, ids: dict[str, str], arguments: tuple[str, ...]) -> None:
    cli("sleep", *arguments, code=2)


def test_an_unknown_id_is_one_sentence(cli: CommandLine, ids: dict[str, str]) -> None:
    assert "No memory has the id 'zzz'" in cli("sleep", "--wake", "zzz", code=1).err


def test_without_an_archive_it_says_so(cli: CommandLine) -> None:
    assert "There is no archive" in cli("sleep", code=1).err
