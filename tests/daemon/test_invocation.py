from __future__ import annotations

import os

import pytest

from sui_memory.daemon.invocation import Invocation, invocation_of, understood


@pytest.mark.parametrize(
    ("arguments", "origin"),
    [
        ("claude", None),
        ("claude --resume abc", None),
        ("claude --resume abc --fork-session", "abc"),
        ("claude --fork-session -r abc", "abc"),
        ("claude --resume=abc --fork-session", "abc"),
        ("claude --resume /code/abc.jsonl --fork-session", "abc"),
        ("claude --resume --fork-session", None),
        ("claude --continue --fork-session", None),
    ],
)
def test_a_fork_names_the_session_it_comes_from(arguments, origin):
    assert understood(arguments.split(), None) == Invocation(origin=origin)


def test_a_fork_that_continues_comes_from_the_latest_session_of_its_folder(tmp_path):
    for number, name in enumerate(["old", "new", "fork"]):
        (tmp_path / f"{name}.jsonl").touch()
        os.utime(tmp_path / f"{name}.jsonl", (number, number))

    found = understood(["claude", "-c", "--fork-session"], str(tmp_path / "fork.jsonl"))
    assert found.origin == "new"


def test_a_session_says_that_it_wants_to_leave_no_trace():
    assert understood(["claude", "-p", "hello", "--no-session-persistence"], None).ephemeral


def test_nothing_is_known_of_a_process_that_is_gone():
    assert invocation_of(2**22 + 1, None) == Invocation()
