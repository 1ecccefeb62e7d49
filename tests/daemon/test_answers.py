"""What sessions get from the daemon, as they meet it: hooks in, blocks out, the ledger behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from sui_memory.config import Settings
from sui_memory.daemon import client
from sui_memory.daemon.protocol import Request, encode
from tests.builders import SESSIONS, Session, Turn, write_session
from tests.daemon.workbench import Daemon, until

QUESTION = "返却期限は会議で何日と決めたんだっけ？"
ANSWER = "返却期限は 14 日"


@pytest.fixture
def library(daemon: Daemon) -> Daemon:
    """A daemon that has archived the conversations about the library and the tides."""
    for session in SESSIONS:
        write_session(daemon.cli.config, session)
    daemon.hook("SessionStart", daemon.transcript("early").event(source="startup"))
    until(lambda: len(daemon.archived()) == 6, "the archive of the sessions")
    return daemon


@contextmanager
def claude(*arguments: str) -> Iterator[str]:
    """Give the process id of something that was started with arguments of Claude Code's."""
    words = [sys.executable, "-c", "print(flush=True); input()", *arguments]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdout.readline()  # while it starts, the system knows no arguments of it
    try:
        yield str(process.pid)
    finally:
        process.communicate(b"\n")


def told(daemon: Daemon, *options: str) -> list[dict]:
    """Return what the ledger says of the injections, the newest first."""
    return daemon.cli("log", "--json", *options).json["injections"]


def test_what_was_decided_in_one_session_comes_back_in_another(library):
    block = library.prompt(library.transcript("later", cwd="/code/other"), QUESTION)

    assert ANSWER in block
    assert block.startswith("<recalled-memories>")
    assert len(block) <= 1_500


def test_a_hook_that_starts_the_daemon_is_answered_too(place):
    for session in SESSIONS:
        write_session(place.cli.config, session)
    place.cli("backfill", "--no-embed", "--workers", "0")

    asked = place.transcript("later").event(prompt=QUESTION)
    # Once more in case the machine is so busy that the first one gave up.
    assert any(ANSWER in place.run_hook("UserPromptSubmit", {**asked, "session_id": name}) for name in "ab")


def test_a_session_is_not_told_twice(library):
    later = library.transcript("later")

    assert ANSWER in library.prompt(later, QUESTION)
    assert ANSWER not in library.prompt(later, f"もう一度聞きたい。{QUESTION}")


def test_what_a_session_was_shown_is_remembered_over_a_restart(library):
    later = library.transcript("later")
    library.prompt(later, QUESTION)
    until(lambda: told(library), "the ledger's entry")
    library.kill()
    library.start()

    assert ANSWER not in library.prompt(later, QUESTION)


def test_a_compacted_session_may_be_told_again(library):
    later = library.transcript("later")
    library.prompt(later, QUESTION)
    library.hook("SessionStart", later.event(source="compact"))
    tries = count(1)
    until(lambda: ANSWER in library.prompt(later, f"{next(tries)}. {QUESTION}"), "the memory")


def test_a_session_is_not_told_what_it_said_itself(daemon):
    own = daemon.transcript("own")
    own.say("書庫の温度は何度にする？", "書庫の温度は 18 度に決めました。")
    daemon.hook("Stop", own.event())
    daemon.wait_for(own)

    assert daemon.prompt(own, "書庫の温度は何度に決めた？") == ""
    assert "18 度" in daemon.prompt(daemon.transcript("other"), "書庫の温度は何度に決めた？")


def test_a_fork_is_not_told_what_its_origin_said_before_it(daemon):
    origin = daemon.transcript("origin")
    origin.say("書庫の温度は何度にする？", "書庫の温度は 18 度に決めました。")
    daemon.hook("Stop", origin.event())
    daemon.wait_for(origin)
    fork = origin.path.with_name("0f0e0d0c-0000-4000-8000-000000000001.jsonl")
    fork.write_text(origin.path.read_text().replace(origin.session, fork.stem))
    said = {**origin.event(), "session_id": fork.stem, "transcript_path": str(fork)}
    daemon.hook("SessionStart", {**said, "source": "fork"})
    until(lambda: daemon.cli("stats", "--json").json["sources"] == 2, "the fork")

    assert daemon.hook("UserPromptSubmit", {**said, "prompt": "書庫の温度は何度に決めた？"}) == ""


def test_a_fork_is_known_by_its_command_line_before_it_has_a_transcript(daemon):
    origin = daemon.transcript("origin")
    origin.say("書庫の温度は何度にする？", "書庫の温度は 18 度に決めました。")
    daemon.hook("Stop", origin.event())
    daemon.wait_for(origin)
    with claude("--resume", origin.session, "--fork-session") as pid:
        asked = daemon.transcript("fork").event(prompt="書庫の温度は何度に決めた？")

        assert daemon.hook("UserPromptSubmit", asked, pid=pid) == ""
        assert "18 度" in daemon.hook("UserPromptSubmit", {**asked, "session_id": "stranger"})


def test_of_two_handlers_of_one_prompt_only_one_is_answered(library):
    asked = library.transcript("later").event(prompt=QUESTION, prompt_id="p1")
    blocks = [library.hook("UserPromptSubmit", asked) for _ in range(2)]

    assert [bool(block) for block in blocks] == [True, False]


@pytest.mark.parametrize(
    "prompt", ["ありがとう！", "続けて", "ok, go on", "/compact", "<task-notification>done"]
)
def test_small_talk_and_commands_get_nothing(library, prompt):
    assert library.prompt(library.transcript("later"), prompt) == ""


def test_silence_is_in_the_ledger_with_its_reason(library):
    library.prompt(library.transcript("later"), "ありがとう！")
    until(lambda: told(library, "--all"), "the ledger's entry")

    assert told(library, "--all")[0]["silence"]
    assert told(library) == []


def test_a_muted_memory_is_never_injected(library):
    library.prompt(library.transcript("later"), QUESTION)
    until(lambda: told(library), "the ledger's entry")
    for shown in told(library)[0]["memories"]:
        library.cli("never", shown["id"])

    assert ANSWER not in library.prompt(library.transcript("another"), QUESTION)


def test_a_program_is_answered_unless_the_settings_say_no(library):
    asked = library.transcript("robot-asks").event(prompt=QUESTION)
    assert ANSWER in library.hook("UserPromptSubmit", asked, entry="sdk-cli")

    (library.home / "config.toml").write_text("automated = false\n")
    library.wait()
    library.start()
    other = library.transcript("another-robot").event(prompt=QUESTION)
    assert library.hook("UserPromptSubmit", other, entry="sdk-cli") == ""
    assert ANSWER in library.hook("UserPromptSubmit", {**other, "prompt": f"{QUESTION}？"}, entry="cli")


def test_recall_can_be_switched_off_while_archiving_goes_on(place):
    place.home.mkdir(mode=0o700)
    (place.home / "config.toml").write_text("recall = false\n")
    place.start()
    own = place.transcript("own")
    own.say("書庫の温度は何度にする？", "書庫の温度は 18 度に決めました。")
    place.hook("Stop", own.event())
    place.wait_for(own)

    assert place.prompt(place.transcript("other"), "書庫の温度は何度に決めた？") == ""


def test_a_new_session_may_be_told_what_was_left_open(place):
    place.home.mkdir(mode=0o700)
    (place.home / "config.toml").write_text("session_start = true\n")
    yesterday = datetime.now(UTC) - timedelta(days=1)
    old = Session("old", (Turn("延滞料金の計算を直して"),), cwd="/code/app", start=yesterday)
    write_session(place.cli.config, old)
    place.start()
    new = place.transcript("new", cwd="/code/app")
    place.hook("SessionStart", place.transcript("first").event(source="startup"))
    until(lambda: bool(place.archived()), "the old session")

    block = place.hook("SessionStart", new.event(source="startup"))
    assert "延滞料金" in block
    assert len(block) <= 600


def test_a_session_without_persistence_leaves_no_trace(library):
    with claude("--no-session-persistence") as pid:
        asked = library.transcript("ghost").event(prompt=QUESTION)
        assert library.hook("UserPromptSubmit", asked, pid=pid) == ""
    library.prompt(library.transcript("later"), QUESTION)
    until(lambda: told(library, "--all"), "the ledger's entry")

    assert {entry["session"] for entry in told(library, "--all")} == {library.transcript("later").session}


def test_the_command_line_searches_with_the_daemon(library):
    found = library.cli("search", "返却期限", "--json").json

    assert ANSWER in found["hits"][0]["answer"]


def test_who_asks_on_purpose_is_told_what_a_prompt_would_be_shown_and_leaves_no_trace(library):
    found = client.recall(Settings(library.home), QUESTION, "/code/app", limit=2)
    silent = client.recall(Settings(library.home), "ok, go on", None, limit=2)

    assert ANSWER in found.hits[0].memory.exchange.answer
    assert found.terms
    assert (silent.hits, bool(silent.silence)) == ((), True)
    assert told(library, "--all") == []


def test_an_answer_that_nobody_took_does_not_count_as_shown(library):
    later = library.transcript("later")
    with library.connection() as connection:
        body = json.dumps(later.event(prompt=QUESTION)).encode()
        connection.sendall(encode(Request("hook", {"event": "UserPromptSubmit"}, body)))
        # Gone before the request is even complete: nobody reads the answer.
    assert ANSWER in library.prompt(later, f"{QUESTION}？")


def test_a_memory_that_found_no_room_does_not_count_as_shown(library):
    (library.home / "config.toml").write_text("characters = 200\n")
    library.wait()
    library.start()
    assert library.prompt(library.transcript("later"), QUESTION) == ""
    until(lambda: told(library, "--all"), "the ledger's entry")

    entry = told(library, "--all")[0]
    assert (entry["memories"], entry["silence"]) == ([], "no room in a block of so few characters")


def test_a_session_that_is_resumed_without_persistence_leaves_no_more_traces(library):
    later = library.transcript("later")
    with claude() as pid:
        library.hook("UserPromptSubmit", later.event(prompt="督促の相談"), pid=pid)
    with claude("--no-session-persistence") as pid:
        assert library.hook("UserPromptSubmit", later.event(prompt=QUESTION), pid=pid) == ""


def test_a_daemon_tells_about_itself(daemon):
    status = daemon.status()

    assert status["pid"] == daemon.process.pid
    assert status["home"] == str(daemon.home)
    assert status["resident_bytes"] > 0


def test_the_daemon_command_starts_shows_and_stops_it(place):
    place.cli("daemon", "start")
    assert place.cli("daemon", "status", "--json").json["home"] == str(place.home)
    assert "Running as process" in place.cli("daemon", "status").out
    assert "serves" in place.cli("daemon", "logs").out
    assert "has ended" in place.cli("daemon", "stop").out
    place.wait_until_gone()

    assert "No daemon was running" in place.cli("daemon", "stop").out
    assert place.cli("daemon", "status", code=1).out


def test_a_second_daemon_leaves_the_first_alone(daemon):
    second = daemon.cli.process("daemon", "run")

    assert (second.code, "already" in second.err) == (0, True)
    assert daemon.status()["pid"] == daemon.process.pid


@pytest.mark.slow
def test_a_daemon_that_does_not_listen_is_killed_by_stop(daemon):
    os.kill(daemon.process.pid, signal.SIGSTOP)
    try:
        daemon.cli("daemon", "stop")
    finally:
        with suppress(ProcessLookupError):
            os.kill(daemon.process.pid, signal.SIGCONT)
    assert daemon.wait() == -signal.SIGKILL
