"""How Claude Code was started, as far as its memory depends on it: its hooks are not told."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

_PROCESSES = Path("/proc")  # not on macOS, which has `ps`
_PS_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Invocation:
    """What the command line said.

    An `ephemeral` session wants to leave no trace. `origin` is the session that this one was forked from:
    until its first answer a fork has no transcript that would tell.
    """

    ephemeral: bool = False
    origin: str | None = None


def invocation_of(pid: int, transcript: str | None) -> Invocation:
    """Return how a process was started that writes a transcript; nothing is known of one that is gone."""
    return understood(_arguments(pid), transcript)


def understood(arguments: Sequence[str], transcript: str | None) -> Invocation:
    """Return what Claude Code's arguments mean."""
    ephemeral = "--no-session-persistence" in arguments
    if "--fork-session" not in arguments:
        return Invocation(ephemeral)
    named = next((_session(value) for value in _values(arguments, "--resume", "-r")), None)
    continues = "--continue" in arguments or "-c" in arguments
    return Invocation(ephemeral, named or (_latest_beside(transcript) if continues else None))


def _values(arguments: Sequence[str], *names: str) -> list[str]:
    """Return the values of an option, written as one word or as two."""
    two = [after for name, after in pairwise(arguments) if name in names]
    one = [word.partition("=")[2] for word in arguments if word.partition("=")[0] in names and "=" in word]
    return [value for value in (*two, *one) if not value.startswith("-")]


def _session(value: str) -> str:
    """Return the id of a session that is named by it, or by the path of its transcript."""
    return Path(value).stem if value.endswith(".jsonl") else value


def _latest_beside(transcript: str | None) -> str | None:
    """Return the session that the folder of a transcript saw last."""
    if transcript is None:
        return None
    others = [path for path in Path(transcript).parent.glob("*.jsonl") if str(path) != transcript]
    try:
        latest = max(others, key=lambda path: path.stat().st_mtime, default=None)
    except OSError:
        return None
    return latest.stem if latest else None


def _arguments(pid: int) -> list[str]:
    try:
        if _PROCESSES.is_dir():
            return (_PROCESSES / str(pid) / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        shown = subprocess.run(  # noqa: S603 - a fixed program and a number
            ["/bin/ps", "-ww", "-o", "args=", "-p", str(pid)],
            capture_output=True, text=True, timeout=_PS_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return []
    return shown.stdout.split()
