from __future__ import annotations

from tests.builders import LIBRARY, TIDES, CommandLine
from tests.cli.injections import TRACE, record, told


def numbers(cli: CommandLine, *options: str) -> list[int]:
    return [row["id"] for row in cli("log", "--json", *options).json["injections"]]


def test_an_injection_has_the_documented_shape(cli: CommandLine):
    key, deadline = told(cli)
    trace = [list(stage) for stage in TRACE]
    assert cli("log", "--json").json == {
        "injections": [
            {
                "id": 1,
                "at": "2026-04-11T01:00:00Z",
                "session": TIDES.id,
                "event": "UserPromptSubmit",
                "prompt_hash": "0" * 32,
                "silence": None,
                "memories": [
                    {"id": key, "score": 0.9125, "trace": trace},
                    {"id": deadline, "score": 0.8125, "trace": trace},
                ],
                "refused": [],
                "forgotten": 0,
                "characters": 1234,
                "milliseconds": 21.25,
                "model": "fake",
                "late": False,
            }
        ]
    }


def test_silence_is_listed_when_asked_for(cli: CommandLine):
    told(cli)
    assert numbers(cli) == [1]
    assert numbers(cli, "--all") == [2, 1]
    assert "nothing: small talk" in cli("log", "--all").out
    assert "small talk" not in cli("log").out


def test_the_list_can_be_paged(cli: CommandLine):
    told(cli)
    assert numbers(cli, "--all", "--limit", "1") == [2]
    assert numbers(cli, "--all", "--limit", "1", "--offset", "1") == [1]
    assert cli("log", "--offset", "5").err == "Nothing more is found.\n"


def test_a_session_can_be_named_by_its_beginning_before_it_is_archived(cli: CommandLine):
    told(cli)
    record(cli, session="5e550000-new", minute=2)
    record(cli, session="5e551111-new", minute=3)
    assert numbers(cli, "--all", "--session", LIBRARY.id) == [2]
    assert numbers(cli, "--all", "--session", "5e550") == [3]
    assert "5e550000-new, 5e551111-new" in cli("log", "--session", "5e55", code=1).err
    assert "was answered yet" in cli("log", "--session", "none", code=1).err


def test_a_person_sees_a_table(cli: CommandLine):
    key, deadline = told(cli)
    head, row = cli("log").out.splitlines()
    assert head.split() == ["number", "time", "session", "event", "characters", "ms", "shown"]
    assert row.split() == [
        *("1", "2026-04-11", "01:00", TIDES.id, "UserPromptSubmit", "1,234", "21", f"{key},", deadline)
    ]


def test_what_was_forgotten_is_only_counted(cli: CommandLine):
    key, deadline = told(cli)
    cli("forget", key, "--yes")
    assert cli("log").out.rstrip().endswith(f"{deadline}, 1 forgotten since")
    assert cli("log", "--json").json["injections"][0]["forgotten"] == 1


def test_an_empty_log_says_how_to_go_on(empty: CommandLine):
    assert empty("log", "--json").json == {"injections": []}
    assert "sui-memory log --all" in empty("log").err
    assert "sui-memory doctor" in empty("log", "--all").err


def test_stats_count_what_was_shown(cli: CommandLine):
    told(cli)
    assert cli("stats", "--json").json["injections"] == 1
