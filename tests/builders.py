"""Made-up transcripts on disk, and the command line as a real process: shared by all tests."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import click
from click.testing import CliRunner

from sui_memory.cli import main

START = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
"""When the first prompt of a session is typed, unless told otherwise."""

SECRET = "sk-ant-api03-" + "FAKEfake0" * 10
"""Looks like a key of Anthropic's, and is none."""


@dataclass(frozen=True)
class Turn:
    """One prompt and its answer, as a person and the client would make them."""

    question: str
    answer: str = ""
    tools: Sequence[tuple[str, Mapping[str, Any]]] = ()
    minutes: int = 10


@dataclass(frozen=True)
class Session:
    """One conversation. Uuids follow from its name, so the same session is written the same twice."""

    name: str
    turns: Sequence[Turn]
    cwd: str = "/home/mio/src/tosho"
    branch: str = "main"
    start: datetime = START
    entrypoint: str = "cli"
    version: str = "2.1.114"
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The session's id, as it stands in every record and in the file's name."""
        return str(uuid5(NAMESPACE_URL, f"session/{self.name}"))

    def uuid(self, number: int, part: str) -> str:
        """Return the uuid of a record: `part` is `prompt`, `tools`, `results` or `answer` of a turn."""
        return str(uuid5(NAMESPACE_URL, f"{self.name}/{number}/{part}"))

    def lines(self) -> list[str]:
        """Return the lines of the transcript, without line ends."""
        return [json.dumps(record, ensure_ascii=False) for record in self.records()]

    def records(self) -> list[dict[str, Any]]:
        """Return the records of the transcript, each hanging below the one before it."""
        records: list[dict[str, Any]] = [{"type": "mode", "mode": "normal", "sessionId": self.id}]
        parent, now = None, self.start
        for number, turn in enumerate(self.turns):
            for part, kind, message in _messages(self, number, turn):
                records.append(self._record(kind, message, self.uuid(number, part), parent, now))
                parent, now = records[-1]["uuid"], now + timedelta(seconds=20)
            now += timedelta(minutes=turn.minutes)
        return records

    def _record(
        self, kind: str, message: dict[str, Any], uuid: str, parent: str | None, now: datetime
    ) -> dict[str, Any]:
        return {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.id,
            "version": self.version,
            "gitBranch": self.branch,
            "entrypoint": self.entrypoint,
            "type": kind,
            "message": message,
            "uuid": uuid,
            "timestamp": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            **self.fields,
        }


def _messages(session: Session, number: int, turn: Turn) -> list[tuple[str, str, dict[str, Any]]]:
    """Return (part, record type, message) of a turn: prompt, tool calls with their results, answer."""
    messages: list[tuple[str, str, dict[str, Any]]] = [
        ("prompt", "user", {"role": "user", "content": turn.question})
    ]
    calls = [
        {
            "type": "tool_use",
            "id": f"toolu_{session.uuid(number, str(at))}",
            "name": name,
            "input": dict(given),
        }
        for at, (name, given) in enumerate(turn.tools)
    ]
    if calls:
        results = [
            {"type": "tool_result", "tool_use_id": call["id"], "content": "tool output, never stored"}
            for call in calls
        ]
        messages.append(("tools", "assistant", _said(session, number, "tools", calls)))
        messages.append(("results", "user", {"role": "user", "content": results}))
    if turn.answer:
        text = [{"type": "text", "text": turn.answer}]
        messages.append(("answer", "assistant", _said(session, number, "answer", text)))
    return messages


def _said(session: Session, number: int, part: str, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": f"msg_{session.uuid(number, part)}",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-8",
        "content": content,
        "stop_reason": "end_turn" if part == "answer" else "tool_use",
    }


def write_session(config: Path, session: Session) -> Path:
    """Write a session where a client with this configuration folder would, and return its file."""
    folder = "".join(char if char.isascii() and char.isalnum() else "-" for char in session.cwd)
    path = config / "projects" / folder / f"{session.id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in session.lines()), encoding="utf-8")
    return path


LIBRARY = Session(
    "library",
    (
        Turn(
            "貸出の締め切りを過ぎた本の通知は、どこで送っていますか？",
            "延滞の通知は `notify/overdue.py` の `send_overdue_mail` が毎朝 6 時に送ります。\n\n"
            "締め切りの翌日から数え、同じ人への通知は一日に一通だけです。",
            tools=(("Read", {"file_path": "/home/mio/src/tosho/notify/overdue.py"}),),
        ),
        Turn("鍵は？", f"書庫の鍵は受付の引き出しにあります。API の鍵は {SECRET} でした。"),
        Turn(
            "会議で決めた返却期限は何日だっけ",
            "返却期限は 14 日と決めました。延長は 1 回、7 日までです。",
        ),
    ),
)
"""Three exchanges in Japanese; the second answer holds a secret."""

TIDES = Session(
    "tides",
    (
        Turn(
            "Why does `useTide` throw E1101 after the reconnect?",
            "`useTide` keeps the closed socket. Call `resetSocket()` in the cleanup:\n\n"
            "```ts\nuseEffect(() => () => resetSocket(), [])\n```\n\nThen E1101 is gone.",
            tools=(
                ("Grep", {"pattern": "E1101"}),
                ("Edit", {"file_path": "/home/mio/src/tidepool/src/useTide.ts"}),
            ),
        ),
        Turn("Is the CI green now?", "Yes, all 214 tests pass on the branch."),
    ),
    cwd="/home/mio/src/tidepool",
    branch="fix/reconnect",
    start=START + timedelta(days=30),
)
"""Two exchanges in English about code."""

ROBOT = Session(
    "robot",
    (Turn("Summarise the diff of the tide gauge.", "The gauge now averages ten readings."),),
    cwd="/home/mio/src/tidepool",
    start=START + timedelta(days=31),
    entrypoint="sdk-cli",
)
"""An automated session, which searches leave out unless asked for."""

SESSIONS = (LIBRARY, TIDES, ROBOT)


@dataclass(frozen=True)
class Result:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document on stdout."""
        return json.loads(self.out)


class _Main(click.Command):
    """What `sui-memory` runs, for click's runner: our own `main` with the arguments given."""

    def __init__(self) -> None:
        super().__init__("sui-memory")

    def main(self, args: Sequence[str], **_: Any) -> None:
        """Run the command line as its entry point does, and leave by `SystemExit`."""
        before, sys.argv = sys.argv, ["sui-memory", *args]
        try:
            main()
        finally:
            sys.argv = before


def _needs_a_process(arguments: Sequence[str | Path]) -> bool:
    """Say whether a command changes the process it runs in, or starts others from it."""
    starts_workers = arguments[:1] in {("backfill",), ("demo",)} and "--workers" not in arguments
    return starts_workers or "--background" in arguments


@contextmanager
def _living_in(root: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """Give this process another environment, folder and time zone for a while."""
    before, here = dict(os.environ), Path.cwd()
    try:
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(root)
        time.tzset()
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        os.chdir(here)
        time.tzset()


def _checked(result: Result, code: int | None) -> Result:
    assert code is None or result.code == code, f"exit {result.code}\n{result.out}\n{result.err}"
    assert "Traceback" not in result.err, result.err
    return result


@dataclass(frozen=True)
class CommandLine:
    """`sui-memory`, at home in `root` and nowhere else."""

    root: Path
    model: str | None = "none"

    @property
    def home(self) -> Path:
        """`SUI_MEMORY_HOME`: the archive's folder."""
        return self.root / "sui-memory"

    @property
    def database(self) -> Path:
        """The archive's file."""
        return self.home / "memory.db"

    @property
    def config(self) -> Path:
        """`CLAUDE_CONFIG_DIR`: where the client keeps its transcripts."""
        return self.root / "claude"

    def environment(self, **changes: str) -> dict[str, str]:
        """Return the whole environment of the process: nothing of the tester's own but the search path."""
        chosen = {"SUI_MEMORY_MODEL": self.model} if self.model else {}
        return {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.root),
            "SUI_MEMORY_HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.config),
            "HF_HUB_OFFLINE": "1",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "PYTHONWARNINGS": "error",
            **chosen,
            **changes,
        }

    def command(self, *arguments: str | Path) -> list[str]:
        """Return the words to start a command with."""
        return [sys.executable, "-m", "sui_memory", *map(str, arguments)]

    def __call__(
        self, *arguments: str | Path, stdin: str = "", code: int | None = 0, **environment: str
    ) -> Result:
        """Run a command to its end, in this process where that shows the same.

        Any exit code but `code` fails the test, None allows all.
        """
        if _needs_a_process(arguments):
            return self.process(*arguments, stdin=stdin, code=code, **environment)
        with _living_in(self.root, self.environment(**environment)):
            done = CliRunner().invoke(_Main(), list(map(str, arguments)), input=stdin)
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return _checked(Result(done.exit_code, done.stdout, done.stderr), code)

    def process(
        self, *arguments: str | Path, stdin: str = "", code: int | None = 0, **environment: str
    ) -> Result:
        """Run a command to its end as a process of its own."""
        done = subprocess.run(
            self.command(*arguments),
            input=stdin.encode(),
            capture_output=True,
            env=self.environment(**environment),
            cwd=self.root,
            timeout=120,
            check=False,
        )
        return _checked(Result(done.returncode, done.stdout.decode(), done.stderr.decode()), code)

    def on_terminal(self, *arguments: str | Path, columns: int = 80, **environment: str) -> str:
        """Run a command whose stdout is a terminal, and return what it shows there."""
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, columns))
        process = subprocess.Popen(
            self.command(*arguments),
            stdout=theirs,
            stderr=subprocess.DEVNULL,
            env=self.environment(**{"TERM": "xterm-256color", **environment}),
            cwd=self.root,
        )
        os.close(theirs)
        shown = b""
        # At the end Linux raises EIO, and macOS gives nothing.
        with suppress(OSError):
            while chunk := os.read(ours, 65536):
                shown += chunk
        os.close(ours)
        assert process.wait() == 0
        return shown.decode().replace("\r\n", "\n")

    def write(self, *sessions: Session) -> list[Path]:
        """Write sessions into the client's folder."""
        return [write_session(self.config, session) for session in sessions]

    def archive(self, *sessions: Session) -> None:
        """Write sessions into the client's folder and archive them."""
        self.write(*(sessions or SESSIONS))
        self("backfill", "--workers", "0")

    def ids(self, query: str, *options: str) -> list[str]:
        """Return the ids that a search finds, best first."""
        return [hit["id"] for hit in self("search", query, "--json", *options).json["hits"]]
