from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from sui_memory.config import Settings
from sui_memory.setup.failure import SetupError
from sui_memory.setup.handlers import (
    SCRIPTS,
    Launcher,
    check_platform,
    checkout_of,
    claude_version,
    find_launcher,
    is_ours,
    will_vanish,
)
from sui_memory.setup.splice import with_hooks

ROOT = Path(__file__).parents[2]
LAUNCHER = Launcher("/opt/my tools/python", "/opt/my tools/hooks", "/data/$HOME/my `memory`")


@pytest.fixture
def search_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole search path, in a home without anything."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


def install_claude(folder: Path, script: str) -> None:
    (folder / "claude").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "claude").chmod(0o755)


@pytest.mark.parametrize(
    ("script", "version"),
    [
        ("echo '2.1.332 (Claude Code)'", (2, 1, 332)),
        ("echo 'a new version is there!'; echo 2.0.77", (2, 0, 77)),
        ("echo 2.1.332; exit 1", None),
        ("echo hello", None),
        ("kill -9 $$", None),
    ],
)
def test_the_version_of_claude_code_is_what_it_says(
    search_path: Path, script: str, version: tuple[int, ...] | None
):
    install_claude(search_path, script)
    assert claude_version() == version


def test_without_claude_code_its_version_is_unknown(search_path: Path):
    assert claude_version() is None


@pytest.mark.parametrize(("version", "has_args"), [("2.1.138", False), ("2.1.139", True), ("3.0.0", True)])
def test_arguments_without_a_shell_are_for_versions_that_know_them(
    search_path: Path, version: str, has_args: bool
):
    install_claude(search_path, f"echo '{version} (Claude Code)'")
    groups = find_launcher(Settings(search_path / "home" / ".sui-memory")).groups()
    assert {"args" in group["hooks"][0] for group in groups.values()} == {has_args}


def test_a_shell_gives_the_script_the_very_words():
    for event in SCRIPTS:
        command = LAUNCHER.group(event)["hooks"][0]["command"]
        shown = subprocess.run(
            ["/bin/sh", "-c", f"printf '%s\\n' {command}"], capture_output=True, check=True
        )
        assert shown.stdout.decode().splitlines() == LAUNCHER.words(event)


def test_both_forms_run_the_same_words():
    direct = Launcher(LAUNCHER.python, LAUNCHER.scripts, LAUNCHER.home, without_shell=True)
    for event in SCRIPTS:
        handler = direct.group(event)["hooks"][0]
        shell = LAUNCHER.group(event)["hooks"][0]
        assert [handler["command"], *handler["args"]] == shlex.split(shell["command"])
        assert handler["timeout"] == shell["timeout"] == 10


def test_the_home_is_named_only_where_it_is_another(search_path: Path):
    usual = find_launcher(Settings(search_path / "home" / ".sui-memory"))
    assert usual.words("Stop")[-1] == sys.executable
    assert find_launcher(Settings(search_path / "else")).words("Stop")[-1] == str(search_path / "else")


def test_the_scripts_are_there_and_the_interpreter_runs_them(search_path: Path):
    launcher = find_launcher(Settings(search_path / "home" / ".sui-memory"))
    for event in SCRIPTS:
        words = launcher.words(event)
        assert Path(words[5]).is_file()
        assert os.access(words[0], os.X_OK)


def test_a_script_that_is_gone_does_not_stop_a_prompt(tmp_path: Path):
    command = Launcher(sys.executable, str(tmp_path / "gone")).group("UserPromptSubmit")["hooks"][0][
        "command"
    ]
    done = subprocess.run(["/bin/sh", "-c", command], input=b"{}\n", capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("without_shell", [True, False])
def test_our_own_handlers_are_recognised_wherever_they_are(without_shell: bool):
    for scripts in ("/code/app/hooks", "/usr/lib/python3/sui_memory/hooks", "/code/sui-memory-1.2/hooks"):
        launcher = Launcher("/usr/bin/python3", scripts, without_shell=without_shell)
        for group in launcher.groups().values():
            assert is_ours(group["hooks"][0])


@pytest.mark.parametrize(
    "handler",
    [
        {"command": "python3 /code/app/hooks/stop.py"},
        {"command": "python3 /code/sui-memory/.claude/hooks/stop.py"},
        {"command": "python3", "args": ["/code/app/hooks/session_start.py", "x"]},
        {"command": "python3 /code/sui-memory/hooks/lint.py"},
        {"command": "echo 'unbalanced"},
        {"command": 7},
        {"type": "http", "url": "http://localhost/hooks/stop.py"},
        "hooks/stop.py",
        None,
    ],
)
def test_handlers_of_others_are_not_ours(handler: object):
    assert not is_ours(handler)


@pytest.mark.parametrize(
    ("python", "vanishes"),
    [
        ("/home/mio/.cache/uv/archive-v0/AbC/bin/python", True),
        ("/home/mio/.local/share/pipx/.cache/0f/bin/python", True),
        ("/tmp/venv/bin/python", True),
        ("/home/mio/.local/share/uv/tools/sui-memory/bin/python", False),
        ("/code/app/.venv/bin/python", False),
    ],
)
def test_an_interpreter_that_will_be_cleaned_up_is_known(python: str, vanishes: bool):
    assert will_vanish(python) is vanishes


def test_a_checkout_is_told_from_an_installation(tmp_path: Path):
    assert checkout_of(str(ROOT / "hooks")) == ROOT
    assert checkout_of(str(tmp_path / "site-packages" / "sui_memory" / "hooks")) is None


def test_a_form_that_works_may_stay_only_while_the_version_is_unknown():
    unknown = Launcher("/usr/bin/python3", "/code/app/hooks", without_shell=None)
    old, new = (Launcher("/usr/bin/python3", "/code/app/hooks", without_shell=has) for has in (False, True))
    assert unknown.forms() == [old.groups(), new.groups()]
    assert (old.forms(), new.forms()) == ([old.groups()], [new.groups()])


def test_a_platform_without_unix_sockets_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("platform.system", lambda: "Windows")
    with pytest.raises(SetupError, match="Windows"):
        check_platform()


def test_the_example_is_what_setup_writes():
    launcher = Launcher("/path/to/python", "/path/to/sui_memory/hooks")
    example = (ROOT / "settings.example.json").read_text(encoding="utf-8")
    assert example == with_hooks("", launcher.groups(), is_ours)


def test_setup_and_plugin_hook_the_same_events():
    plugin = json.loads((ROOT / "hooks" / "hooks.json").read_text(encoding="utf-8"))
    assert list(plugin["hooks"]) == list(SCRIPTS)
