"""A place of its own for the real client, and nothing of the tester's: home, settings, projects, archive."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.builders import CommandLine
from tests.claude.conversation import Conversation
from tests.claude.processes import Process, running
from tests.claude.stand_in import StandIn
from tests.claude.terminal import LIMIT, on_terminal, wait_until

PROJECTS = ("shop", "letters")
"""The folders that the client is told to trust."""

# Nobody's key. The client asks whether to use a key it does not know by its last 20 characters.
_KEY = "sk-ant-nobody-" + "0" * 40

# Names that the oldest client knows, too: a name it does not know makes it throw all hooks away.
_EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")

_INPUT_BOX = "❯>"
"""How the line begins that a person types in; the oldest client has the second."""


class Laboratory:
    """One client with its settings, and the memory that serves it."""

    def __init__(self, root: Path, client: Path, api: StandIn, model: str = "none") -> None:
        self.cli = CommandLine(root, model)
        self.api = api
        self._client = client
        self._notes = root / "events.jsonl"
        for folder in (self.cli.config, self._temporary, *map(self.folder, PROJECTS)):
            folder.mkdir(parents=True)
        self._write_state()
        self._write_settings()

    def folder(self, project: str) -> Path:
        """Return the folder of a project."""
        return self.cli.root / "code" / project

    def environment(self, **changes: str) -> dict[str, str]:
        """Return the whole environment of the client."""
        ours = self.cli.environment()
        del ours["PYTHONWARNINGS"]  # as strict as a test, but no user has it
        return {
            **ours,
            "SHELL": "/bin/sh",
            "TERM": "xterm-256color",
            "TMPDIR": str(self._temporary),
            "CLAUDE_CODE_TMPDIR": str(self._temporary),
            "ANTHROPIC_API_KEY": _KEY,
            "ANTHROPIC_BASE_URL": self.api.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
            "NO_PROXY": "127.0.0.1",
            **changes,
        }

    def set_up(self) -> None:
        """Bring the memory into the client, as its user does."""
        self.cli.process("setup", "--no-backfill")

    def forget_hooks(self, *events: str) -> None:
        """Take our hooks of some events out of the settings."""
        settings = json.loads(self.settings.read_text())
        for event in events:
            settings["hooks"][event] = [_noting(self._notes)]
        self.settings.write_text(json.dumps(settings, indent=2))

    def lose_hooks(self) -> None:
        """Let our scripts be gone, as when a checkout is moved, while the settings still name them."""
        settings = self.settings.read_text()
        assert "/hooks/" in settings
        self.settings.write_text(settings.replace("/hooks/", "/gone/"))

    def say(self, prompt: str, *options: str, project: str = PROJECTS[0], **environment: str) -> str:
        """Run the client for one prompt, as a program does, and return what it prints."""
        done = subprocess.run(
            [self._client, "-p", prompt, *options],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd=self.folder(project),
            env=self.environment(**environment),
            start_new_session=True,
            timeout=LIMIT,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def session(
        self, *options: str, project: str = PROJECTS[0], **environment: str
    ) -> Iterator[Conversation]:
        """Start the client on a terminal and wait until it listens; it does not outlive the block."""
        started = len(self.events("SessionStart"))
        command = [str(self._client), *options]
        with on_terminal(command, self.folder(project), self.environment(**environment)) as terminal:
            wait_until(
                lambda: len(self.events("SessionStart")) > started and any(map(terminal.shows, _INPUT_BOX)),
                lambda: f"the input box; {terminal}",
            )
            yield Conversation(self, terminal)

    def events(self, name: str) -> list[dict[str, Any]]:
        """Return what the client said to its hooks of one event, in order."""
        notes = self._notes.read_text(encoding="utf-8") if self._notes.exists() else ""
        return [event for event in _objects(notes) if event["hook_event_name"] == name]

    def memories(self, part: str = "") -> list[dict[str, Any]]:
        """Return all archived exchanges whose question contains `part`, automated ones included."""
        if not self.cli.database.exists():
            return []
        memories = [json.loads(line) for line in self.cli("export").out.splitlines()[1:]]
        return [memory for memory in memories if part in memory["question"]]

    def wait_for_memory(self, part: str, limit: float = LIMIT) -> dict[str, Any]:
        """Return the one memory whose question contains `part`, as soon as it is there with its answer."""
        wait_until(
            lambda: any(memory["answer"] for memory in self.memories(part)),
            lambda: f"a memory of {part!r} among {self.memories()}",
            limit,
        )
        (memory,) = self.memories(part)
        return memory

    def ledger(self) -> list[dict[str, Any]]:
        """Return how the prompts were answered, the newest first."""
        return list(self.cli("log", "--all", "--json").json["injections"])

    def stop_daemon(self) -> None:
        """Let the machine be as after a start: nothing of ours runs."""
        self.cli("daemon", "stop")
        wait_until(lambda: not self.processes(), self._left)

    def processes(self) -> list[Process]:
        """Return what was started in here and still runs. Where there is no /proc, nothing is seen."""
        return [process for process in running() if str(self.cli.root) in process.place]

    def close(self) -> None:
        """Stop the daemon, and see that nothing is left."""
        try:
            wait_until(lambda: all(process.is_daemon for process in self.processes()), self._left)
            for daemon in self.processes():
                os.kill(daemon.id, signal.SIGTERM)
            wait_until(lambda: not self.processes(), self._left)
        finally:
            for left in self.processes():
                with suppress(ProcessLookupError):
                    os.kill(left.id, signal.SIGKILL)

    def _left(self) -> str:
        return f"the end of {self.processes()}"

    @property
    def settings(self) -> Path:
        """The client's settings file."""
        return self.cli.config / "settings.json"

    @property
    def _temporary(self) -> Path:
        return self.cli.root / "tmp"

    def _write_state(self) -> None:
        """Let no dialog come: about the theme, the key, or whether a folder is to be trusted."""
        trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        state = {
            "hasCompletedOnboarding": True,
            "lastOnboardingVersion": "9.9.9",
            "theme": "dark",
            "customApiKeyResponses": {"approved": [_KEY[-20:]], "rejected": []},
            "officialMarketplaceAutoInstallAttempted": True,  # how older clients are kept from it
            "officialMarketplaceAutoInstalled": True,
            "projects": {str(self.folder(project)): trusted for project in PROJECTS},
        }
        (self.cli.config / ".claude.json").write_text(json.dumps(state))

    def _write_settings(self) -> None:
        """Note every event by a hook of the user's own; it must go on working beside ours."""
        hooks = {event: [_noting(self._notes)] for event in _EVENTS}
        self.settings.write_text(json.dumps({"hooks": hooks}, indent=2))


def _noting(notes: Path) -> dict[str, Any]:
    """Return a hook, as it stands in the settings, that writes down what it is told."""
    return {"hooks": [{"type": "command", "command": f"cat >> '{notes}'"}]}


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Return the JSON objects of a text, up to one that is still being written; old clients end no line."""
    decoder, at = json.JSONDecoder(), 0
    with suppress(json.JSONDecodeError):
        while True:
            found, at = decoder.raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
            yield found
