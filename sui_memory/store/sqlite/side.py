"""What the parts of the store beside the memories share: its connection, and how it is read and written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from sui_memory.store.sqlite.connection import reading, writing
from sui_memory.store.sqlite.failures import reported


class Side:
    """A part beside the memories, on the store's own connection and thread."""

    def __init__(self, connection: apsw.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    @contextmanager
    def _read(self) -> Iterator[apsw.Connection]:
        with reported(self._path), reading(self._connection):
            yield self._connection

    @contextmanager
    def _write(self) -> Iterator[apsw.Connection]:
        with reported(self._path), writing(self._connection):
            yield self._connection
