"""How a hook starts the daemon where nobody listens, and what the daemon gets of it."""

import socket
from contextlib import chdir

import pytest

from tests.hooks.stage import ANSWER, patient_hooks, program, run, run_as_it_is, run_redirected, seen

SCRIPTS = ("user_prompt_submit", "session_start", "stop", "pre_compact", "session_end", "pre_tool_use")
EVENT = '{"prompt": "前に決めた鍵の置き場所は？"}\n'.encode()
DAEMON = ["-P", "-m", "sui_memory", "daemon", "run"]


@pytest.mark.parametrize("script", SCRIPTS)
def test_without_a_daemon_and_without_a_way_to_start_one_nothing_happens(tmp_path, script):
    home = tmp_path / "home"
    assert run(script, EVENT, home=home) == b""
    assert run(script, EVENT, tmp_path / "no-python", home=home) == b""
    assert not home.exists()


@pytest.mark.parametrize("script", SCRIPTS)
def test_where_nobody_listens_the_daemon_is_started(tmp_path, script):
    run_as_it_is(script, EVENT, program(tmp_path / "python"), home=tmp_path)
    assert seen(tmp_path)["arguments"] == DAEMON


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_home_that_was_deleted_is_not_made_anew(tmp_path, script):
    run(script, EVENT, program(tmp_path / "python"), home=tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_a_plugin_that_nobody_set_up_begins_without_a_home(tmp_path):
    program(tmp_path / "bin" / "sui-memory")
    run("stop", EVENT, home=tmp_path / "home", PATH=str(tmp_path / "bin"))
    assert seen(tmp_path / "home")


def test_a_socket_that_was_left_behind_is_nobody(tmp_path):
    with chdir(tmp_path), socket.socket(socket.AF_UNIX) as left:
        left.bind("daemon.sock")
    run("stop", EVENT, program(tmp_path / "python"), home=tmp_path)
    assert seen(tmp_path)["arguments"] == DAEMON


@pytest.mark.parametrize("left_behind", [False, True])
def test_a_prompt_waits_for_the_daemon_that_it_started(tmp_path, left_behind):
    if left_behind:
        with chdir(tmp_path), socket.socket(socket.AF_UNIX) as left:
            left.bind("daemon.sock")
    starter = program(tmp_path / "python", answer=ANSWER)
    assert run("user_prompt_submit", EVENT, starter, home=tmp_path) == ANSWER


def test_a_prompt_waits_for_another_daemon_if_its_own_finds_one(tmp_path):
    first = program(tmp_path / "first", answer=ANSWER)
    second = tmp_path / "python"
    second.write_text(f'#!/bin/sh\n"{first}" </dev/null >/dev/null 2>&1 &\nexit 0\n')
    second.chmod(0o700)
    assert run("user_prompt_submit", EVENT, second, home=tmp_path) == ANSWER


@pytest.mark.parametrize("status", [0, 1])
def test_a_daemon_that_ends_at_once_is_no_trouble(tmp_path, status):
    starter = program(tmp_path / "python", status=status)
    assert run_as_it_is("user_prompt_submit", EVENT, starter, home=tmp_path) == b""
    assert seen(tmp_path)


@pytest.mark.parametrize("script", ["session_start", "stop"])
def test_other_events_leave_the_daemon_to_itself(tmp_path, script):
    starter = program(tmp_path / "python", answer=ANSWER)
    assert run(script, EVENT, starter, home=tmp_path) == b""
    assert seen(tmp_path)
    assert run("user_prompt_submit", EVENT, starter, home=tmp_path) == ANSWER  # and so nobody is left


def test_the_daemon_is_on_its_own(tmp_path):
    starter = program(tmp_path / "python")
    assert run_redirected("stop", EVENT, "7</dev/null", starter, home=tmp_path) == b""
    told = seen(tmp_path)
    assert told["session"]
    assert told["silent"]
    assert told["deaf"] == []
    assert told["inherited"] == []


def test_nothing_secret_reaches_the_daemon(tmp_path):
    secrets = {
        "CLAUDE_CODE_MESSAGING_TOKEN": "swordfish",
        "ANTHROPIC_API_KEY": "swordfish",
        "AWS_SECRET_ACCESS_KEY": "swordfish",
        "HTTPS_PROXY": "http://me:swordfish@proxy",
        "PYTHONPATH": "/swordfish",
    }
    run("stop", EVENT, program(tmp_path / "python"), home=tmp_path, **secrets)
    environment = seen(tmp_path)["environment"]
    assert not set(secrets) & set(environment)
    assert "swordfish" not in "".join(environment.values())


def test_what_the_daemon_needs_reaches_it(tmp_path):
    needed = {
        "PATH": "/bin",
        "LANG": "ja_JP.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "Asia/Tokyo",
        "CLAUDE_CONFIG_DIR": "/home/mio/設定",
        "XDG_CACHE_HOME": "/home/mio/cache",
        "SUI_MEMORY_MODEL": "none",
        "OMP_NUM_THREADS": "1",
    }
    run("stop", EVENT, program(tmp_path / "python"), home=tmp_path, **needed)
    environment = seen(tmp_path)["environment"]
    assert needed.items() <= environment.items()
    assert environment["SUI_MEMORY_CHILD"] == "1"


def test_the_daemon_serves_the_home_that_the_hook_looked_in(tmp_path):
    home = tmp_path / "記憶 の 家"
    home.mkdir()
    run("stop", EVENT, program(tmp_path / "python"), home)
    assert seen(home)["environment"]["SUI_MEMORY_HOME"] == str(home)


def test_without_an_interpreter_the_command_on_the_path_is_taken(tmp_path):
    program(tmp_path / "bin" / "uv")
    program(tmp_path / "bin" / "sui-memory")
    run("stop", EVENT, home=tmp_path, PATH=str(tmp_path / "bin"))
    assert seen(tmp_path)["arguments"] == ["daemon", "run"]


def test_without_that_command_uv_runs_what_lies_beside_the_hooks(tmp_path):
    program(tmp_path / "bin" / "uv")
    run("stop", EVENT, home=tmp_path, PATH=str(tmp_path / "bin"))
    told = [
        "run",
        "--project",
        str(patient_hooks().parent),
        "--no-dev",
        "--quiet",
        "sui-memory",
        "daemon",
        "run",
    ]
    assert seen(tmp_path)["arguments"] == told
