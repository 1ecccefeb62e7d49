"""The hook before tools comes with the first lesson that names one and goes with the last, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sui_memory.setup.before_tools import hook_tools, hooks_tools, other_home, with_tools
from sui_memory.setup.edit import install, installation, removal, remove
from sui_memory.setup.failure import SetupError
from sui_memory.setup.handlers import Launcher, is_ours, is_tool_hook
from sui_memory.setup.settings_file import SettingsFile
from tests.setup.test_edit import LAYOUTS

PLAIN = Launcher("/opt/app/bin/python", "/opt/app/sui_memory/hooks")
DIRECT = Launcher("/opt/app/bin/python", "/opt/app/sui_memory/hooks", "/memories", without_shell=True)
THEIR_TOOL = (
    b'{\n  "hooks": {\n    "PreToolUse": [{"hooks": [{"type": "command", "command": "say"}]}]\n  }\n}\n'
)


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SettingsFile:
    (tmp_path / "claude").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    return SettingsFile(tmp_path / "claude" / "settings.json")


@pytest.mark.parametrize("content", [*LAYOUTS.values(), THEIR_TOOL], ids=[*LAYOUTS, "hooks before tools"])
@pytest.mark.parametrize("launcher", [PLAIN, DIRECT])
def test_what_comes_with_a_lesson_goes_with_it(
    user: SettingsFile, tmp_path: Path, content: bytes, launcher: Launcher
) -> None:
    home = Path(launcher.home or tmp_path / ".sui-memory")
    user.path.write_bytes(content)
    install(installation(user, launcher.groups()))
    before = user.path.read_bytes()

    assert [edit.file.path for edit in hook_tools(["Bash", "Write"], home, tmp_path)] == [user.path]
    (ours,) = (
        group
        for group in json.loads(user.path.read_text("utf-8-sig"))["hooks"]["PreToolUse"]
        if is_ours(group["hooks"][0])
    )
    assert ours["matcher"] == "Bash|Write"
    assert is_tool_hook(ours["hooks"][0])
    assert hook_tools(["Bash", "Write"], home, tmp_path) == []

    hook_tools(["Bash"], home, tmp_path)
    assert "Write" not in user.path.read_text("utf-8-sig").replace("Wrote", "")
    hook_tools([], home, tmp_path)
    assert user.path.read_bytes() == before


@pytest.mark.parametrize("content", [*LAYOUTS.values(), THEIR_TOOL, None])
def test_uninstalling_takes_it_out_too(user: SettingsFile, tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        user.path.write_bytes(content)
    install(installation(user, PLAIN.groups()))
    hook_tools(["Bash"], tmp_path / ".sui-memory", tmp_path)
    remove(removal(user))
    assert (user.path.read_bytes() if user.path.exists() else None) == content


def test_setting_up_again_keeps_it(user: SettingsFile, tmp_path: Path) -> None:
    install(installation(user, PLAIN.groups()))
    hook_tools(["Bash"], tmp_path / ".sui-memory", tmp_path)
    with_it = Launcher(PLAIN.python, PLAIN.scripts, tools=("Bash",))
    assert installation(user, with_it.groups()).is_empty
    install(installation(user, PLAIN.groups()))
    assert "PreToolUse" not in json.loads(user.path.read_text())["hooks"]


def test_it_is_made_like_the_hook_of_prompts(user: SettingsFile, tmp_path: Path) -> None:
    install(installation(user, DIRECT.groups()))
    hook_tools(["Bash"], Path("/memories"), tmp_path)
    hooks = json.loads(user.path.read_text())["hooks"]
    (prompts,), (tools,) = hooks["UserPromptSubmit"], hooks["PreToolUse"]
    assert tools["hooks"][0]["args"] == [
        word.replace("user_prompt_submit", "pre_tool_use") for word in prompts["hooks"][0]["args"]
    ]
    assert tools["hooks"][0]["timeout"] == 10


def test_settings_without_our_hooks_are_left_alone(user: SettingsFile, tmp_path: Path) -> None:
    assert hook_tools(["Bash"], tmp_path / ".sui-memory", tmp_path) == []
    assert not user.path.exists()
    user.path.write_bytes(THEIR_TOOL)
    assert hook_tools(["Bash"], tmp_path / ".sui-memory", tmp_path) == []
    assert user.path.read_bytes() == THEIR_TOOL


def test_settings_of_a_project_get_it_where_our_hooks_are(user: SettingsFile, tmp_path: Path) -> None:
    own = SettingsFile(tmp_path / "project" / ".claude" / "settings.local.json")
    own.path.parent.mkdir(parents=True)
    install(installation(own, PLAIN.groups()))
    assert [
        edit.file.path for edit in hook_tools(["Bash"], tmp_path / ".sui-memory", tmp_path / "project")
    ] == [own.path]
    assert not user.path.exists()


def test_settings_that_are_no_json_are_left_alone(user: SettingsFile, tmp_path: Path) -> None:
    user.path.write_bytes(b"{,}")
    with pytest.raises(SetupError, match="was left alone"):
        hook_tools(["Bash"], tmp_path / ".sui-memory", tmp_path)
    assert user.path.read_bytes() == b"{,}"


def test_a_hook_of_ours_that_others_share_a_group_with_leaves_theirs() -> None:
    handler = PLAIN.group("UserPromptSubmit")["hooks"][0]
    text = json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [{"command": "say"}, handler]}]}})
    hooks = json.loads(with_tools(text, ["Bash"], Path.home() / ".sui-memory"))["hooks"]
    assert [len(group["hooks"]) for group in hooks["UserPromptSubmit"]] == [2]
    assert [len(group["hooks"]) for group in hooks["PreToolUse"]] == [1]


def test_hooks_that_serve_another_archive_are_left_alone(user: SettingsFile, tmp_path: Path) -> None:
    install(installation(user, DIRECT.groups()))
    hook_tools(["Bash"], Path("/memories"), tmp_path)
    before = user.path.read_bytes()
    elsewhere = tmp_path / "elsewhere"
    assert hook_tools(["Edit"], elsewhere, tmp_path) == hook_tools([], elsewhere, tmp_path) == []
    assert user.path.read_bytes() == before
    assert not hooks_tools(elsewhere, tmp_path)
    assert hooks_tools(Path("/memories"), tmp_path)
    assert other_home(elsewhere, tmp_path) == Path("/memories")
    assert other_home(Path("/memories"), tmp_path) is None
