from __future__ import annotations

import json

from tests.builders import LIBRARY, ROBOT, TIDES, CommandLine, Session, Turn


def listed(archive: CommandLine, *options: str) -> list[str]:
    return [row["session"] for row in archive("sessions", "--json", *options).json["sessions"]]


def test_the_newest_session_comes_first(archive: CommandLine):
    assert listed(archive) == [TIDES.id, LIBRARY.id]


def test_a_session_has_the_documented_shape(archive: CommandLine):
    assert archive("sessions", "--json", "--project", "tosho").json == {
        "sessions": [
            {
                "session": LIBRARY.id,
                "project": "/home/mio/src/tosho",
                "agent": "claude-code",
                "first_at": "2026-03-02T01:00:00Z",
                "last_at": "2026-03-02T01:22:20Z",
                "exchanges": 3,
                "title": "貸出の締め切りを過ぎた本の通知は、どこで送っていますか？",
            }
        ]
    }


def test_automated_sessions_are_listed_when_asked_for(archive: CommandLine):
    assert listed(archive, "--all") == [ROBOT.id, TIDES.id, LIBRARY.id]


def test_dates_limit_the_list(archive: CommandLine):
    assert listed(archive, "--since", "2026-03-15") == [TIDES.id]
    assert listed(archive, "--until", "2026-03-15") == [LIBRARY.id]


def test_the_list_can_be_paged(archive: CommandLine):
    assert listed(archive, "--limit", "1") == [TIDES.id]
    assert listed(archive, "--limit", "1", "--offset", "1") == [LIBRARY.id]


def test_a_person_sees_a_table(archive: CommandLine):
    head, newest, oldest = archive("sessions").out.splitlines()
    assert head.split() == ["date", "session", "project", "exchanges", "title"]
    assert newest.split()[:4] == ["2026-04-01", TIDES.id, "tidepool", "2"]
    assert oldest.endswith("貸出の締め切りを過ぎた本の通知は、どこで送っていますか？")


def test_projects_of_one_name_are_told_apart(cli: CommandLine):
    cli.archive(
        Session("one", (Turn("鍵は？", "ない。"),), cwd="/home/mio/a/app"),
        Session("two", (Turn("本は？", "ある。"),), cwd="/home/mio/b/app"),
    )
    shown = cli("sessions").out
    assert " a/app " in shown
    assert " b/app " in shown
    assert "name one of" in cli("sessions", "--project", "app", code=1).err


def test_what_would_steer_a_terminal_is_not_printed(cli: CommandLine):
    cli.archive(Session("odd", (Turn("red \x1b[31m alert\x07 title \x1b]0;x\x07", "\x1b[2J gone"),)))
    for command in (["sessions"], ["search", "alert"], ["show", cli.ids("alert")[0]]):
        assert not {"\x1b", "\x07"} & set(cli(*command).out)


STEERING = "red \x90 alert \x85 \u202egnihton\u202c \u2066isolated\u2069"
"""C1 controls and turns of direction, which are stored as they were said."""


def test_a_terminal_gets_no_stored_text_that_steers_it_and_a_file_gets_all(cli: CommandLine):
    cli.archive(Session("odd", (Turn(STEERING, STEERING),)))
    (memory,) = cli.ids("alert")
    marks = {char for char in STEERING if not char.isprintable()}
    assert len(marks) == 6
    for command in (["show", memory, "--markdown"], ["export", "--format", "markdown"]):
        assert STEERING in cli(*command).out
        assert not marks & set(cli.on_terminal(*command))
    for command in (["show", memory, "--json"], ["export"]):
        shown = cli.on_terminal(*command)
        assert not marks & set(shown)
        assert json.loads(shown.splitlines()[-1] if command == ["export"] else shown)["question"] == STEERING


def test_an_empty_archive_is_an_empty_list(empty: CommandLine):
    done = empty("sessions", "--json")
    assert done.json == {"sessions": []}
    assert "backfill" in done.err


def test_a_narrow_terminal_cuts_ids_and_titles_but_nothing_else(archive: CommandLine):
    oldest = archive.on_terminal("sessions", columns=70).splitlines()[-1]
    assert oldest.split()[:4] == ["2026-03-02", LIBRARY.id[:8], "tosho", "3"]
    assert oldest.endswith("…")
    assert LIBRARY.id in archive.on_terminal("sessions", columns=150)
