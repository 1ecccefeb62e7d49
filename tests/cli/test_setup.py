from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sui_memory.setup.handlers import SCRIPTS
from tests.builders import SESSIONS, CommandLine, Result
from tests.cli.refusing import refusing_daemon

SETTINGS = b'{\n  "model": "opus",\n  "permissions": {"allow": ["Bash(ls:*)"]}\n}'


@pytest.fixture
def user(cli: CommandLine) -> Iterator[CommandLine]:
    """Somebody who has used Claude Code for a while; no daemon outlives them."""
    cli.write(*SESSIONS)
    (cli.config / "settings.json").write_bytes(SETTINGS)
    yield cli
    cli.process("daemon", "stop", code=None)


def setup(user: CommandLine, *options: str, code: int | None = 0, **environment: str) -> Result:
    return user.process("setup", *options, code=code, **environment)


def settings_of(user: CommandLine) -> dict[str, Any]:
    return json.loads((user.config / "settings.json").read_text())


def commands(settings: dict[str, Any]) -> dict[str, str]:
    return {event: groups[-1]["hooks"][0]["command"] for event, groups in settings["hooks"].items()}


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def install_claude(user: CommandLine, version: str) -> str:
    """Put a program `claude` that only tells its version on the search path, and return that path."""
    folder = user.root / "bin"
    folder.mkdir()
    (folder / "claude").write_text(f"#!/bin/sh\necho '{version} (Claude Code)'\n")
    (folder / "claude").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def enable_plugin(user: CommandLine, **settings: Any) -> None:
    (user.config / "plugins").mkdir()
    listed = {"version": 2, "plugins": {"sui-memory@shop": [{"scope": "user"}]}}
    (user.config / "plugins" / "installed_plugins.json").write_text(json.dumps(listed))
    chosen = {"enabledPlugins": {"sui-memory@shop": True}, **settings}
    (user.config / "settings.json").write_text(json.dumps(chosen))


def test_after_setup_the_past_is_archived_and_a_recall_is_shown(user: CommandLine):
    done = setup(user)
    assert f"Made {user.home}." in done.out
    assert "6 new" in done.out
    assert "The daemon is running." in done.out
    assert "❯ Is the CI green now?" in done.out
    assert "all 214 tests pass" in done.out
    assert list(settings_of(user)["hooks"]) == list(SCRIPTS)
    assert (user.config / "settings.json.before-sui-memory").read_bytes() == SETTINGS
    assert '"cleanupPeriodDays": 3650' in done.err
    assert "cleanupPeriodDays" not in settings_of(user)
    assert "uv tool install ." in done.err  # for the tests run in a checkout


def test_what_setup_wrote_answers_a_prompt(user: CommandLine):
    setup(user)
    asked = {
        "session_id": "7d1c3c1e-0000-4000-8000-000000000000",
        "transcript_path": str(user.config / "projects" / "x" / "new.jsonl"),
        "cwd": "/home/mio/src/tidepool",
        "hook_event_name": "UserPromptSubmit",
        "prompt": "Why did `useTide` throw E1101 after the reconnect?",
    }
    done = subprocess.run(
        ["/bin/sh", "-c", commands(settings_of(user))["UserPromptSubmit"]],
        input=json.dumps(asked).encode() + b"\n",
        capture_output=True,
        env=user.environment(),
        check=True,
    )
    assert "resetSocket" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


def test_a_second_run_changes_nothing_and_says_so(user: CommandLine):
    setup(user)
    before = files_below(user.config)
    done = setup(user)
    assert "already: nothing to change" in done.out
    assert "0 new" in done.out
    assert files_below(user.config) == before


def test_a_dry_run_shows_the_exact_change_and_does_nothing(user: CommandLine):
    before = files_below(user.root)
    shown = user("setup", "--dry-run")
    assert files_below(user.root) == before
    assert not user.home.exists()
    assert f"Would make {user.home}" in shown.err
    setup(user, "--no-backfill")
    (user.root / "old").write_bytes(SETTINGS)
    differing = subprocess.run(
        ["diff", "-u", "old", "claude/settings.json"],
        cwd=user.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.out.splitlines()[2:] == differing.stdout.splitlines()[2:]
    assert shown.out.startswith("--- ")


def test_a_dry_run_of_what_is_done_already_shows_no_change(user: CommandLine):
    setup(user, "--no-backfill")
    shown = user("setup", "--dry-run")
    assert shown.out == ""
    assert "already: nothing to change" in shown.err


def test_a_daemon_that_can_only_answer_with_an_error_is_no_end_of_setup(user: CommandLine):
    with refusing_daemon(user):
        done = setup(user)
    assert "Wrote the hooks into" in done.out
    assert "all 214 tests pass" in done.out
    assert "could not be done" not in done.err


def test_without_backfill_the_past_is_left_to_later(user: CommandLine):
    done = setup(user, "--no-backfill")
    assert "Exchanges" not in done.out
    assert user.database.exists()


def test_whoever_never_started_claude_code_is_told_what_will_happen(cli: CommandLine):
    try:
        done = setup(cli)
        assert "No transcripts yet" in done.out
        assert "Nothing to recall yet" in done.out
        assert list(settings_of(cli)["hooks"]) == list(SCRIPTS)
    finally:
        cli.process("daemon", "stop", code=None)


def test_with_project_only_the_settings_of_this_folder_are_changed(user: CommandLine):
    setup(user, "--project", "--no-backfill")
    assert (user.config / "settings.json").read_bytes() == SETTINGS
    local = json.loads((user.root / ".claude" / "settings.local.json").read_text())
    assert list(local["hooks"]) == list(SCRIPTS)


@pytest.mark.parametrize(("version", "has_args"), [("2.1.332", True), ("2.1.100", False)])
def test_the_form_is_one_that_the_installed_claude_code_understands(
    user: CommandLine, version: str, has_args: bool
):
    shown = user("setup", "--dry-run", PATH=install_claude(user, version))
    assert ('"args"' in shown.out) is has_args
    assert f'"command": "{sys.executable}"' in shown.out or not has_args


def test_after_an_upgrade_of_claude_code_the_form_is_brought_up_to_date(user: CommandLine):
    setup(user, "--no-backfill")
    setup(user, "--no-backfill", PATH=install_claude(user, "2.1.332"))
    assert set(commands(settings_of(user)).values()) == {sys.executable}
    assert all(len(groups) == 1 for groups in settings_of(user)["hooks"].values())


def test_without_claude_code_a_form_that_works_already_stays(user: CommandLine):
    setup(user, "--no-backfill", PATH=install_claude(user, "2.1.332"))
    done = setup(user, "--no-backfill")
    assert "already: nothing to change" in done.out
    assert "was not found" not in done.err
    assert set(commands(settings_of(user)).values()) == {sys.executable}


def test_without_claude_code_hooks_of_another_installation_get_the_form_that_every_version_reads(
    user: CommandLine,
):
    setup(user, "--no-backfill", PATH=install_claude(user, "2.1.332"))
    path = user.config / "settings.json"
    path.write_text(path.read_text().replace(sys.executable, "/opt/old/bin/python"))
    assert "Claude Code was not found" in user("setup", "--dry-run").err
    done = setup(user, "--no-backfill")
    assert "Claude Code was not found: the hooks are written in the form that every version" in done.err
    assert all(command.startswith(f"{sys.executable} ") for command in commands(settings_of(user)).values())


def test_where_the_plugin_brings_the_hooks_none_are_written(user: CommandLine):
    enable_plugin(user)
    before = (user.config / "settings.json").read_bytes()
    done = setup(user, "--no-backfill")
    assert "uv tool install" not in done.err
    assert "was not found" not in done.err
    assert "The plugin sui-memory@shop brings the hooks" in done.out
    assert (user.config / "settings.json").read_bytes() == before


def test_hooks_that_a_plugin_made_superfluous_are_taken_out(user: CommandLine):
    setup(user, "--no-backfill")
    enable_plugin(user, hooks=settings_of(user)["hooks"])
    done = setup(user, "--no-backfill")
    assert "has them no more" in done.out
    assert settings_of(user) == {"enabledPlugins": {"sui-memory@shop": True}}


def test_a_plugin_of_one_project_does_not_take_the_hooks_from_all_others(user: CommandLine):
    setup(user, "--no-backfill")
    hooks = settings_of(user)["hooks"]
    enable_plugin(user, hooks=hooks, enabledPlugins={})
    shared = user.root / ".claude" / "settings.json"
    shared.parent.mkdir(exist_ok=True)
    shared.write_text('{"enabledPlugins": {"sui-memory@shop": true}}')
    setup(user, "--no-backfill")
    assert settings_of(user)["hooks"] == hooks


def test_a_plugin_that_is_switched_off_counts_for_nothing(user: CommandLine):
    enable_plugin(user, enabledPlugins={"sui-memory@shop": False})
    setup(user, "--no-backfill")
    assert list(settings_of(user)["hooks"]) == list(SCRIPTS)


def test_switched_off_hooks_are_told(user: CommandLine):
    (user.config / "settings.json").write_text('{"disableAllHooks": true}')
    assert "take `disableAllHooks` out" in user("setup", "--dry-run").err


def test_settings_that_cannot_be_changed_stop_it_before_anything_is_done(user: CommandLine):
    (user.config / "settings.json").write_text('{\n  // mine\n  "model": "opus"\n}')
    before = files_below(user.root)
    done = user("setup", code=1)
    assert done.err.startswith(
        f"Error: {user.config / 'settings.json'} was left alone: it has a comment on line 2"
    )
    assert done.err.count("\n") == 1
    assert files_below(user.root) == before


def test_on_a_platform_without_unix_sockets_it_says_so(user: CommandLine, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("platform.system", lambda: "Windows")
    done = user("setup", code=1)
    assert "Hooks do not work on Windows" in done.err
    assert not user.home.exists()
