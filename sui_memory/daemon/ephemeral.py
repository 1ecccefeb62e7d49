"""Sessions that ask to leave no trace: Claude Code started with `--no-session-persistence`."""

from __future__ import annotations

import subprocess
from pathlib import Path

_FLAG = "--no-session-persistence"
_PROCESSES = Path("/proc")  # not on macOS, which has `ps`
_PS_SECONDS = 0.5


def is_ephemeral(pid: int) -> bool:
    """Say whether the process was started with the flag; False when that cannot be known."""
    return _FLAG in _arguments(pid)


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
