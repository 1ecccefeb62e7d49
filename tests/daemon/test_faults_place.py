"""What lies in the daemon's place before it comes, and who may see what it leaves there."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from tests.daemon.workbench import Daemon, until

NEEDS_PROC = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")


def refused(place: Daemon) -> str:
    """Start a daemon that cannot be one, and return the sentence it says."""
    assert place.launch().wait(60) == 1
    said = place.complaints
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert place.processes() == []
    return said


def test_the_socket_of_a_killed_daemon_is_replaced(place: Daemon) -> None:
    place.start().kill()
    assert stat.S_ISSOCK(place.socket.lstat().st_mode)
    assert place.start().status()["pid"] == place.process.pid


def test_a_hook_finds_a_new_daemon_where_one_was_killed(place: Daemon) -> None:
    place.start().kill()
    talk = place.transcript("talk")
    assert place.run_hook("UserPromptSubmit", talk.event(prompt="前に決めた合言葉は？")) == ""
    until(place.answers, "another daemon")
    assert place.status()["pid"] in place.processes()


def _as_file(path: Path) -> None:
    path.write_text("mine")


def _as_folder(path: Path) -> None:
    path.mkdir()


def _as_dangling_symlink(path: Path) -> None:
    path.symlink_to(path.parent / "nothing")


def _as_symlink(path: Path) -> None:
    (path.parent / "other").write_text("mine")
    path.symlink_to(path.parent / "other")


def _as_pipe(path: Path) -> None:
    os.mkfifo(path)


def _as_symlink_to_a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as other, chdir(path.parent):
        other.bind("other")
    path.symlink_to(path.parent / "other")


RARE = [
    pytest.param(thing, marks=pytest.mark.slow) for thing in (_as_symlink, _as_symlink_to_a_socket, _as_pipe)
]
THINGS = [_as_file, _as_folder, _as_dangling_symlink, *RARE]


@pytest.mark.parametrize("thing", THINGS)
def test_what_is_no_socket_is_left_as_it_is_and_said_in_one_sentence(place: Daemon, thing) -> None:
    place.home.mkdir(0o700)
    thing(place.socket)
    before = place.socket.lstat()
    assert f"{place.socket} is no socket" in refused(place)
    assert os.path.samestat(before, place.socket.lstat())
    assert not (place.home / "nothing").exists()
    assert place.run_hook("UserPromptSubmit", place.transcript("talk").event(prompt="合言葉は？")) == ""
    place.wait_until_gone()
    assert os.path.samestat(before, place.socket.lstat())


@pytest.mark.parametrize("thing", [_as_folder, _as_dangling_symlink, _as_symlink])
def test_what_is_no_lock_is_left_as_it_is_and_said_in_one_sentence(place: Daemon, thing) -> None:
    place.home.mkdir(0o700)
    lock = place.home / "daemon.lock"
    thing(lock)
    before = lock.lstat()
    assert str(lock) in refused(place)
    assert os.path.samestat(before, lock.lstat())
    assert not (place.home / "nothing").exists()
    assert not (place.home / "other").exists() or (place.home / "other").read_text() == "mine"


@pytest.mark.parametrize(
    "written",
    [
        b"999999999\n",
        *(pytest.param(data, marks=pytest.mark.slow) for data in (b"", b"no number\n", b"\xff" * 100)),
    ],
)
def test_a_stale_lock_file_keeps_no_daemon_away(place: Daemon, written: bytes) -> None:
    place.home.mkdir(0o700)
    (place.home / "daemon.lock").write_bytes(written)
    assert place.start().status()["pid"] == place.process.pid


def test_a_stale_lock_file_that_names_a_stranger_brings_no_harm_to_it(place: Daemon) -> None:
    place.home.mkdir(0o700)
    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        (place.home / "daemon.lock").write_text(f"{stranger.pid}\n")
        assert place.cli.process("daemon", "stop").out == "No daemon was running.\n"
        assert place.cli.process("daemon", "status", code=1)
        assert place.start().status()["pid"] == place.process.pid
        assert stranger.poll() is None
    finally:
        stranger.communicate()


def test_a_home_that_cannot_be_made_is_said_in_one_sentence(place: Daemon) -> None:
    place.home.write_text("mine")
    assert str(place.home) in refused(place)
    assert place.home.read_text() == "mine"


@pytest.mark.parametrize("count", [pytest.param(2, marks=pytest.mark.slow), 10])
def test_of_daemons_started_at_once_exactly_one_stays(place: Daemon, count: int) -> None:
    started = [place.launch() for _ in range(count)]
    until(lambda: sum(process.poll() is None for process in started) == 1, "the one that stays")
    (stays,) = (process for process in started if process.returncode is None)
    place.process = stays
    until(place.answers)
    assert place.status()["pid"] == stays.pid
    assert [process.returncode for process in started if process is not stays] == [0] * (count - 1)
    assert place.complaints.count("A daemon is running") == count - 1


@NEEDS_PROC
def test_hooks_that_start_a_daemon_together_leave_exactly_one(place: Daemon) -> None:
    place.home.mkdir(0o700)
    hooks = [
        subprocess.Popen(
            place.hook_command("Stop"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=place.environment,
        )
        for _ in range(5)
    ]
    for hook in hooks:
        hook.stdin.write(b'{"session_id": "a", "prompt": "x"}\n')
        hook.stdin.flush()
    assert [hook.communicate()[0] for hook in hooks] == [b""] * 5
    until(lambda: len(place.processes()) == 1 and place.answers(), "one daemon")
    assert [place.status()["pid"]] == place.processes()


@pytest.mark.parametrize("mode", [None, 0o777, pytest.param(0o755, marks=pytest.mark.slow)])
def test_nobody_else_can_look_into_the_home(place: Daemon, mode: int | None) -> None:
    if mode is not None:
        place.home.mkdir()
        place.home.chmod(mode)
    talk = place.start().transcript("talk")
    talk.say("港の合言葉は？", "zyxquark です。")
    place.hook("Stop", talk.event())
    place.wait_for(talk)
    until((place.home / "daemon.log").exists)
    assert stat.S_IMODE(place.home.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.lstat().st_mode) for path in place.home.iterdir()}
    assert {"memory.db", "daemon.sock", "daemon.log", "daemon.lock"} <= set(modes)
    assert set(modes.values()) == {0o600}


@NEEDS_PROC
@pytest.mark.parametrize("starter", ["hook", "command"])
def test_the_daemon_knows_no_token_of_who_started_it(place: Daemon, starter: str) -> None:
    secrets = {
        "CLAUDE_CODE_MESSAGING_TOKEN": "zyxquark",
        "ANTHROPIC_API_KEY": "zyxquark",
        "AWS_SECRET_ACCESS_KEY": "zyxquark",
    }
    place.environment |= secrets
    if starter == "hook":
        place.run_hook("SessionStart", place.transcript("talk").event(source="startup"))
        until(place.answers)
    else:
        place.cli.process("daemon", "start", **secrets)
    environment = Path(f"/proc/{place.status()['pid']}/environ").read_bytes()
    assert b"SUI_MEMORY_HOME" in environment
    assert b"zyxquark" not in environment
