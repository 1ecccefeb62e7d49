from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from sui_memory.config import Settings
from sui_memory.daemon import client
from tests.builders import SESSIONS, CommandLine

SETTINGS = b'{\n  "model": "opus",\n  "permissions": {"allow": ["Bash(ls:*)"]}\n}'


@pytest.fixture
def user(cli: CommandLine) -> Iterator[CommandLine]:
    """Somebody for whom everything is set up and running."""
    cli.write(*SESSIONS)
    (cli.config / "settings.json").write_bytes(SETTINGS)
    cli.process("setup")
    yield cli
    cli.process("daemon", "stop", code=None)


def names(user: CommandLine) -> list[str]:
    """Return what is in the home folder."""
    return sorted(path.name for path in user.home.iterdir())


def test_everything_but_the_archive_goes_and_the_settings_are_as_before(user: CommandLine):
    done = user("uninstall")
    assert "Stopped the daemon." in done.out
    assert "The archive stays" in done.out
    assert names(user) == ["memory.db"]
    assert (user.config / "settings.json").read_bytes() == SETTINGS
    assert sorted(path.name for path in user.config.iterdir()) == ["projects", "settings.json"]
    assert client.status(Settings(user.home)) is None


def test_a_second_time_it_finds_nothing_to_do(user: CommandLine):
    user("uninstall")
    done = user("uninstall")
    assert "There are no hooks of ours" in done.out
    assert "Stopped" not in done.out


def test_where_nothing_was_ever_set_up_nothing_happens(cli: CommandLine):
    done = cli("uninstall", "--purge", "--yes")
    assert f"There is no {cli.config / 'settings.json'}" in done.out
    assert f"There is no {cli.home}: nothing had to be deleted." in done.out
    assert list(cli.root.iterdir()) == []


def test_what_was_set_since_stays(user: CommandLine):
    path = user.config / "settings.json"
    settings = {**json.loads(path.read_text()), "cleanupPeriodDays": 3650}
    path.write_text(json.dumps(settings, indent=2))
    user("uninstall")
    del settings["hooks"]
    assert path.read_text() == json.dumps(settings, indent=2)


def test_a_dry_run_shows_the_change_and_does_nothing(user: CommandLine):
    before = (user.config / "settings.json").read_bytes()
    shown = user("uninstall", "--purge", "--dry-run")
    assert '-  "hooks": {\n' in shown.out
    assert f"Would delete {user.database}" in shown.err
    assert (user.config / "settings.json").read_bytes() == before
    assert client.status(Settings(user.home)) is not None


@pytest.mark.parametrize("answer", ["n\n", "\n", ""])
def test_purge_asks_first_and_no_means_no(user: CommandLine, answer: str):
    done = user("uninstall", "--purge", stdin=answer, code=1)
    assert "for good" in done.err
    assert done.err.endswith("\nNothing was changed: hooks and archive are as they were.\n")
    assert user.database.exists()
    assert b"session_end.py" in (user.config / "settings.json").read_bytes()


@pytest.mark.parametrize(("options", "answer"), [(("--yes",), ""), ((), "y\n")])
def test_purge_leaves_no_trace(user: CommandLine, options: tuple[str, ...], answer: str):
    (user.home / "config.toml").write_text('model = "none"\n')
    (user.home / "models").mkdir()
    (user.home / "models" / "weights").write_text("")
    user("uninstall", "--purge", *options, stdin=answer)
    assert not user.home.exists()
    assert (user.config / "settings.json").read_bytes() == SETTINGS


def test_purge_leaves_what_is_not_ours(user: CommandLine):
    (user.home / "diary.txt").write_text("dear diary")
    done = user("uninstall", "--purge", "--yes")
    assert names(user) == ["diary.txt"]
    assert "diary.txt" in done.out


def test_what_was_set_up_for_one_project_is_taken_out_there(user: CommandLine):
    user.process("setup", "--project", "--no-backfill")
    user("uninstall", "--project")
    assert not (user.root / ".claude").exists()
    assert b"session_end.py" in (user.config / "settings.json").read_bytes()
    assert client.status(Settings(user.home)) is not None


def test_a_project_cannot_purge_the_archive_of_all(user: CommandLine):
    assert "--project" in user("uninstall", "--project", "--purge", code=2).err
    assert user.database.exists()


def test_broken_settings_of_our_own_keep_nobody_from_leaving(user: CommandLine):
    (user.home / "config.toml").write_text("colour = 'blue'\n")
    user("uninstall", "--purge", "--yes")
    assert not user.home.exists()


def test_a_plugin_that_stays_is_told(user: CommandLine):
    user("uninstall")
    (user.config / "plugins").mkdir()
    (user.config / "plugins" / "installed_plugins.json").write_text('{"plugins": {"sui-memory@shop": []}}')
    (user.config / "settings.json").write_text('{"enabledPlugins": {"sui-memory@shop": true}}')
    assert "`claude plugin uninstall sui-memory@shop`" in user("uninstall").err
