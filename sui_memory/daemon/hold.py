"""Keeps an archive open in one thread, and opens it anew when the file under it is another one."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager

from sui_memory.app import App, open_app
from sui_memory.config import Settings
from sui_memory.errors import DaemonError
from sui_memory.types import Embedder

_Identity = tuple[int, int]


class Hold:
    """An open `App` for one thread. A database that was moved away or deleted is given up for a new one."""

    def __init__(
        self,
        settings: Settings,
        load: Callable[[str], Embedder | None],
        is_wanted: Callable[[], bool],
        on_open: Callable[[App], None] = lambda _: None,
    ) -> None:
        self._settings = settings
        self._load = load
        self._is_wanted = is_wanted
        self._on_open = on_open
        self._opened: AbstractContextManager[App] | None = None
        self._app: App | None = None
        self._identity: _Identity | None = None

    def app(self) -> App:
        """Return the archive that is there now; raises `DaemonError` when the home itself is gone."""
        if self._app is None or self._identity != self._present():
            self.close()
            if not self._is_wanted():
                # Opening would make the folder that somebody has just removed.
                raise DaemonError(f"{self._settings.home} is no longer this daemon's.")
            self._opened = open_app(self._settings, load=self._load)
            self._app = self._opened.__enter__()
            self._identity = self._present()
            self._on_open(self._app)
        return self._app

    def close(self) -> None:
        """Give the archive up; the next call opens it again."""
        opened, self._opened, self._app = self._opened, None, None
        if opened is not None:
            opened.__exit__(None, None, None)

    def _present(self) -> _Identity | None:
        try:
            status = os.stat(self._settings.database)
        except OSError:
            return None
        return status.st_dev, status.st_ino
