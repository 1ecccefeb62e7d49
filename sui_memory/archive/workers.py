"""Digests on all cores: processes, because tokenising and parsing hold the interpreter.

Each worker has a pipe of its own and they share nothing, so that one that is killed, at whatever
moment, leaves no lock and no half-written message for the others to wait for.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import connection, get_context, resource_tracker
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Protocol

from sui_memory.archive.digest import Digest, Job, digest
from sui_memory.archive.tools import Tools
from sui_memory.errors import TranscriptError

_NICENESS = 10
"""Of gentle workers: Linux gives them a tenth of what another process on the same core gets."""

_IN_FLIGHT = 2
"""Batches a worker has waiting: one to work on, one to start with at once."""


class Digester(Protocol):
    """Turns batches of jobs into digests, in any process, in the order given."""

    def __call__(self, batches: Iterable[Sequence[Job]], /) -> Iterator[list[Digest]]:
        """Yield the digests of each batch."""


@contextmanager
def digester(tools: Tools, workers: int, *, gentle: bool = False) -> Iterator[Digester]:
    """Give a digester with that many processes; with none, everything runs in this one.

    Processes yield to all others when they are `gentle`.
    """
    if workers == 0:
        yield lambda batches: (_digest_all(batch, tools) for batch in batches)
        return
    crew: list[_Worker] = []
    try:
        crew += (_Worker(tools, gentle=gentle) for _ in range(workers))
        yield lambda batches: _in_order(crew, batches)
    finally:
        for worker in crew:
            worker.dismiss()


def _in_order(crew: Sequence[_Worker], batches: Iterable[Sequence[Job]]) -> Iterator[list[Digest]]:
    """Keep a few batches in flight, so that memory does not grow with the number of files."""
    waiting: deque[_Worker] = deque()
    for batch in batches:
        waiting.append(min(crew, key=waiting.count))
        waiting[-1].give(batch)
        if len(waiting) >= len(crew) * _IN_FLIGHT:
            yield _next_of(waiting.popleft(), crew)
    while waiting:
        yield _next_of(waiting.popleft(), crew)


def _next_of(first: _Worker, crew: Sequence[_Worker]) -> list[Digest]:
    """Return the next digests of one worker, and meanwhile take from the others what they have ready."""
    while not first.done:
        ready = connection.wait([worker.pipe for worker in crew])
        for worker in crew:
            if worker.pipe in ready:
                worker.take()
    return first.done.popleft()


class _Worker:
    """A process that digests batches, one after the other."""

    def __init__(self, tools: Tools, *, gentle: bool) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.done: deque[list[Digest]] = deque()
        self._process = context.Process(target=_serve, args=(theirs, tools, gentle), daemon=True)
        with _interrupts_held():
            self._process.start()
        theirs.close()

    def give(self, batch: Sequence[Job]) -> None:
        with _death_explained():
            self.pipe.send(batch)

    def take(self) -> None:
        with _death_explained():
            result = self.pipe.recv()
        if isinstance(result, BaseException):
            raise result
        self.done.append(result)

    def dismiss(self) -> None:
        """End the process at once: whatever it is still working on, nobody wants it."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let what is started in here never see Ctrl-C, which reaches the whole group: the parent decides."""
    resource_tracker.ensure_running()  # comes with the first process, and would let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _death_explained() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError) as error:
        raise TranscriptError(
            "A reading process was killed, perhaps for want of memory. What was read before is archived; "
            "run the command again, with `--workers 1` if it happens again."
        ) from error


def _serve(pipe: Connection, tools: Tools, gentle: bool) -> None:
    """Digest what comes through the pipe until its other end is gone."""
    if gentle:
        os.nice(_NICENESS)
    batches: SimpleQueue[Sequence[Job]] = SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, batches), daemon=True).start()
    while True:
        try:
            result: list[Digest] | Exception = _digest_all(batches.get(), tools)
        except Exception as error:  # raised again in the parent, where somebody can see it
            result = error
        pipe.send(result)


def _receive(pipe: Connection, batches: SimpleQueue[Sequence[Job]]) -> None:
    """Take batches as they come, so that the parent never waits to send; end with the parent."""
    while True:
        try:
            batches.put(pipe.recv())
        except (EOFError, OSError):
            os._exit(0)


def _digest_all(batch: Sequence[Job], tools: Tools) -> list[Digest]:
    return [digest(job, tools) for job in batch]
