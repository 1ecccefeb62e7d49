"""Digests on all cores: processes, because tokenising and parsing hold the interpreter."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, connection, get_context, parent_process
from typing import Protocol

from sui_memory.archive.digest import Digest, Job, digest
from sui_memory.archive.tools import Tools
from sui_memory.errors import TranscriptError

_IN_FLIGHT = 2
"""Batches a worker has waiting: one to work on, one to start with at once."""

_tools: Tools | None = None


class Digester(Protocol):
    """Turns batches of jobs into digests, in any process, in the order given."""

    def __call__(self, batches: Iterable[Sequence[Job]], /) -> Iterator[list[Digest]]:
        """Yield the digests of each batch."""


@contextmanager
def digester(tools: Tools, workers: int) -> Iterator[Digester]:
    """Give a digester with that many processes; with none, everything runs in this one."""
    if workers == 0:
        yield lambda batches: ([digest(job, tools) for job in batch] for batch in batches)
        return
    others = set(active_children())
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_start, initargs=(tools,)
    )
    try:
        yield lambda batches: _in_order(pool, batches, workers * _IN_FLIGHT)
    except BaseException:
        # Nobody wants what they are working on any more, and a large file may take long.
        for worker in set(active_children()) - others:
            worker.terminate()
        raise
    finally:
        # Waiting is a must: an interpreter that ends first trips over the pool's closed pipe (3.11).
        pool.shutdown(wait=True, cancel_futures=True)


def _in_order(
    pool: ProcessPoolExecutor, batches: Iterable[Sequence[Job]], most: int
) -> Iterator[list[Digest]]:
    """Keep a few batches in flight, so that memory does not grow with the number of files."""
    waiting: deque[Future[list[Digest]]] = deque()
    try:
        for batch in batches:
            waiting.append(pool.submit(_work, batch))
            if len(waiting) >= most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise TranscriptError(
            "A reading process was killed, perhaps for want of memory. What was read before is archived; "
            "run the command again, with `--workers 1` if it happens again."
        ) from error


def _start(tools: Tools) -> None:
    global _tools  # noqa: PLW0603 - the only way to give a pool's worker its state
    _tools = tools
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    threading.Thread(target=_die_with_parent, daemon=True).start()


def _die_with_parent() -> None:
    """End this worker when its parent was killed: a pool's worker would wait for work for ever."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _work(batch: Sequence[Job]) -> list[Digest]:
    assert _tools is not None  # noqa: S101 - set by the initializer
    return [digest(job, _tools) for job in batch]
