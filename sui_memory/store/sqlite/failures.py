"""The one place where SQLite's errors become sentences for a user."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from sui_memory.errors import StoreBusyError, StoreError

_SENTENCES: tuple[tuple[type[apsw.Error], type[StoreError], str], ...] = (
    (
        apsw.BusyError,
        StoreBusyError,
        "{path} is being written by another process: try again when it has finished.",
    ),
    (
        apsw.LockedError,
        StoreBusyError,
        "{path} is in use: finish the reading that is under way and try again.",
    ),
    (
        apsw.FullError,
        StoreError,
        "The disk is full, so {path} could not grow: free some space and try again; "
        "nothing already stored is lost.",
    ),
    (
        apsw.ReadOnlyError,
        StoreError,
        "{path} cannot be written: make the file and its folder writable for this user.",
    ),
    (
        apsw.PermissionsError,
        StoreError,
        "{path} cannot be opened: make the file and its folder readable and writable for this user.",
    ),
    (
        apsw.CantOpenError,
        StoreError,
        "{path} cannot be opened: make the file and its folder readable and writable for this user.",
    ),
    (
        apsw.NotADBError,
        StoreError,
        "{path} is not a sui-memory database; it was left as it is: move it away, or "
        "set SUI_MEMORY_HOME to another folder.",
    ),
    (
        apsw.CorruptError,
        StoreError,
        "{path} is damaged; it was left as it is: put a backup in its place, "
        "or move it away and run `sui-memory backfill`.",
    ),
    (
        apsw.IOError,
        StoreError,
        "{path} could not be read or written: check the disk ({detail}).",
    ),
)


@contextmanager
def reported(path: Path) -> Iterator[None]:
    """Raise whatever SQLite reports inside the block as a `StoreError` about the file at `path`."""
    try:
        yield
    except apsw.Error as error:
        raise as_store_error(error, path) from error


def as_store_error(error: apsw.Error, path: Path) -> StoreError:
    """Return the sentence for an SQLite error about the file at `path`."""
    for kind, store_error, sentence in _SENTENCES:
        if isinstance(error, kind):
            return store_error(sentence.format(path=path, detail=error))
    return StoreError(f"{path} could not be used: {error}.")
