"""A daemon as a real process in a home of its own, and transcripts that grow beside it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sui_memory.archive.families import EVERYTHING
from sui_memory.daemon.protocol import Request, encode
from sui_memory.errors import StoreError
from sui_memory.language import JapaneseAnalyzer
from sui_memory.store import open_store
from tests.builders import CommandLine, Session, Turn
from tests.store.samples import PlainAnalyzer

HOOKS = Path(__file__).parents[2] / "hooks"
SCRIPTS = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "user_prompt_submit",
    "Stop": "stop",
    "PreCompact": "pre_compact",
    "SessionEnd": "session_end",
    "PreToolUse": "pre_tool_use",
}
SECONDS = 60
"""How long a test waits for what must come; nothing is as slow as that."""

Exchange = tuple[str, str]
"""A question and its answer."""

_folder = threading.Lock()  # a process has one current folder for all its threads


def until(holds: Callable[[], bool], what: str = "what was waited for", seconds: float = SECONDS) -> None:
    """Wait until something is so."""
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit, f"{what} never came"
        time.sleep(0.01)


@dataclass
class Transcript:
    """A session's file, which grows as the session goes on."""

    path: Path
    name: str
    cwd: str = "/code/app"
    turns: list[Turn] = field(default_factory=list)
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def session(self) -> str:
        """The session's id."""
        return self._session().id

    @property
    def exchanges(self) -> list[Exchange]:
        """What was said so far."""
        return [(turn.question, turn.answer) for turn in self.turns]

    def lines(self, question: str, answer: str = "") -> bytes:
        """Return the lines of one more turn, which count as said from now on."""
        before = len(self._session().lines()) if self.turns else 0
        self.turns.append(Turn(question, answer))
        return "".join(f"{line}\n" for line in self._session().lines()[before:]).encode()

    def append(self, data: bytes) -> None:
        """Write bytes at the end of the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.write(data)

    def say(self, question: str, answer: str = "") -> None:
        """Let the session go on by one turn."""
        self.append(self.lines(question, answer))

    def event(self, **fields: Any) -> dict[str, Any]:
        """Return what every hook of this session is given, and some fields more."""
        return {
            "session_id": self.session,
            "transcript_path": str(self.path),
            "cwd": self.cwd,
            "permission_mode": "default",
            **fields,
        }

    def _session(self) -> Session:
        return Session(self.name, tuple(self.turns), cwd=self.cwd, fields=self.fields)


class Daemon:
    """The daemon of a home below `root`, as a child of the test or as one that a hook started."""

    def __init__(self, root: Path, **environment: str) -> None:
        self.root = root
        self.cli = CommandLine(root)
        self.environment = self.cli.environment(**environment)
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def home(self) -> Path:
        """The folder of the archive."""
        return self.cli.home

    @property
    def socket(self) -> Path:
        """Where the daemon listens."""
        return self.home / "daemon.sock"

    @property
    def database(self) -> Path:
        """The archive."""
        return self.cli.database

    @property
    def log(self) -> str:
        """What the daemon wrote down."""
        path = self.home / "daemon.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    @property
    def complaints(self) -> str:
        """What the daemons that the test started wrote to stderr."""
        path = self.root / "stderr"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def forget_complaints(self) -> None:
        """Take what was complained of so far as in order."""
        (self.root / "stderr").unlink()

    # Its life

    def launch(self, **options: Any) -> subprocess.Popen[bytes]:
        """Start a daemon without waiting for it."""
        with (self.root / "stderr").open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "sui_memory", "daemon", "run"],
                env=self.environment,
                cwd=self.root,
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                start_new_session=True,
                **options,
            )
        return self.process

    def start(self, **options: Any) -> Daemon:
        """Start a daemon and wait until it answers."""
        process = self.launch(**options)
        until(lambda: self.answers() or process.poll() is not None, "the daemon")
        assert process.poll() is None, self.complaints
        return self

    def kill(self) -> None:
        """Kill whatever daemon there is, at once."""
        for number in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        if self.process is not None:
            self.process.kill()
            self.process.wait(SECONDS)
        self.wait_until_gone()

    def wait(self) -> int:
        """Wait for the daemon that the test started to end by itself, and return its exit code."""
        assert self.process is not None
        return self.process.wait(SECONDS)

    def wait_until_gone(self) -> None:
        """Wait until no process works for this home."""
        until(lambda: not self.processes(), f"the end of {self.processes()}")

    def processes(self) -> list[int]:
        """Return the processes that work for this home, whoever started them."""
        if not Path("/proc/self/environ").exists():  # not Linux
            return [] if self.process is None or self.process.poll() is not None else [self.process.pid]
        if self.process is not None:
            self.process.poll()
        return list(_working_for(self.home))

    # What is said to it

    @contextlib.contextmanager
    def connection(self) -> Iterator[socket.socket]:
        """Give a connection to its socket."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(SECONDS)
            with _folder, contextlib.chdir(self.home):  # a socket's path may have only some 100 bytes
                connection.connect("daemon.sock")
            yield connection

    def send(self, message: bytes) -> bytes:
        """Send bytes, and return everything that comes back."""
        with self.connection() as connection:
            with contextlib.suppress(BrokenPipeError):
                connection.sendall(message)
                connection.shutdown(socket.SHUT_WR)
            return read(connection)

    def ask(self, operation: str, body: bytes = b"", **options: str) -> dict[str, Any]:
        """Send a request, and return the reply."""
        reply = self.send(encode(Request(operation, options, body)))
        assert reply.endswith(b"\n")
        return dict(json.loads(reply))

    def status(self) -> dict[str, Any]:
        """Return what the daemon says of itself."""
        return self.ask("status")

    def answers(self) -> bool:
        """Say whether a daemon answers."""
        try:
            return bool(self.status())
        except (OSError, AssertionError):
            return False

    def hook(self, event: str, given: Mapping[str, Any], **options: str) -> str:
        """Send an event as the hooks do, and return the block it is answered with."""
        body = json.dumps({**given, "hook_event_name": event}).encode()
        return block(self.send(encode(Request("hook", {"event": event, **options}, body))))

    def run_hook(self, event: str, given: Mapping[str, Any]) -> str:
        """Run a hook as Claude Code does, as a process, and return the block it prints.

        Setup has made the home: the hooks that it writes start no daemon where there is none.
        """
        self.home.mkdir(mode=0o700, exist_ok=True)
        done = subprocess.run(
            self.hook_command(event),
            input=json.dumps({**given, "hook_event_name": event}).encode() + b"\n",
            env=self.environment,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return block(done.stdout)

    def hook_command(self, event: str) -> list[str]:
        """Return the words to start a hook with."""
        return [sys.executable, "-I", "-S", str(HOOKS / f"{SCRIPTS[event]}.py"), sys.executable]

    def prompt(self, transcript: Transcript, text: str) -> str:
        """Ask what a prompt brings to mind."""
        return self.hook("UserPromptSubmit", transcript.event(prompt=text))

    # What it archives

    def transcript(self, name: str, cwd: str = "/code/app", **fields: Any) -> Transcript:
        """Return a transcript where Claude Code would write it; nothing is in it yet."""
        folder = self.cli.config / "projects" / cwd.replace("/", "-")
        return Transcript(folder / f"{Session(name, ()).id}.jsonl", name, cwd, fields=fields)

    def archived(self) -> list[Exchange]:
        """Return what is in the archive, in order; nothing when it cannot be opened."""
        try:
            store = open_store(self.database, analyzer=PlainAnalyzer(), read_only=True)
        except StoreError:
            return []
        try:
            memories = (memory.exchange for memory in store.scan(EVERYTHING))
            return sorted((exchange.question, exchange.answer) for exchange in memories)
        except StoreError:
            return []
        finally:
            store.close()

    def wait_for(self, *transcripts: Transcript) -> None:
        """Wait until the archive holds what was said in transcripts, and nothing else, each once."""
        said = sorted(exchange for transcript in transcripts for exchange in transcript.exchanges)
        limit = time.monotonic() + SECONDS
        while (found := self.archived()) != said:
            assert time.monotonic() < limit, _difference(found, said)
            time.sleep(0.05)

    def check(self) -> list[str]:
        """Return what is wrong with the database."""
        store = open_store(self.database, analyzer=JapaneseAnalyzer())
        try:
            return list(store.check())
        finally:
            store.close()


@contextlib.contextmanager
def laboratory(root: Path, **environment: str) -> Iterator[Daemon]:
    """Give a home for a daemon; whatever works for it is ended, and must not have complained."""
    daemon = Daemon(root, **environment)
    try:
        yield daemon
    finally:
        daemon.kill()
    assert "Traceback" not in daemon.complaints, daemon.complaints


def read(connection: socket.socket) -> bytes:
    """Return everything that comes until the other end closes."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


def block(printed: bytes) -> str:
    """Return the block in what a hook prints; "" when it prints nothing."""
    if not printed:
        return ""
    assert printed.endswith(b"\n")
    return str(json.loads(printed)["hookSpecificOutput"]["additionalContext"])


def _working_for(home: Path) -> Iterator[int]:
    mark = f"SUI_MEMORY_HOME={home}\0".encode()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes():
                yield int(process.name)
        except OSError:  # ended meanwhile, or not ours
            continue


def _difference(found: Sequence[Exchange], said: Sequence[Exchange]) -> str:
    missing = [exchange for exchange in said if exchange not in found]
    extra = [exchange for exchange in found if exchange not in said]
    doubled = len(found) - len(set(found))
    shown = [[question for question, _ in some[:5]] for some in (missing, extra)]
    return (
        f"{len(found)} of {len(said)} are there; {len(missing)} are missing: {shown[0]}, "
        f"{len(extra)} were never said: {shown[1]}, {doubled} are doubled"
    )
