"""The two ends of a hook: Claude Code, which runs it, and a daemon made of a thread or of a script."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

HOOKS = Path(__file__).parents[2] / "hooks"
"""Where the scripts are."""

SECONDS = 60
"""How long a test waits for what must come; nothing is as slow as that."""

ANSWER = b'{"hookSpecificOutput": {"hookEventName": "UserPromptSubmit"}}\n'
"""A whole answer of the daemon's."""

Conversation = Callable[[socket.socket, bytes], None]


_LIMITS = re.compile(r"^(_ASK_SECONDS|_TELL_SECONDS) = [0-9.]+", re.MULTILINE)
_patient: list[Path] = []


def make_patient(folder: Path) -> None:
    """Copy the hooks with more time to themselves: what must arrive arrives on the slowest machine."""
    shutil.copytree(HOOKS, folder / "hooks", ignore=shutil.ignore_patterns("__pycache__"))
    client = folder / "hooks" / "_client.py"
    changed, count = _LIMITS.subn(rf"\1 = {SECONDS / 2}", client.read_text(encoding="utf-8"))
    assert count == 2
    client.write_text(changed, encoding="utf-8")
    _patient[:] = [folder / "hooks"]


def patient_hooks() -> Path:
    """Return the folder of those copies."""
    return _patient[0]


def command(script: str, *arguments: object, hooks: Path | None = None) -> list[str]:
    """Return how Claude Code is told to run a hook: a patient one, unless from another folder."""
    path = (hooks or patient_hooks()) / f"{script}.py"
    return [sys.executable, "-I", "-S", str(path), *map(str, arguments)]


def run(
    script: str, stdin: bytes | int, *arguments: object, home: Path | None = None, **environment: str
) -> bytes:
    """Run a hook on its input, or on an open file, and return what it prints."""
    given: dict[str, Any] = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
    chosen = environment if home is None else {"SUI_MEMORY_HOME": str(home), **environment}
    return _ends_well(command(script, *arguments), chosen, **given)


def run_as_it_is(script: str, stdin: bytes | int, *arguments: object, home: Path) -> bytes:
    """Run a hook that has to come to an end by its own limit."""
    given: dict[str, Any] = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
    return _ends_well(command(script, *arguments, hooks=HOOKS), {"SUI_MEMORY_HOME": str(home)}, **given)


def run_redirected(script: str, stdin: bytes, redirection: str, *arguments: object, home: Path) -> bytes:
    """Run a hook below a shell that closes or turns its streams, and return what still reached stdout."""
    words = ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", *command(script, *arguments)]
    return _ends_well(words, {"SUI_MEMORY_HOME": str(home)}, input=stdin)


def run_unread(script: str, stdin: bytes, *, home: Path) -> None:
    """Run a hook whose stdout nobody reads any more."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        _ends_well(command(script), {"SUI_MEMORY_HOME": str(home)}, input=stdin, stdout=writer)
    finally:
        os.close(writer)


def running(script: str, home: Path) -> subprocess.Popen[bytes]:
    """Start a hook whose streams are all in the hands of the test."""
    pipe = subprocess.PIPE
    environment = clean({"SUI_MEMORY_HOME": str(home)})
    return subprocess.Popen(command(script), stdin=pipe, stdout=pipe, stderr=pipe, env=environment)


def _ends_well(words: list[str], environment: Mapping[str, str], **options: Any) -> bytes:
    """Run a process that has to end with 0 and to complain of nothing."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": SECONDS, **options}
    done = subprocess.run(words, env=clean(environment), check=False, **options)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout or b""


def clean(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which no program but those of the test can be found."""
    return {"PATH": "/nowhere", "HOME": "/nowhere", **environment}


def until(holds: Callable[[], bool]) -> None:
    """Wait until something is so."""
    limit = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < limit, "it never came"
        time.sleep(0.005)


class Daemon:
    """Listens in a home folder, and remembers every request that came whole."""

    def __init__(self, home: Path, converse: Conversation) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        with contextlib.chdir(home):
            self._listener.bind("daemon.sock")
        self._listener.listen(16)
        self._converse = converse
        self._requests: queue.Queue[bytes] = queue.Queue()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def request(self) -> bytes:
        """Return the next request."""
        return self._requests.get(timeout=SECONDS)

    @property
    def idle(self) -> bool:
        """Whether nothing came that was not asked for."""
        return self._requests.empty()

    def close(self) -> None:
        """Stop listening."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread
        self._thread.join(SECONDS)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                request = _all(connection)
                self._requests.put(request)
                self._converse(connection, request)


def _all(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65_536), b""))


def say(answer: bytes) -> Conversation:
    """Return how to answer every request alike."""
    return lambda connection, _: connection.sendall(answer)


@contextlib.contextmanager
def daemon(home: Path, converse: Conversation | None = None) -> Iterator[Daemon]:
    """Run a daemon that says `ANSWER`, or does something else with a connection that has sent its request."""
    listening = Daemon(home, converse or say(ANSWER))
    try:
        yield listening
    finally:
        listening.close()


_PROGRAM = """#!{python} -IS
import json, os, signal, socket, sys
home = os.environ["SUI_MEMORY_HOME"]
os.makedirs(home, exist_ok=True)
os.chdir(home)
if {answer!r}:
    if os.path.exists("daemon.sock"):
        os.unlink("daemon.sock")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("daemon.sock")
    listener.listen()

def opened(number):
    try:
        return os.fstat(number)
    except OSError:
        return None

null = os.stat("/dev/null")
seen = dict(
    arguments=sys.argv[1:],
    environment=dict(os.environ),
    session=os.getsid(0) == os.getpid(),
    deaf=[n for n in ("SIGHUP", "SIGINT") if signal.getsignal(signal.Signals[n]) == signal.SIG_IGN],
    silent=all(os.path.samestat(opened(number), null) for number in range(3)),
    inherited=[n for n in range(3, 256) if opened(n) and not ({answer!r} and n == listener.fileno())],
)
with open("seen.partial", "w") as file:
    json.dump(seen, file)
os.rename("seen.partial", "seen.json")
if {answer!r}:
    listener.settimeout(60)
    connection, _ = listener.accept()
    while connection.recv(65536):
        pass
    connection.sendall({answer!r})
    connection.close()
    os.unlink("daemon.sock")
sys.exit({status})
"""


def program(path: Path, *, answer: bytes = b"", status: int = 0) -> Path:
    """Write a program that tells in `seen.json` how it was started, and may then answer one request."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_PROGRAM.format(python=sys.executable, answer=answer, status=status))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def seen(home: Path) -> dict[str, Any]:
    """Return what a started program tells of itself."""
    told = home / "seen.json"
    until(told.exists)
    found: dict[str, Any] = json.loads(told.read_text())
    os.unlink(told)
    return found
