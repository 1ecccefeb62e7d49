"""The hooks as Claude Code wants them: one handler for each event, and how ours are recognised."""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import sui_memory
from sui_memory.config import Settings
from sui_memory.setup.failure import SetupError
from sui_memory.setup.splice import Group
from sui_memory.store.sqlite.lessons import tools_in

SCRIPTS = {
    "SessionStart": "session_start.py",
    "UserPromptSubmit": "user_prompt_submit.py",
    "Stop": "stop.py",
    "PreCompact": "pre_compact.py",
    "SessionEnd": "session_end.py",
}
"""Event → script. Only events that 2.0.77 knows: it passes over a whole file with an unknown one."""

TOOL_EVENT, TOOL_SCRIPT = "PreToolUse", "pre_tool_use.py"
"""The event before a tool runs, hooked for the tools that lessons name, and not at all while none does."""

TIMEOUT_SECONDS = 10
"""Far more than a hook takes. SessionEnd gets 1.5 s without a timeout of its own, and a prompt 30."""

FLAGS = ("-I", "-S")
"""No environment, no site-packages: a bare interpreter starts in 7 ms, one with .pth files in 8 to 30."""

RUN = (
    "import sys;sys.excepthook=lambda*_:sys.exit(0);f,_,n=sys.argv.pop(1).rpartition('/');"
    "sys.path.insert(0,f);__import__(n[:-3])"
)
"""Runs the script that the next argument names, and nothing when it is gone. Told to run a file that is not
there, Python ends with 2, which to Claude Code means that the prompt must not go through."""

ARGS_SINCE = (2, 1, 139)
"""The first Claude Code that runs `args` without a shell; older ones run the bare `command`."""

_VERSION_SECONDS = 10
_VANISHING = re.compile(r"/uv/(?:archive|builds|environments)-v\d+/|/pipx/\.cache/")
"""Where uv and pipx keep what they run once, and clean up later."""


@dataclass(frozen=True, slots=True)
class Launcher:
    """What the hooks run: an interpreter that has sui-memory, the folder of the scripts, and the home.

    `home` is None where it is the usual one. `without_shell` says that Claude Code knows `args`; None says
    that its version is not known. `tools` are those that lessons name.
    """

    python: str
    scripts: str
    home: str | None = None
    without_shell: bool | None = False
    tools: tuple[str, ...] = ()

    def words(self, event: str) -> list[str]:
        """Return the command of an event: the script is told which interpreter starts the daemon."""
        script = f"{self.scripts}/{SCRIPTS[event]}"
        return [self.python, *FLAGS, "-c", RUN, script, self.python, *([self.home] if self.home else [])]

    def group(self, event: str) -> Group:
        """Return the entry of an event in `hooks`."""
        words = self.words(event)
        how: dict[str, Any] = {"command": shlex.join(words)}
        if self.without_shell:
            how = {"command": words[0], "args": words[1:]}
        return {"hooks": [{"type": "command", **how, "timeout": TIMEOUT_SECONDS}]}

    def groups(self) -> dict[str, Group]:
        """Return event → entry, for all events, and for that before tools where lessons name some."""
        groups = {event: self.group(event) for event in SCRIPTS}
        return groups | tool_groups(groups["UserPromptSubmit"], self.tools)

    def forms(self) -> list[dict[str, Group]]:
        """Return the groups to write, then those that may stay where they are: a form that works already."""
        if self.without_shell is not None:
            return [self.groups()]
        return [self.groups(), replace(self, without_shell=True).groups()]


def tool_groups(prompts: Group, tools: Sequence[str]) -> dict[str, Group]:
    """Return the entry before tools, made like the one of prompts; nothing where there are no tools."""
    if not tools:
        return {}
    like = json.dumps(prompts).replace(SCRIPTS["UserPromptSubmit"], TOOL_SCRIPT)
    return {TOOL_EVENT: {"matcher": "|".join(tools), **json.loads(like)}}


def check_platform() -> None:
    """Raise `SetupError` where hooks cannot reach a daemon: Python has no Unix sockets there."""
    system = platform.system()
    if system not in {"Linux", "Darwin"}:
        raise SetupError(f"Hooks do not work on {system}, which has no Unix sockets for Python: use WSL.")


def find_launcher(settings: Settings) -> Launcher:
    """Return the launcher of this installation; `SetupError` when it has no hooks."""
    if not sys.executable:
        raise SetupError("The Python interpreter that runs this is unknown: install sui-memory in a venv.")
    usual = Path.home() / ".sui-memory"
    home = None if settings.home == usual else str(settings.home)
    version = claude_version()
    without_shell = None if version is None else version >= ARGS_SINCE
    tools = tools_in(settings.database)
    return Launcher(sys.executable, str(scripts_folder()), home, without_shell, tools)


def scripts_folder() -> Path:
    """Return the folder of the hook scripts: inside the package in a wheel, beside it in a checkout."""
    package = Path(sui_memory.__file__).absolute().parent
    for folder in (package / "hooks", package.parent / "hooks"):
        if all((folder / script).is_file() for script in (*SCRIPTS.values(), TOOL_SCRIPT)):
            return folder
    raise SetupError(f"The hook scripts are missing in {package / 'hooks'}: install sui-memory anew.")


def checkout_of(scripts: str) -> Path | None:
    """Return the checkout that a folder of hook scripts belongs to; None when they are installed."""
    folder = Path(scripts).parent
    return folder if (folder / "pyproject.toml").is_file() else None


def find_claude() -> str | None:
    """Return the program that a terminal would start as Claude Code, if there is one."""
    # Where its own installers put it, for whoever has not started a new shell since.
    homes = (Path.home() / ".local/bin/claude", Path.home() / ".claude/local/claude")
    return shutil.which("claude") or next((str(path) for path in homes if os.access(path, os.X_OK)), None)


def claude_version() -> tuple[int, ...] | None:
    """Return the version of Claude Code that a terminal would start, if it is there and says so in time."""
    program = find_claude()
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - the program that the user calls claude
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_VERSION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(rb"(\d+)\.(\d+)\.(\d+)", done.stdout)
    return tuple(map(int, found.groups())) if found and done.returncode == 0 else None


def will_vanish(python: str) -> bool:
    """Say whether an interpreter lives where it is cleaned up without a word."""
    temporary = {"/tmp", "/var/tmp", tempfile.gettempdir()}  # noqa: S108 - nothing is written there
    return bool(_VANISHING.search(python)) or any(python.startswith(f"{folder}/") for folder in temporary)


def words_of(handler: Any) -> list[str]:
    """Return the words of the command that a handler runs, in either form; none if it has no command."""
    command = handler.get("command") if isinstance(handler, dict) else None
    if not isinstance(command, str):
        return []
    args = handler.get("args")
    if isinstance(args, list):
        return [command, *map(str, args)]
    try:
        return shlex.split(command)
    except ValueError:
        return []


def is_ours(handler: Any) -> bool:
    """Say whether a handler runs one of our scripts, of this or of another installation.

    Other tools, too, have a `hooks/stop.py`. Ours lies in a folder of our name, or is told, as no other
    is, the interpreter that runs it.
    """
    words = words_of(handler)
    at = script_index(words)
    if at is None:
        return False
    owner = PurePosixPath(words[at]).parent.parent.name.replace("_", "-").lower()
    return owner.startswith("sui-memory") or words[at + 1 : at + 2] == words[:1]


def is_tool_hook(handler: Any) -> bool:
    """Say whether a handler is ours, and the one that runs before tools."""
    words = words_of(handler)
    at = script_index(words)
    return at is not None and PurePosixPath(words[at]).name == TOOL_SCRIPT and is_ours(handler)


def serves(handler: Any, home: Path) -> bool:
    """Say whether a handler is ours, and of the archive in a home folder."""
    words = words_of(handler)
    at = script_index(words)
    return at is not None and home_of(words, at) == home and is_ours(handler)


def home_of(words: list[str], at: int) -> Path:
    """Return the archive's folder that a command names after its script (the word `at`), or the usual one."""
    home = words[at + 2] if len(words) > at + 2 else ""
    return Path(home) if home else Path.home() / ".sui-memory"


def script_index(words: list[str]) -> int | None:
    """Return which word of a command is a path that could be one of our scripts."""
    for number, word in enumerate(words):
        path = PurePosixPath(word)
        if path.name in {*SCRIPTS.values(), TOOL_SCRIPT} and path.parent.name == "hooks":
            return number
    return None
