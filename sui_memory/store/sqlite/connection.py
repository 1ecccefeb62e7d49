"""Opens the database file: private, WAL, with sqlite-vec loaded, and checked to be ours."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import apsw

from sui_memory.errors import StoreError
from sui_memory.store.sqlite import packing

APPLICATION_ID = 0x5375694D  # "SuiM", at byte 68 of the file: file(1) and we know it by that
BUSY_TIMEOUT_MS = 10_000  # commits take milliseconds; ten seconds means that something is wrong
PAGE_SIZE = 16384  # compressed exchanges of 1.4 KB fill it to 94 %, pages of 4096 to 80 % (dbstat)
_CACHE_KIB = 32_768  # the interior pages of a 100,000-passage index; the default of 2 MB thrashes
_WAL_LIMIT_BYTES = 64 * 1024 * 1024  # a large backfill must not leave a large log behind
_SQLITE_HEADER_BYTES = 100
_MAGIC = b"SQLite format 3\0"
_OTHERS_MAY = 0o077
_HOME = re.compile(r"memory\.db.*|config\.toml.*|models|daemon\..*")  # what a home folder of ours holds


def connect(path: Path, *, read_only: bool = False) -> apsw.Connection:
    """Open the file at `path`, creating it (0600, in a 0700 folder) unless `read_only`."""
    if read_only and not path.exists():
        raise StoreError(f"There is no archive at {path} yet: run `sui-memory backfill` first.")
    if not read_only:
        _create_private(path)
    _refuse_unsound(path)
    connection = (
        _open_for_reading(path) if read_only else apsw.Connection(str(path), apsw.SQLITE_OPEN_READWRITE)
    )
    try:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        _refuse_foreign(connection, path)
        _configure(connection, read_only=read_only)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def writing(connection: apsw.Connection) -> Iterator[None]:
    """Run the block as one write transaction: all of it or nothing."""
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        _roll_back(connection)
        raise


@contextmanager
def reading(connection: apsw.Connection) -> Iterator[None]:
    """Run the block against one state of the database; joins a transaction that is open."""
    if connection.in_transaction:
        yield
        return
    connection.execute("begin")
    try:
        yield
    finally:
        _roll_back(connection)


def _roll_back(connection: apsw.Connection) -> None:
    # After a full disk or an I/O error SQLite may have done so already.
    if connection.in_transaction:
        connection.execute("rollback")


def fetch(
    connection: apsw.Connection, query: str, bindings: Sequence[Any] | Mapping[str, Any] = ()
) -> list[tuple[Any, ...]]:
    """Run a query to its end and return its rows."""
    return connection.execute(query, bindings).fetchall()


def value(connection: apsw.Connection, query: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Any:
    """Run a query to its end and return the first value of its first row; None without a row."""
    rows = fetch(connection, query, bindings)
    return rows[0][0] if rows else None


def pragma(connection: apsw.Connection, text: str) -> Any:
    """Run a pragma to its end and return its first value, if any."""
    return value(connection, f"pragma {text}")


def _create_private(path: Path) -> None:
    """Make the folder and an empty file before SQLite does, so that no umask opens them to others."""
    try:
        if not path.parent.is_dir():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # another process may be as early
            path.parent.chmod(0o700)
        _close_to_others(path.parent)
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    except FileExistsError:
        return
    except OSError as error:
        nearest = next(folder for folder in path.absolute().parents if folder.exists())
        raise StoreError(
            f"{path} cannot be created ({error.strerror}): make {nearest} writable, "
            "or set SUI_MEMORY_HOME to another folder."
        ) from error
    try:
        os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def _close_to_others(folder: Path) -> None:
    """Take a home folder's permissions from others; a folder that holds anything else is left alone."""
    state = folder.stat()
    if not state.st_mode & _OTHERS_MAY or state.st_uid != os.geteuid():
        return
    if all(_HOME.fullmatch(name) for name in os.listdir(folder)):
        folder.chmod(0o700)


def _refuse_unsound(path: Path) -> None:
    """Raise when the file has another header, or is shorter than it says and no log could hold the rest.

    SQLite itself takes a file of a few bytes for an empty one, and writes over it.
    """
    try:
        with path.open("rb") as file:
            header = file.read(_SQLITE_HEADER_BYTES)
            size = file.seek(0, os.SEEK_END)
        logged = _has_log(path)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be read ({error.strerror}): make it readable for this user."
        ) from error
    if header and not header.startswith(_MAGIC):
        raise StoreError(
            f"{path} is not a sui-memory database; it was left as it is: move it away, or set "
            "SUI_MEMORY_HOME to another folder."
        )
    if not logged and size < _promised_size(header):
        raise StoreError(
            f"{path} is cut off: {size} bytes are left of {_promised_size(header)}; it was left as it is: "
            "put a backup in its place, or move it away and run `sui-memory backfill`."
        )


def _promised_size(header: bytes) -> int:
    """Return the size in bytes that a header states: https://sqlite.org/fileformat.html#the_database_header."""
    if not header:
        return 0
    page_size = int.from_bytes(header[16:18], "big")
    pages = int.from_bytes(header[28:32], "big")
    return max(_SQLITE_HEADER_BYTES, pages * (65536 if page_size == 1 else page_size))


def _open_for_reading(path: Path) -> apsw.Connection:
    """Open the file without writing to it, also in a folder that cannot be written.

    A reader of a WAL database shares an index file with the writers. Where none can be made nobody can
    write either, so the file is then read as what it is: immutable.
    """
    if os.access(path.parent, os.W_OK) or _has_log(path):
        return apsw.Connection(str(path), apsw.SQLITE_OPEN_READONLY)
    uri = f"{path.absolute().as_uri()}?immutable=1"
    return apsw.Connection(uri, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def _has_log(path: Path) -> bool:
    log = path.with_name(path.name + "-wal")
    return log.exists() and log.stat().st_size > 0


def _configure(connection: apsw.Connection, *, read_only: bool) -> None:
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    packing.register(connection)
    _load_vectors(connection)
    pragma(connection, f"cache_size = -{_CACHE_KIB}")
    pragma(connection, "foreign_keys = on")
    pragma(connection, "temp_store = memory")
    if read_only:
        return
    if not value(connection, "pragma page_count"):
        # Only a new file: on an old one this would wait for whoever writes, at every opening.
        pragma(connection, f"page_size = {PAGE_SIZE}")
        pragma(connection, "auto_vacuum = incremental")  # lets `compact` give free pages back
    pragma(connection, "journal_mode = wal")
    pragma(connection, "synchronous = normal")
    pragma(connection, "secure_delete = on")
    pragma(connection, f"journal_size_limit = {_WAL_LIMIT_BYTES}")


def _load_vectors(connection: apsw.Connection) -> None:
    # The package's own `loadable_path` does just this, but its import brings numpy: 70 ms for each command.
    package = find_spec("sqlite_vec")
    folder = package.submodule_search_locations[0] if package and package.submodule_search_locations else ""
    connection.enable_load_extension(True)
    connection.load_extension(os.path.join(folder, "vec0"))
    connection.enable_load_extension(False)


def _refuse_foreign(connection: apsw.Connection, path: Path) -> None:
    """Raise when the file is an SQLite database of another program."""
    with reading(connection):  # at one moment: another process may be making the archive just now
        owner = pragma(connection, "application_id")
        empty = not value(connection, "select count(*) from sqlite_schema")
    if owner != APPLICATION_ID and not (empty and owner == 0):
        raise StoreError(
            f"{path} is a database of another program; it was left as it is: "
            "set SUI_MEMORY_HOME to another folder."
        )
