"""Keeps an archive open in one thread, as long as it is the one that this daemon serves."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from sui_memory.app import App, open_app
from sui_memory.config import Settings
from sui_memory.daemon.place import Place
from sui_memory.errors import DaemonError
from sui_memory.types import Embedder


class Hold:
    """An open `App` for one thread. Whoever moved or deleted the database gets another daemon."""

    def __init__(self, settings: Settings, load: Callable[[str], Embedder | None], place: Place) -> None:
        self._settings = settings
        self._load = load
        self._place = place
        self._opened: AbstractContextManager[App] | None = None
        self._app: App | None = None

    def app(self) -> App:
        """Return the archive; raises `DaemonError` when the home or its database is no longer the same."""
        if not self._place.is_ours():
            # Opening would make the folder that somebody has just removed.
            raise DaemonError(f"{self._settings.home} is no longer this daemon's.")
        if self._app is None:
            self._opened = open_app(self._settings, load=self._load)
            self._app = self._opened.__enter__()
            self._place.settle(self._settings.database)
        return self._app

    def close(self) -> None:
        """Give the archive up; the next call opens it again."""
        opened, self._opened, self._app = self._opened, None, None
        if opened is not None:
            opened.__exit__(None, None, None)
