"""Whose turn it is to embed an archive: one process at a time, told by a lock on its folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def turn_in(home: Path, on_busy: Callable[[], None]) -> Iterator[None]:
    """Run the block when no other process embeds this archive; the lock goes with its process."""
    import fcntl

    with _folder(home) as folder:
        if not _locked(folder):
            on_busy()
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield


def is_taken(home: Path) -> bool:
    """Say whether a process, this one or another, embeds the archive in a folder."""
    with _folder(home) as folder:
        return not _locked(folder)


@contextmanager
def _folder(path: Path) -> Iterator[int]:
    """Open a folder to lock it: closing it gives the lock back."""
    folder = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield folder
    finally:
        os.close(folder)


def _locked(folder: int) -> bool:
    """Try to lock an open folder, and say whether that was possible."""
    import fcntl

    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
