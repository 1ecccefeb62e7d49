"""The daemon on its socket: takes requests, gives replies, and knows when to end."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import time
from contextlib import suppress
from importlib.metadata import version

from sui_memory.config import Settings
from sui_memory.daemon.archivist import Archivist
from sui_memory.daemon.desk import Desk, Reply
from sui_memory.daemon.freshness import Origin
from sui_memory.daemon.log import log, log_failure
from sui_memory.daemon.place import Place, peer_uid
from sui_memory.daemon.protocol import BODY_LIMIT, HEAD_LIMIT, ProtocolError, decode

_HOOK = re.compile(rb"sui-memory \S* hook")  # of whatever version
_READ_SECONDS = 5.0
_WRITE_SECONDS = 5.0
_MOST_CONNECTIONS = 128
_LOOK_SECONDS = 2.0
"""How often the daemon looks whether its place is still its own."""

_LOOK_AT_PROGRAM = 30  # every so many looks: a stat for each file of the package
_DRAIN_SECONDS = 2.0
_WARM_SECONDS = 0.5
"""When the model is loaded although nobody has asked yet: the first prompt is answered without it."""


class Server:
    """Serves one home folder until it is told to stop, is no longer needed, or is out of date."""

    def __init__(
        self, settings: Settings, place: Place, origin: Origin, desk: Desk, archivist: Archivist
    ) -> None:
        self._settings = settings
        self._place = place
        self._origin = origin
        self._desk = desk
        self._archivist = archivist
        self._ending = asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()
        self._last_request = time.monotonic()

    async def serve(self, listener: socket.socket) -> None:
        """Serve until the end."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._ending.set)
        server = await asyncio.start_unix_server(self._accept, sock=listener, limit=HEAD_LIMIT + BODY_LIMIT)
        log.info("version %s serves %s", version("sui-memory"), self._settings.home)
        loop.call_later(_WARM_SECONDS, self._desk.warm)
        watch = asyncio.create_task(self._watch())
        await self._ending.wait()
        watch.cancel()
        server.close()
        if self._connections:
            await asyncio.wait(self._connections, timeout=_DRAIN_SECONDS)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - asyncio runs each connection as a task
        self._connections.add(task)
        self._last_request = time.monotonic()
        try:
            if len(self._connections) <= _MOST_CONNECTIONS and _is_own_user(writer):
                await self._converse(reader, writer)
        except (ConnectionError, TimeoutError):
            # The client went away, or was too slow: what it did not take, it does not wait for.
            writer.transport.abort()
        except Exception as error:
            log_failure("a request", error)
        finally:
            self._connections.discard(task)
            writer.close()
            self._last_request = time.monotonic()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        message = await asyncio.wait_for(_whole(reader), _READ_SECONDS)
        if message is None:
            return
        reply = await self._reply(message)
        if reply.ends:
            self._place.hide()  # who is told that this one stops may start the next at once
        if reply.text:
            writer.write(reply.text)
            await asyncio.wait_for(writer.drain(), _WRITE_SECONDS)
        was_taken = not writer.transport.is_closing()
        writer.close()  # a client reads to the end: what comes below is none of its time
        if was_taken:
            reply.on_delivered()
        if (
            reply.ends
            or not self._place.is_ours()
            or self._origin.has_other_settings()
            or (reply.checks and self._origin.has_other_program())
        ):
            self._ending.set()

    async def _reply(self, message: bytes) -> Reply:
        try:
            return await self._desk.reply(decode(message))
        except ProtocolError as error:
            sentence = str(error)
        except Exception as error:
            log_failure("a request", error)
            sentence = "That could not be done: `sui-memory daemon logs` says why."
        # A hook prints what it gets: it had better get nothing.
        text = b"" if _HOOK.match(message) else Reply.error(sentence).text
        return Reply(text, checks=True)  # perhaps because the program was taken away

    async def _watch(self) -> None:
        """Look now and then whether there is still a reason to be here."""
        looks = 0
        while not self._ending.is_set():
            await asyncio.sleep(min(_LOOK_SECONDS, self._settings.idle_minutes * 60))
            looks += 1
            reason = self._reason_to_end(looks)
            if reason:
                log.info("ends: %s", reason)
                self._ending.set()

    def _reason_to_end(self, looks: int) -> str | None:
        is_thorough = looks % _LOOK_AT_PROGRAM == 0
        reasons = {
            "the socket or the database is gone, or another's": lambda: not self._place.is_ours(),
            "nothing can be archived any more": lambda: self._archivist.has_ended,
            "the settings changed": self._origin.has_other_settings,
            "the program is gone": self._origin.has_lost_program,
            "the program changed": lambda: is_thorough and self._origin.has_other_program(),
            "nobody has asked for a while": self._is_idle,
        }
        return next((reason for reason, holds in reasons.items() if holds()), None)

    def _is_idle(self) -> bool:
        idle = time.monotonic() - self._last_request
        is_at_rest = not self._connections and self._archivist.doing == "nothing"
        return is_at_rest and idle >= self._settings.idle_minutes * 60


async def _whole(reader: asyncio.StreamReader) -> bytes | None:
    """Return a message up to its end; None when it is longer than any may be."""
    parts: list[bytes] = []
    size = 0
    while part := await reader.read(1 << 16):
        size += len(part)
        if size > HEAD_LIMIT + BODY_LIMIT:
            return None
        parts.append(part)
    return b"".join(parts)


def _is_own_user(writer: asyncio.StreamWriter) -> bool:
    connection = writer.get_extra_info("socket")
    with suppress(OSError):
        return peer_uid(connection) == os.geteuid()
    return False
