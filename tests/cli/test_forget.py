"""`forget` as a command: what it shows, asks and refuses, and what being killed does to it."""

from __future__ import annotations

import os
import pty
import random
import signal
import subprocess
import time
from dataclasses import replace

import pytest

from tests.archive.workbench import traces
from tests.builders import LIBRARY, SESSIONS, START, TIDES, CommandLine, Session, Turn

LOCKER = "書庫"


def test_forgetting_is_for_good(cli: CommandLine) -> None:
    cli.archive()
    assert traces(cli.database, LOCKER)
    done = cli("forget", "--match", LOCKER, "--yes")
    assert done.out == "Forgotten: 1 memory.\n"
    assert traces(cli.database, LOCKER) == []
    cli.archive(replace(LIBRARY, turns=(*LIBRARY.turns, Turn("その後は？", "変わりません。"))))
    assert traces(cli.database, LOCKER) == []
    assert cli("stats", "--json").json["exchanges"] == 6
    assert cli.ids("その後")


def test_it_shows_what_it_will_delete(archive: CommandLine) -> None:
    shown = archive("forget", "--project", "tidepool", "--dry-run").out.splitlines()
    assert shown[0] == "3 memories, 2026-04-01 to 2026-04-02:"
    assert "Why does `useTide` throw E1101 after the reconnect?" in shown[1]
    assert len(shown) == 4
    assert archive("stats", "--json").json["exchanges"] == 6


def test_a_long_list_is_cut(cli: CommandLine) -> None:
    cli.archive(Session("long", tuple(Turn(f"Question {number}?", "Yes.") for number in range(40))))
    shown = cli("forget", "--match", "question", "--dry-run").out.splitlines()
    assert len(shown) <= 20
    assert shown[-1] == "  … and 25 more"


def test_json_names_every_memory(cli: CommandLine) -> None:
    cli.archive()
    (memory,) = cli.ids("E1101")[:1]
    listed = cli("forget", memory, "--dry-run", "--json").json
    assert (listed["deleted"], listed["dry_run"]) == (0, True)
    assert [one["id"] for one in listed["memories"]] == [memory]
    deleted = cli("forget", memory, "--yes", "--json").json
    assert (deleted["deleted"], deleted["dry_run"]) == (1, False)
    assert deleted["memories"] == listed["memories"]


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (["--session", LIBRARY.id[:8]], 3),
        (["--session", LIBRARY.id], 3),
        (["--project", "tosho"], 3),
        (["--before", "2026-03-20"], 3),
        (["--before", "2026-04-02", "--project", "tidepool"], 2),
        (["--match", "ｅ１１０１"], 1),
        (["--match", "gauge"], 1),  # an automated session
    ],
)
def test_what_can_be_named(archive: CommandLine, arguments: list[str], count: int) -> None:
    assert len(archive("forget", *arguments, "--dry-run", "--json").json["memories"]) == count


@pytest.mark.parametrize(
    "arguments",
    [
        ["--match", "nothing like it"],
        ["--before", "2026-03-02"],  # the day itself is not before it
        ["--project", "tosho", "--match", "gauge"],
    ],
)
def test_what_nothing_matches_is_said(archive: CommandLine, arguments: list[str]) -> None:
    done = archive("forget", *arguments, "--dry-run", code=1)
    assert done.err == "Error: No memory matches: nothing was deleted.\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Name what to forget"),
        (["abc", "--match", "x"], "Name what to forget"),
        (["--match", "  ", "--yes"], "An empty text would match everything"),
        (["--match", "key"], "Nobody can be asked here: add --yes"),
        (["--before", "soon", "--yes"], "is no date"),
    ],
)
def test_a_wrong_call_deletes_nothing(archive: CommandLine, arguments: list[str], words: str) -> None:
    assert words in archive("forget", *arguments, code=2).err
    assert archive("stats", "--json").json["exchanges"] == 6


@pytest.mark.parametrize("arguments", [["zzzz"], ["--session", "zzzz"], ["--project", "zzzz"]])
def test_what_is_not_there_is_one_sentence(archive: CommandLine, arguments: list[str]) -> None:
    done = archive("forget", *arguments, "--dry-run", code=1)
    assert done.err.startswith("Error: No ")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(("reply", "code", "left"), [("y\n", 0, 5), ("n\n", 1, 6)])
def test_a_person_is_asked(cli: CommandLine, reply: str, code: int, left: int) -> None:
    cli.archive()
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        cli.command("forget", "--match", LOCKER),
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=cli.environment(),
        text=True,
    ) as process:
        os.write(ours, reply.encode())
        _, talk = process.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert "Delete 1 memory for good?" in talk
    assert "1 memory, 2026-03-02:" in talk
    assert process.returncode == code
    assert cli("stats", "--json").json["exchanges"] == left


def _crowd() -> list[Session]:
    """Return sessions of whose exchanges every one holds the word."""
    return [
        Session(
            f"crowd {number}",
            tuple(Turn(f"zyxquark {number} {turn}?", f"鵺蛟 {turn}.") for turn in range(12)),
            start=START.replace(day=3 + number),
        )
        for number in range(8)
    ]


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_stopped_at_any_moment_it_leaves_each_exchange_whole_or_gone(
    cli: CommandLine, sent: signal.Signals
) -> None:
    cli.archive(*SESSIONS, *_crowd())
    left = 96
    chance = random.Random(7)
    for _ in range(4):
        process = subprocess.Popen(
            cli.command("forget", "--match", "zyxquark", "--yes"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=cli.environment(),
        )
        time.sleep(chance.uniform(0.3, 1.2))
        process.send_signal(sent)
        process.wait(60)
        lines = cli("export").out.splitlines()[1:]
        crowd = [line for line in lines if "zyxquark" in line]
        assert len(lines) == len(crowd) + 6
        assert all("鵺蛟" in line for line in crowd)
        assert len(crowd) <= left
        left = len(crowd)
        assert cli("rebuild", "--json").json["new"] == 0
    cli("forget", "--match", "zyxquark", "--yes", code=None)
    cli("backfill", "--workers", "0")
    assert cli("stats", "--json").json["exchanges"] == 6
    assert traces(cli.database, "zyxquark", "鵺蛟") == []


def test_a_backfill_at_the_same_time_loses_nothing_and_brings_nothing_back(cli: CommandLine) -> None:
    cli.archive(*SESSIONS, *_crowd())
    grown = [
        replace(session, turns=(*session.turns, Turn(f"Afterwards {number}?", "Yes.")))
        for number, session in enumerate(_crowd())
    ]
    cli.write(*grown)
    commands = [["forget", "--match", "zyxquark", "--yes"], ["backfill", "--workers", "0"]]
    running = [
        subprocess.Popen(cli.command(*words), stdout=subprocess.DEVNULL, env=cli.environment())
        for words in commands
    ]
    assert [process.wait(120) for process in running] == [0, 0]
    cli("backfill", "--workers", "0")
    questions = cli("export").out
    assert all(f"Afterwards {number}?" in questions for number in range(8))
    assert "zyxquark" not in questions
    cli("forget", "--match", "zyxquark", "--yes", code=1)
    assert traces(cli.database, "zyxquark", "鵺蛟") == []
    assert cli.ids(TIDES.turns[1].question)
