"""What a hook of Claude Code says, and what it is answered."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sui_memory.daemon.protocol import ProtocolError, Request
from sui_memory.store.ledger import prompt_hash
from sui_memory.text import scrub_surrogates

_LONGEST_PATH = 4_096  # bytes; Linux has this limit, macOS 1,024
EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd", "PreToolUse")


@dataclass(frozen=True, slots=True)
class Hook:
    """The fields of a hook's JSON that matter here, and what its client said of it.

    `tool` is the name of a tool that is about to run, `tool_input` the texts that it is given.
    `pid` is Claude Code's process, `entry` how that was started (`cli`, `sdk-cli` …), `client` the version
    of the hook scripts.
    """

    event: str
    session: str
    transcript: str | None = None
    cwd: str | None = None
    prompt: str = ""
    prompt_id: str | None = None
    source: str | None = None
    tool: str = ""
    tool_input: str = ""
    pid: int | None = None
    entry: str = ""
    client: str = ""

    @property
    def prompt_name(self) -> str:
        """What tells this prompt from others of its session: its id, or its words where there is none."""
        return self.prompt_id or prompt_hash(self.prompt)

    @property
    def is_automated(self) -> bool:
        """Say whether a program asks: `claude -p`, or an SDK."""
        return self.entry.startswith("sdk")


def parse(request: Request) -> Hook:
    """Return the hook in a request; raises `ProtocolError` when there is none."""
    try:
        said = json.loads(request.body.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise ProtocolError("The body of a hook is the JSON that Claude Code gave it.") from error
    session = _text(said, "session_id") if isinstance(said, dict) else None
    event = request.options.get("event")
    if session is None or event not in EVENTS:
        raise ProtocolError("A hook has an event, and its JSON a session_id.")
    pid = request.options.get("pid", "")
    return Hook(
        event=event,
        session=session,
        transcript=_transcript(said),
        cwd=_text(said, "cwd"),
        prompt=_text(said, "prompt") or "",
        prompt_id=_text(said, "prompt_id"),
        source=_text(said, "source"),
        tool=_text(said, "tool_name") or "",
        tool_input=_input(said.get("tool_input")) if event == "PreToolUse" else "",
        pid=int(pid) if pid.isascii() and pid.isdigit() else None,
        entry=request.options.get("entry", ""),
        client=request.options.get("client", ""),
    )


def is_newer(client: str, own: str) -> bool:
    """Say whether a version of the hook scripts is above one's own; False for what is no version."""
    try:
        return [int(part) for part in client.split(".")] > [int(part) for part in own.split(".")]
    except ValueError:
        return False


def reply(event: str, block: str) -> bytes:
    """Return what the hook prints, in ASCII, which every encoding leaves alone; nothing for no block."""
    if not block:
        return b""
    said = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": block}}
    return json.dumps(said, ensure_ascii=True).encode("ascii") + b"\n"


def _text(said: Mapping[str, Any], name: str) -> str | None:
    value = said.get(name)
    return scrub_surrogates(value) if isinstance(value, str) and value else None


def _input(value: Any) -> str:
    """Return the texts in the input of a tool, a line each; none of one that is nested too deeply."""
    try:
        return _texts(value)
    except RecursionError:
        return ""


def _texts(value: Any) -> str:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, str):
        return scrub_surrogates(value)
    return "\n".join(filter(None, map(_texts, inner)))


def _transcript(said: Mapping[str, Any]) -> str | None:
    """Return the path of the transcript, if it can be one."""
    path = _text(said, "transcript_path")
    if path is None or not path.startswith("/") or not path.endswith(".jsonl") or "\0" in path:
        return None
    try:
        return path if len(os.fsencode(path)) <= _LONGEST_PATH else None
    except UnicodeEncodeError:  # the daemon runs in a locale that cannot spell it
        return None
