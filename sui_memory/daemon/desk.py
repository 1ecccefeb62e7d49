"""Decides what each request gets: the operations of docs/protocol.md."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sui_memory.app import Answer
from sui_memory.config import Settings
from sui_memory.daemon import hook as hooks
from sui_memory.daemon.archivist import Archivist
from sui_memory.daemon.hook import Hook, is_newer
from sui_memory.daemon.invocation import Invocation, invocation_of
from sui_memory.daemon.log import log, log_failure
from sui_memory.daemon.memory_use import resident_bytes
from sui_memory.daemon.model import ResidentModel
from sui_memory.daemon.protocol import ProtocolError, Request
from sui_memory.daemon.recaller import Recaller
from sui_memory.daemon.sessions import Sessions
from sui_memory.errors import SuiMemoryError
from sui_memory.recall import Prompt

_PROJECTS = "projects"
"""What Claude Code calls the folder with a folder of transcripts for each project."""


_UNFINISHED = {"UserPromptSubmit", "PreToolUse"}
"""Hooks in the middle of an exchange: there is more to archive when it has ended."""

_STALE_SECONDS = 600.0
"""How long a daemon serves hooks of a newer version before it makes room for their own: two installations
whose hooks are both in place would otherwise end each other's with every prompt."""


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Reply:
    """What a client is told; `on_delivered` follows when it took it.

    `ends` says that the daemon is to end after it, `checks` that it should look whether it is out of date.
    """

    text: bytes = b""
    on_delivered: Callable[[], None] = _nothing
    ends: bool = False
    checks: bool = False

    @classmethod
    def json(cls, value: dict[str, Any], *, ends: bool = False) -> Reply:
        """Return a reply of one JSON object."""
        return cls(json.dumps(value).encode() + b"\n", ends=ends)

    @classmethod
    def error(cls, sentence: str) -> Reply:
        """Return a reply that tells what is wrong."""
        return cls.json({"error": sentence})


class Desk:
    """Hands requests to those who can answer them."""

    def __init__(
        self,
        settings: Settings,
        recaller: Recaller,
        archivist: Archivist,
        model: ResidentModel,
    ) -> None:
        self._settings = settings
        self._recaller = recaller
        self._archivist = archivist
        self._model = model
        self._sessions = Sessions()
        self._version = version("sui-memory")  # reads a file, which an upgrade may take away
        self._started = time.monotonic()
        self._last_recall: datetime | None = None

    def warm(self) -> None:
        """Begin what may wait until the first prompt was answered: the model, and a sweep of everything."""
        self._recaller.warm()
        self._archivist.sweep()
        self._archivist.embed()
        self._put_off_sleep()

    def _put_off_sleep(self) -> None:
        """Have the night, if one is wanted, wait until nobody has asked for a while."""
        if self._settings.sleep:
            self._archivist.sleep_when_idle()

    async def reply(self, request: Request) -> Reply:
        """Return the reply to a request; raises `ProtocolError` for one that makes no sense."""
        operations = {
            "hook": self._hook,
            "status": self._status,
            "search": self._search,
            "recall": self._recall,
            "sync": self._sync,
            "embed": self._embed,
            "stop": self._stop,
        }
        operation = operations.get(request.operation)
        if operation is None:
            raise ProtocolError(f"This daemon knows no operation {request.operation!r}.")
        if request.operation != "status":
            self._put_off_sleep()
        return await operation(request)

    async def _hook(self, request: Request) -> Reply:
        hook = hooks.parse(request)
        if (await self._invocation(hook)).ephemeral:
            return Reply()
        reply = Reply()
        if hook.event == "UserPromptSubmit":
            reply = await self._answer(hook)
        elif hook.event == "SessionStart":
            reply = await self._greet(hook)
        elif hook.event == "PreToolUse":
            reply = await self._warn(hook)
        self._archive(hook)
        is_other = hook.client not in {"", self._version}
        is_stale = is_newer(hook.client, self._version) and self._uptime() > _STALE_SECONDS
        return Reply(
            reply.text, reply.on_delivered, ends=is_stale, checks=is_other or hook.event == "SessionStart"
        )

    async def _invocation(self, hook: Hook) -> Invocation:
        """Find out, once for each process of a session, how it was started."""
        known = self._sessions.invocation(hook.session, hook.pid)
        if known is None and hook.pid is not None:
            known = await asyncio.to_thread(invocation_of, hook.pid, hook.transcript)
            self._sessions.begin(hook.session, hook.pid, known)
        return known or Invocation()

    async def _answer(self, hook: Hook) -> Reply:
        if self._sessions.is_repeated(hook.session, hook.prompt_name, time.monotonic()):
            return Reply()
        if not self._settings.recall or (hook.is_automated and not self._settings.automated):
            return Reply()
        answering = self._recaller.answer(self._prompt(hook), hook.event, self._sessions.told(hook.session))
        return await self._injected(hook, answering)

    async def _greet(self, hook: Hook) -> Reply:
        if hook.source == "compact":
            self._sessions.compact(hook.session)
            self._archivist.compact(hook.session, datetime.now(UTC))
        if not self._settings.session_start or self._sessions.is_repeated(
            hook.session, f"start {hook.source}", time.monotonic()
        ):
            return Reply()
        return await self._injected(hook, self._recaller.opening(self._prompt(hook), hook.event))

    async def _warn(self, hook: Hook) -> Reply:
        """Tell what was learnt about a tool before it runs. Whether it may run is not ours to say."""
        if not self._settings.recall or (hook.is_automated and not self._settings.automated):
            return Reply()
        told = self._sessions.told(hook.session)
        prompt = replace(self._prompt(hook), text=hook.tool_input)
        warned = await self._injected(hook, self._recaller.before_tool(prompt, hook.tool, hook.event, told))
        return warned if warned.text else Reply()  # a silence per tool call would fill the ledger

    def _prompt(self, hook: Hook) -> Prompt:
        invocation = self._sessions.invocation(hook.session, hook.pid) or Invocation()
        return Prompt(
            hook.prompt,
            hook.session,
            datetime.now(UTC),
            project=hook.cwd,
            transcript=hook.transcript,
            shown=self._sessions.shown(hook.session),
            origin=invocation.origin,
        )

    async def _injected(self, hook: Hook, answering: Future[Answer]) -> Reply:
        """Wait for an answer; what it shows is noted only when the client took it."""
        try:
            answer = await asyncio.wrap_future(answering)
        except TimeoutError:
            log.warning("a prompt waited too long and was left alone")
            return Reply()
        except Exception as error:
            log_failure("answering", error)
            return Reply()

        def delivered() -> None:
            self._last_recall = answer.injection.at
            self._note(hook, answer)

        return Reply(hooks.reply(hook.event, answer.block), delivered)

    def _note(self, hook: Hook, answer: Answer) -> None:
        injection = answer.injection
        self._sessions.show(hook.session, [shown.memory_id for shown in injection.memories])
        self._archivist.record(injection)
        if answer.telling:
            self._sessions.tell(hook.session, answer.telling.names)
            self._archivist.told(answer.telling, injection.at)

    def _archive(self, hook: Hook) -> None:
        """Have archived what the hook points to. It is only a hint: whatever it misses, a sweep finds."""
        if hook.event == "SessionStart":
            # Of this Claude Code's projects, as another configuration may have others; never of half a disk.
            root = Path(hook.transcript or "").parent.parent
            self._archivist.sweep(root if root.name == _PROJECTS else None)
        elif hook.transcript is not None and hook.event not in _UNFINISHED:
            self._archivist.read(hook.transcript)

    async def _status(self, request: Request) -> Reply:
        return Reply.json(
            {
                "running": True,
                "version": self._version,
                "pid": os.getpid(),
                "uptime_seconds": round(self._uptime(), 3),
                "home": str(self._settings.home),
                "models": self._model.loaded(),
                "resident_bytes": resident_bytes(),
                "doing": self._archivist.doing,
                "waiting": self._archivist.waiting,
                "last_recall_at": self._last_recall.isoformat() if self._last_recall else None,
            }
        )

    async def _search(self, request: Request) -> Reply:
        from sui_memory.daemon import wire

        try:
            asked = json.loads(request.body)
            text, scope = str(asked["text"]), wire.scope_from_json(asked.get("scope", {}))
            limit, offset = (int(request.options.get(name, 0)) for name in ("limit", "offset"))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ProtocolError("A search has a text, a scope, a limit and an offset.") from error
        try:
            await asyncio.wrap_future(self._recaller.warm())
            await self._model.settled()
            found = await asyncio.wrap_future(self._recaller.search(text, scope, limit or 10, offset))
        except SuiMemoryError as error:
            return Reply.error(str(error))
        return Reply.json(wire.found_to_json(found))

    async def _recall(self, request: Request) -> Reply:
        from sui_memory.daemon import wire

        try:
            asked = json.loads(request.body)
            text, project = str(asked["text"]), asked.get("project")
            limit = int(request.options.get("limit", 0)) or self._settings.memories
            prompt = Prompt(text, "", datetime.now(UTC), project=None if project is None else str(project))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ProtocolError("A recall has a text, and may have a project and a limit.") from error
        try:
            await asyncio.wrap_future(self._recaller.warm())
            await self._model.settled()
            recollection = await asyncio.wrap_future(self._recaller.recollect(prompt, limit))
        except SuiMemoryError as error:
            return Reply.error(str(error))
        return Reply.json(wire.recollection_to_json(recollection))

    def _uptime(self) -> float:
        return time.monotonic() - self._started

    async def _sync(self, request: Request) -> Reply:
        try:
            paths = [Path(path) for path in json.loads(request.body or b"[]")]
        except (ValueError, TypeError, RecursionError) as error:
            raise ProtocolError("A sync has a JSON list of paths, or nothing for all projects.") from error
        if not paths:
            self._archivist.sweep()
        for path in paths:
            self._archivist.sweep(path)
        return Reply.json({"accepted": 1})

    async def _embed(self, request: Request) -> Reply:
        self._archivist.embed()
        return Reply.json({"accepted": 1})

    async def _stop(self, request: Request) -> Reply:
        log.info("ends: it was told to")
        return Reply.json({"accepted": 1, "pid": os.getpid()}, ends=True)
