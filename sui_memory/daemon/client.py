"""Speaks with the daemon, for everything that is not a hook: starts it, asks it, ends it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sui_memory.config import Settings
from sui_memory.daemon.place import SOCKET_NAME, lock_holder
from sui_memory.daemon.protocol import Request, encode
from sui_memory.errors import DaemonError

if TYPE_CHECKING:
    from sui_memory.recall import Recollection
    from sui_memory.searching import Found
    from sui_memory.types import Scope

_ASK_SECONDS = 2.0
_SEARCH_SECONDS = 30.0  # a large model may have to be loaded first
_REREADING_SECONDS = 180.0  # a reranker of 300 million parameters reads twenty passages
_START_SECONDS = 10.0
_STOP_SECONDS = 10.0
_KILL_SECONDS = 2.0
_PAUSE_SECONDS = 0.02
_LONGEST_PATH = 100  # bytes of a socket's path that every system takes
_KEPT = (
    "HOME", "PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "USER", "LOGNAME", "LD_LIBRARY_PATH", "PYENV_ROOT",
    "PYENV_VERSION", "UV_CACHE_DIR", "CLAUDE_CONFIG_DIR", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE",
)  # fmt: skip
_KEPT_PREFIXES = ("LC_", "XDG_", "SUI_MEMORY_", "OPENBLAS_", "OMP_")
"""What the daemon may know of the environment: no token of anybody's. `hooks/_client.py` keeps the same."""


def ask(settings: Settings, request: Request, *, seconds: float = _ASK_SECONDS) -> dict[str, Any] | None:
    """Return the daemon's reply, or None when no daemon answers; what it refuses is a `DaemonError`."""
    try:
        reply = _exchange(settings.home, encode(request), seconds)
    except OSError:
        return None
    if not reply.endswith(b"\n"):
        return None
    said = json.loads(reply)
    if "error" in said:
        raise DaemonError(str(said["error"]))
    return dict(said)


def status(settings: Settings) -> dict[str, Any] | None:
    """Return what the daemon says of itself; None when there is none that answers."""
    return ask(settings, Request("status"))


def search(settings: Settings, text: str, scope: Scope, *, limit: int, offset: int) -> Found | None:
    """Return what the daemon finds, with the model it holds; None when no daemon answers."""
    from sui_memory.daemon import wire

    body = json.dumps({"text": text, "scope": wire.scope_to_json(scope)}).encode()
    options = {"limit": str(limit), "offset": str(offset)}
    seconds = _SEARCH_SECONDS if settings.reranker == "none" else _REREADING_SECONDS
    said = ask(settings, Request("search", options, body), seconds=seconds)
    return None if said is None else wire.found_from_json(said)


def recall(settings: Settings, text: str, project: str | None, *, limit: int) -> Recollection | None:
    """Return what a prompt of this text would be shown in a project; None when no daemon answers."""
    from sui_memory.daemon import wire

    body = json.dumps({"text": text, "project": project}).encode()
    said = ask(settings, Request("recall", {"limit": str(limit)}, body), seconds=_SEARCH_SECONDS)
    return None if said is None else wire.recollection_from_json(said)


def embed(settings: Settings) -> bool:
    """Have the daemon make the missing vectors; False when no daemon answers."""
    return ask(settings, Request("embed")) is not None


def start(settings: Settings, *, seconds: float = _START_SECONDS) -> bool:
    """Start the daemon, unless it runs, and wait until it answers; False when it does not.

    One of another version, or one that can do nothing any more, is replaced.
    """
    if _serves(settings):
        return True
    stop(settings)
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", "sui_memory", "daemon", "run"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=_environment(settings),
    )
    _within(seconds, lambda: bool(child.poll()) or _serves(settings))
    child.returncode = child.returncode or 0  # it lives on: Python need not warn that nobody waits for it
    return _serves(settings)


def _serves(settings: Settings) -> bool:
    """Say whether a daemon of this version answers."""
    try:
        said = status(settings)
    except DaemonError:
        return False
    return said is not None and said["version"] == version("sui-memory")


def stop(settings: Settings) -> bool:
    """End the daemon and wait until it is gone; True when there was one.

    One that does not listen is killed: the archive stands that at any moment.
    """
    holder = lock_holder(settings)
    if holder is None:
        return False
    if not _takes_leave(settings):
        _kill(holder, signal.SIGTERM)
    if not _within(_STOP_SECONDS, lambda: lock_holder(settings) != holder):
        _kill(holder, signal.SIGKILL)
        _within(_KILL_SECONDS, lambda: lock_holder(settings) != holder)
    return True


def _takes_leave(settings: Settings) -> bool:
    try:
        return ask(settings, Request("stop")) is not None
    except DaemonError:
        return False


def _kill(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except OSError as error:
        raise DaemonError(f"The daemon (process {pid}) cannot be ended ({error.strerror}).") from error


def _within(seconds: float, is_so: Callable[[], bool]) -> bool:
    until = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > until:
            return False
        time.sleep(_PAUSE_SECONDS)
    return True


def is_kept(name: str) -> bool:
    """Say whether the daemon may have a variable of the environment."""
    return name in _KEPT or name.startswith(_KEPT_PREFIXES)


def _environment(settings: Settings) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if is_kept(name)}
    return {**kept, "SUI_MEMORY_HOME": str(settings.home), "SUI_MEMORY_CHILD": "1"}


def _exchange(home: Path, message: bytes, seconds: float) -> bytes:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(seconds)
        with _address(home) as address:
            connection.connect(address)
        connection.sendall(message)
        connection.shutdown(socket.SHUT_WR)
        parts = []
        while part := connection.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


@contextmanager
def _address(home: Path) -> Iterator[str]:
    """Give the socket's address: its path, or where that is too long its name, from inside the folder."""
    path = str(home / SOCKET_NAME)
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        yield path
        return
    before = os.open(".", os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.chdir(home)
        yield SOCKET_NAME
    finally:
        os.fchdir(before)
        os.close(before)
