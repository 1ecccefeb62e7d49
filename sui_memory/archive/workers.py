"""Digests on all cores: processes, because tokenising and parsing hold the interpreter."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process
from typing import Protocol

from sui_memory.archive.digest import Digest, Job, digest
from sui_memory.archive.tools import Tools

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
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_start, initargs=(tools,)
    )
    try:
        yield lambda batches: _in_order(pool, batches, workers * _IN_FLIGHT)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _in_order(
    pool: ProcessPoolExecutor, batches: Iterable[Sequence[Job]], most: int
) -> Iterator[list[Digest]]:
    """Keep a few batches in flight, so that memory does not grow with the number of files."""
    waiting: deque[Future[list[Digest]]] = deque()
    for batch in batches:
        waiting.append(pool.submit(_work, batch))
        if len(waiting) >= most:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _start(tools: Tools) -> None:
    global _tools  # noqa: PLW0603 - the only way to give a pool's worker its state
    _tools = tools
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
