from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import apsw
import pytest

from sui_memory.app import open_app
from sui_memory.config import Settings
from sui_memory.setup.handlers import scripts_folder
from sui_memory.store.ledger import Injection
from tests.builders import SESSIONS, CommandLine, Result
from tests.cli.refusing import refusing_daemon


def checks(done: Result) -> dict[str, dict[str, Any]]:
    """Return the findings by check; of several of one check the worst."""
    found: dict[str, dict[str, Any]] = {}
    for finding in done.json["checks"]:
        if finding["check"] not in found or finding["state"] == "problem":
            found[finding["check"]] = finding
    return found


def problems(done: Result) -> list[str]:
    return [finding["check"] for finding in done.json["checks"] if finding["state"] == "problem"]


@pytest.fixture
def sick(cli: CommandLine) -> CommandLine:
    """An archive of its own, to be damaged."""
    cli.archive()
    return cli


def test_a_sound_installation_is_found_sound(archive: CommandLine):
    done = archive("doctor", "--json")
    assert done.json["sound"]
    assert problems(done) == []
    assert done.json["paths"]["database"] == str(archive.database)
    assert done.json["paths"]["transcripts"] == str(archive.config / "projects")
    assert all(done.json["versions"].values())
    assert "3 in " in checks(done)["transcripts"]["found"]
    assert "6 exchanges" in checks(done)["database"]["found"]
    assert checks(done)["vectors"]["state"] == "ok"


def test_a_person_sees_each_finding_and_what_to_do(archive: CommandLine):
    shown = archive("doctor").out
    assert "✓ database" in shown
    assert "• retention" in shown
    assert "→ run `sui-memory backfill` more often" in shown
    assert "sqlite-vec" in shown


def test_a_new_user_is_told_to_begin(cli: CommandLine):
    (cli.config / "projects").mkdir(parents=True)
    done = cli("doctor", "--json")
    assert done.json["sound"]
    assert checks(done)["database"]["state"] == "note"
    assert "sui-memory setup" in checks(done)["database"]["advice"]
    assert not cli.home.exists()


def test_missing_transcripts_are_a_problem(cli: CommandLine):
    done = cli("doctor", "--json", code=1)
    assert problems(done) == ["transcripts"]
    assert "CLAUDE_CONFIG_DIR" in checks(done)["transcripts"]["advice"]


def test_what_is_open_to_others_is_told_with_the_command_to_close_it(sick: CommandLine):
    sick.home.chmod(0o755)
    sick.database.chmod(0o644)
    done = sick("doctor", "--json", code=1)
    advice = [finding["advice"] for finding in done.json["checks"] if finding["check"] == "permissions"]
    assert advice == [f"run `chmod 700 {sick.home}`.", f"run `chmod 600 {sick.database}`."]


def test_a_truncated_database_is_a_problem_and_stays_as_it_is(sick: CommandLine):
    half = sick.database.read_bytes()[: sick.database.stat().st_size // 2]
    sick.database.write_bytes(half)
    done = sick("doctor", "--json", code=1)
    assert problems(done) == ["database"]
    assert "cut off" in checks(done)["database"]["found"]
    assert sick.database.read_bytes() == half


def test_damage_in_the_middle_is_a_problem(sick: CommandLine):
    content = bytearray(sick.database.read_bytes())
    page = 16384
    content[2 * page : -page] = b"\x55" * (len(content) - 3 * page)
    sick.database.write_bytes(content)
    assert problems(sick("doctor", "--json", code=1)) != []


def test_another_file_in_the_databases_place_is_a_problem(sick: CommandLine):
    sick.database.write_text("dear diary")
    done = sick("doctor", "--json", code=1)
    assert "not a sui-memory database" in checks(done)["database"]["found"]


def test_a_database_from_the_future_is_a_problem(sick: CommandLine):
    connection = apsw.Connection(str(sick.database))
    connection.execute("insert into migrations (number, name, checksum) values (99, 'later', 'x')")
    connection.close()
    done = sick("doctor", "--json", code=1)
    assert "upgrade sui-memory" in checks(done)["database"]["found"]


@pytest.mark.slow
def test_a_locked_database_is_a_problem(sick: CommandLine):
    connection = apsw.Connection(str(sick.database))
    connection.execute("pragma locking_mode = exclusive")
    connection.execute("begin exclusive")
    try:
        done = sick("doctor", "--json", code=1)
    finally:
        connection.execute("rollback")
        connection.close()
    assert "another process" in checks(done)["database"]["found"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_home_is_a_problem(sick: CommandLine):
    sick.home.chmod(0o500)
    try:
        assert "home" in problems(sick("doctor", "--json", code=1))
    finally:
        sick.home.chmod(0o700)


def test_a_file_in_the_homes_place_is_a_problem(cli: CommandLine, tmp_path: Path):
    (tmp_path / "file").write_text("")
    done = cli("doctor", "--json", code=1, SUI_MEMORY_HOME=str(tmp_path / "file"))
    assert "is no folder" in checks(done)["home"]["found"]


def test_an_unreadable_setting_is_a_problem_and_the_rest_is_looked_at(sick: CommandLine):
    (sick.home / "config.toml").write_text("colour = 'blue'\n")
    done = sick("doctor", "--json", code=1)
    assert problems(done) == ["settings"]
    assert "'colour'" in checks(done)["settings"]["found"]
    assert checks(done)["database"]["state"] == "ok"


def test_a_model_that_is_not_here_is_a_problem(archive: CommandLine):
    done = archive("doctor", "--json", code=1, SUI_MEMORY_MODEL="/nowhere")
    assert problems(done) == ["model"]
    assert "/nowhere" in checks(done)["model"]["found"]


def test_passages_without_vectors_are_noted(sick: CommandLine):
    sick("model", "use", "fake", SUI_MEMORY_MODEL="fake")
    (path,) = sick.config.rglob("*tosho/*.jsonl")
    lines = path.read_text().replace("鍵は？", "扉は？").splitlines()
    records = [json.loads(line) for line in lines]
    fresh = [
        {**record, "uuid": f"new-{number}", "parentUuid": f"new-{number - 1}", "sessionId": "new"}
        for number, record in enumerate(records[1:], start=1)
    ]
    (path.parent / "new.jsonl").write_text("".join(json.dumps(record) + "\n" for record in fresh))
    noted = checks(sick("doctor", "--json", SUI_MEMORY_MODEL="fake"))
    assert "1 transcripts" in noted["backlog"]["found"]
    sick("backfill", "--no-embed", "--workers", "0")
    noted = checks(sick("doctor", "--json", SUI_MEMORY_MODEL="fake"))
    assert "backlog" not in noted
    assert noted["vectors"]["state"] == "note"


@pytest.mark.parametrize(
    ("settings", "state", "found"),
    [
        ('{"cleanupPeriodDays": 3650}', "ok", "after 3650 days"),
        ('{"cleanupPeriodDays": 7}', "note", "after 7 days"),
        ("{}", "note", "after 30 days, its default"),
        ("{", "note", "cannot be read"),
        ("[]", "note", "cannot be read"),
    ],
)
def test_when_transcripts_are_deleted_is_told(cli: CommandLine, settings: str, state: str, found: str):
    cli.write()
    (cli.config / "projects").mkdir(parents=True)
    (cli.config / "settings.json").write_text(settings)
    finding = checks(cli("doctor", "--json"))["retention"]
    assert finding["state"] == state
    assert found in finding["found"]


def test_claude_code_is_looked_for_on_the_search_path(archive: CommandLine, tmp_path: Path):
    nothing = checks(archive("doctor", "--json", PATH=str(tmp_path)))["claude"]
    assert (nothing["state"], nothing["found"]) == ("note", "no Claude Code is on the search path")
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\necho '2.1.332 (Claude Code)'\n")
    program.chmod(0o755)
    found = checks(archive("doctor", "--json", PATH=str(tmp_path)))["claude"]
    assert (found["state"], found["found"]) == ("ok", f"version 2.1.332, {program}")
    program.write_text("#!/bin/sh\nexit 1\n")
    silent = checks(archive("doctor", "--json", PATH=str(tmp_path)))["claude"]
    assert (silent["state"], silent["advice"]) == ("note", f"run `{program} --version`.")


@pytest.fixture
def user(cli: CommandLine) -> Iterator[CommandLine]:
    """Somebody for whom everything is set up and running."""
    cli.write(*SESSIONS)
    cli.process("setup", "--no-backfill")
    yield cli
    cli.process("daemon", "stop", code=None)


def settings_of(user: CommandLine) -> Path:
    return user.config / "settings.json"


def advice(done: Result, check: str) -> str:
    return str(checks(done)[check]["advice"])


def test_after_setup_hooks_daemon_and_socket_are_found_well(user: CommandLine):
    found = checks(user("doctor", "--json"))
    assert found["hooks"] == {
        "check": "hooks",
        "state": "ok",
        "found": f"all events, in {settings_of(user)}",
        "advice": None,
    }
    assert found["daemon"]["state"] == "ok"
    assert version("sui-memory") in found["daemon"]["found"]
    assert "minute (process" in found["daemon"]["found"]
    assert found["socket"]["state"] == "ok"
    assert found["retention"]["advice"].startswith("nothing: the archive keeps what was said.")


def test_before_setup_missing_hooks_are_noted(archive: CommandLine):
    done = archive("doctor", "--json")
    assert checks(done)["hooks"]["state"] == "note"
    assert "sui-memory setup" in advice(done, "hooks")
    assert checks(done)["daemon"]["state"] == "note"


def test_what_was_last_archived_and_recalled_is_told(sick: CommandLine):
    path = next(sick.config.rglob("*tosho/*.jsonl"))
    os.utime(path, (1_900_000_000, 1_900_000_000))
    sick("backfill", "--workers", "0")
    done = sick("doctor", "--json")
    assert "2030-03-17 17:46" in checks(done)["last archive"]["found"]
    assert checks(done)["last recall"]["state"] == "note"
    with open_app(Settings(sick.home, model="none")) as app:
        at = datetime(2026, 5, 1, 12, 30, tzinfo=UTC)
        app.store.ledger.record(Injection(at, "s", "UserPromptSubmit", "h", silence="routine"))
    assert "2026-05-01 12:30" in checks(sick("doctor", "--json"))["last recall"]["found"]


def test_an_event_without_a_hook_is_a_problem(user: CommandLine):
    settings = json.loads(settings_of(user).read_text())
    del settings["hooks"]["SessionEnd"], settings["hooks"]["Stop"]
    settings_of(user).write_text(json.dumps(settings))
    done = user("doctor", "--json", code=1)
    assert "none for Stop, SessionEnd" in checks(done)["hooks"]["found"]
    assert "sui-memory setup" in advice(done, "hooks")


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (f'"{sys.executable} ', '"/nowhere/python ', "what they run is gone: /nowhere/python"),
        ("SCRIPTS/stop.py", "/code/sui-memory/hooks/stop.py", "is gone: /code/sui-memory/hooks/stop.py"),
        (f".py {sys.executable}", ".py /bin/false", "/bin/false cannot import sui_memory"),
    ],
    ids=["interpreter", "script", "package"],
)
def test_a_hook_that_cannot_run_is_a_problem(user: CommandLine, old: str, new: str, found: str):
    # In a folder of our name a hook is ours, whatever else was changed in it.
    scripts = shutil.copytree(scripts_folder(), user.root / "sui-memory" / "hooks")
    text = settings_of(user).read_text().replace(str(scripts_folder()), str(scripts))
    settings_of(user).write_text(text.replace(old.replace("SCRIPTS", str(scripts)), new))
    done = user("doctor", "--json", code=1)
    assert problems(done) == ["hooks"]
    assert found in checks(done)["hooks"]["found"]
    assert "sui-memory setup" in advice(done, "hooks")


def hook_findings(done: Result) -> list[str]:
    return [finding["found"] for finding in done.json["checks"] if finding["check"] == "hooks"]


def test_hooks_of_an_installation_that_is_gone_are_one_finding(user: CommandLine):
    text = settings_of(user).read_text().replace(f'"{sys.executable} ', '"/nowhere/python ')
    settings_of(user).write_text(text.replace(str(scripts_folder()), "/code/sui-memory/hooks"))
    assert hook_findings(user("doctor", "--json", code=1)) == [
        "what they run is gone: /nowhere/python, 5 scripts in /code/sui-memory/hooks"
    ]


def test_hooks_with_another_archive_than_the_one_looked_at_are_noted(user: CommandLine):
    found = checks(user("doctor", "--json", SUI_MEMORY_HOME=str(user.root / "other")))["hooks"]
    assert found["state"] == "note"
    assert f"they use the archive in {user.home}" in found["found"]


def test_the_hook_before_tools_is_compared_with_the_lessons(user: CommandLine):
    user("lesson", "add", "--tool", "Bash", "--if", "git push", "look")
    assert checks(user("doctor", "--json"))["hooks"]["state"] == "ok"
    settings = settings_of(user).read_text()
    settings_of(user).write_text(settings.replace('"Bash"', '"Edit"'))
    done = user("doctor", "--json", code=1)
    assert hook_findings(done) == ["lessons wait for Bash, and no hook is before it"]
    assert advice(done, "hooks") == "run `sui-memory setup`."
    settings_of(user).write_text(settings.replace('"Bash"', '"Bash|Edit"'))
    done = user("doctor", "--json")
    assert hook_findings(done) == ["the hook before Edit has no lesson to tell"]


def test_hooks_in_two_files_are_a_problem(user: CommandLine):
    user.process("setup", "--project", "--no-backfill")
    done = user("doctor", "--json", code=1)
    local = user.root / ".claude" / "settings.local.json"
    assert hook_findings(done) == [f"there are several for every event, in {local} and {settings_of(user)}"]
    assert "uninstall --project" in advice(done, "hooks")


def test_an_event_that_is_hooked_twice_is_named(user: CommandLine):
    settings = json.loads(settings_of(user).read_text())
    settings["hooks"]["Stop"] *= 2
    settings_of(user).write_text(json.dumps(settings))
    done = user("doctor", "--json", code=1)
    assert hook_findings(done) == [f"there are several for Stop, in {settings_of(user)}"]
    assert advice(done, "hooks") == "run `sui-memory setup`."


def test_hooks_beside_those_of_the_plugin_are_a_problem(user: CommandLine):
    (user.config / "plugins").mkdir()
    (user.config / "plugins" / "installed_plugins.json").write_text('{"plugins": {"sui-memory@shop": []}}')
    settings = {**json.loads(settings_of(user).read_text()), "enabledPlugins": {"sui-memory@shop": True}}
    settings_of(user).write_text(json.dumps(settings))
    assert "sui-memory@shop" in checks(user("doctor", "--json", code=1))["hooks"]["found"]
    user("uninstall")
    assert "the plugin sui-memory@shop" in checks(user("doctor", "--json"))["hooks"]["found"]


def test_hooks_that_are_switched_off_are_a_problem(user: CommandLine):
    settings = {**json.loads(settings_of(user).read_text()), "disableAllHooks": True}
    settings_of(user).write_text(json.dumps(settings))
    done = user("doctor", "--json", code=1)
    assert "disableAllHooks" in advice(done, "hooks")


def test_a_socket_that_a_killed_daemon_left_is_noted(sick: CommandLine):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(sick.home / "daemon.sock"))
    (sick.home / "daemon.sock").chmod(0o600)
    found = checks(sick("doctor", "--json"))
    assert found["daemon"]["state"] == "note"
    assert "left behind" in found["socket"]["found"]


def test_a_socket_that_others_may_use_is_a_problem(user: CommandLine):
    (user.home / "daemon.sock").chmod(0o666)
    done = user("doctor", "--json", code=1)
    assert advice(done, "socket") == f"run `chmod 600 {user.home / 'daemon.sock'}`."


def test_a_file_in_the_sockets_place_is_a_problem(sick: CommandLine):
    (sick.home / "daemon.sock").write_text("")
    assert "is no socket" in checks(sick("doctor", "--json", code=1))["socket"]["found"]


def test_a_daemon_that_does_not_answer_is_a_problem(sick: CommandLine):
    with (sick.home / "daemon.lock").open("w") as lock:
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = sick("doctor", "--json", code=1)
    assert f"process {os.getpid()} is there but does not answer" in checks(done)["daemon"]["found"]


def test_a_daemon_that_can_only_answer_with_an_error_is_a_problem(sick: CommandLine):
    with refusing_daemon(sick):
        done = sick("doctor", "--json", code=1)
    assert "the program it was started from is gone" in checks(done)["daemon"]["found"]
    assert advice(done, "daemon").startswith("run `sui-memory daemon stop`")


def test_a_reranker_that_is_not_here_is_a_problem_and_none_is_no_matter(archive: CommandLine):
    name = "someone/was-never-downloaded"
    assert "reranker" not in checks(archive("doctor", "--json"))
    finding = checks(archive("doctor", "--json", code=1, SUI_MEMORY_RERANKER=name))["reranker"]
    assert finding["state"] == "problem"
    assert name in finding["found"]
