from __future__ import annotations

import pytest

from tests.builders import TIDES, CommandLine

QUESTION = "Why does `useTide` throw E1101 after the reconnect?"


@pytest.fixture
def tide(archive: CommandLine) -> str:
    """The id of the first exchange about the tide."""
    return archive.ids("E1101")[0]


def test_a_memory_is_shown_whole_with_what_is_known_of_it(archive: CommandLine, tide: str):
    shown = archive("show", tide).out
    assert f"❯ {QUESTION}" in shown
    assert "```ts\nuseEffect(() => () => resetSocket(), [])\n```" in shown
    for fact in (
        "2026-04-01 01:00",
        "/home/mio/src/tidepool",
        TIDES.id,
        "fix/reconnect",
        "claude-code 2.1.114",
        "Grep, Edit",
        "/home/mio/src/tidepool/src/useTide.ts",
    ):
        assert fact in shown


def test_the_neighbours_are_shown_in_short(archive: CommandLine):
    middle = archive.ids("書庫の鍵")[0]
    lines = archive("show", middle).out.splitlines()
    assert lines[0].startswith("↑ ")
    assert "貸出の締め切りを過ぎた本" in lines[0]
    assert lines[-1].startswith("↓ ")
    assert "会議で決めた返却期限" in lines[-1]


def test_the_number_of_neighbours_can_be_chosen(archive: CommandLine):
    last = archive.ids("返却期限")[0]
    alone = archive("show", last, "--before", "0", "--after", "0", "--json").json
    assert (alone["before"], alone["after"]) == ([], [])
    wide = archive("show", last, "--before", "5", "--after", "5", "--json").json
    assert [len(wide["before"]), len(wide["after"])] == [2, 0]


def test_json_holds_everything(archive: CommandLine, tide: str):
    shown = archive("show", tide, "--json").json
    assert shown["id"] == tide
    assert shown["question"] == QUESTION
    assert shown["status"] == "complete"
    assert shown["branch"] == "main"
    assert shown["git_branch"] == "fix/reconnect"
    assert shown["tools"] == ["Grep", "Edit"]
    assert [shown[mark] for mark in ("pinned", "edited", "muted", "auto", "sidechain")] == [False] * 5
    assert shown["before"] == []
    assert set(shown["after"][0]) == {"id", "asked_at", "question"}


def test_markdown_has_both_sides_as_they_were(archive: CommandLine, tide: str):
    shown = archive("show", tide, "--markdown").out
    assert shown.startswith("## 2026-04-01 · Why does `useTide`")
    assert f"### Question\n\n{QUESTION}\n\n### Answer\n\n`useTide` keeps" in shown


def test_an_automated_session_is_marked(archive: CommandLine):
    robot = archive.ids("tide gauge", "--all", "--project", "tidepool")[0]
    assert "automated" in archive("show", robot).out


def test_the_beginning_of_an_id_will_do(archive: CommandLine, tide: str):
    assert archive("show", tide[:6].upper(), "--json").json["id"] == tide


@pytest.mark.parametrize("name", ["zzzzzzzzzzzz", "%", "'", "鍵"])
def test_an_unknown_id_is_told_in_a_sentence(archive: CommandLine, name: str):
    assert "No memory has the id" in archive("show", name, code=1).err


def test_an_id_that_many_memories_begin_with_is_refused(archive: CommandLine):
    assert "Several memories start with ''" in archive("show", "", code=1).err


def test_markdown_and_json_exclude_each_other(archive: CommandLine, tide: str):
    assert "exclude" in archive("show", tide, "--markdown", "--json", code=2).err
