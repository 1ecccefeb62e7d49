"""Checks of the daemon and its socket."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sui_memory.cli.checks.finding import Finding, State
from sui_memory.config import Settings
from sui_memory.errors import DaemonError

_MINUTE = 60
_STOP = "run `sui-memory daemon stop`; the next session starts this version."


def check_daemon(settings: Settings) -> Iterator[Finding]:
    """Yield whether the daemon runs, in this version, and whether its socket is what it should be."""
    from sui_memory.daemon import client
    from sui_memory.daemon.place import SOCKET_NAME, lock_holder

    socket = settings.home / SOCKET_NAME
    try:
        said = client.status(settings)
    except (DaemonError, ValueError):
        what = "it answers with an error, as when the program it was started from is gone"
        yield Finding("daemon", State.PROBLEM, what, _STOP)
        return
    holder = lock_holder(settings)
    if said is not None:
        yield _running(said)
    elif holder is not None:
        what = f"process {holder} is there but does not answer"
        yield Finding("daemon", State.PROBLEM, what, _STOP)
    else:
        advice = "nothing: it starts with the next session of Claude Code."
        yield Finding("daemon", State.NOTE, "it does not run now", advice)
    yield from _socket(socket, answers=said is not None)


def _running(said: dict[str, Any]) -> Finding:
    lasting = _lasting(int(said.get("uptime_seconds", 0)))
    found = f"version {said.get('version')} has run for {lasting} (process {said.get('pid')})"
    if said.get("version") != version("sui-memory"):
        return Finding("daemon", State.NOTE, f"{found}, which is not this version", _STOP)
    return Finding("daemon", State.OK, found)


def _lasting(seconds: int) -> str:
    minutes = seconds // _MINUTE
    if minutes == 0:
        return "less than a minute"
    return "1 minute" if minutes == 1 else f"{minutes:,} minutes"


def _socket(path: Path, *, answers: bool) -> Iterator[Finding]:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return
    if not stat.S_ISSOCK(mode):
        advice = f"move {path} away: the daemon cannot start before."
        yield Finding("socket", State.PROBLEM, f"{path} is no socket", advice)
    elif stat.S_IMODE(mode) & 0o077:
        what = f"{path} is open to other users (mode {stat.S_IMODE(mode):04o})"
        yield Finding("socket", State.PROBLEM, what, f"run `chmod 600 {path}`.")
    elif not answers:
        yield Finding(
            "socket", State.NOTE, f"{path} was left behind", "nothing: the next daemon replaces it."
        )
    else:
        yield Finding("socket", State.OK, f"{path}, closed to others")
