"""The archive as the server's one working thread has it: open, or opened anew when it was replaced."""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sui_memory.config import Settings

if TYPE_CHECKING:
    from sui_memory.app import App
    from sui_memory.mind import Mind


class Library:
    """Holds the archive for one thread. What takes time to import is imported with the first call.

    `folder` is where one works: what Claude Code says, or else where the server was started.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._worked_in = os.environ.get("CLAUDE_PROJECT_DIR") or None
        self.folder = self._worked_in or str(Path.cwd())
        self._opened = ExitStack()
        self._app: App | None = None
        self._file: tuple[int, int] | None = None

    @property
    def app(self) -> App:
        """The archive; made when there is none yet."""
        if self._app is None or self._file != self._identity():
            from sui_memory.mcp_server.served import open_served

            self.close()
            self._app = self._opened.enter_context(open_served(self.settings))
            self._file = self._identity()
        return self._app

    @property
    def mind(self) -> Mind:
        """What can be done with memories on purpose."""
        return self.app.mind

    @cached_property
    def project(self) -> str | None:
        """The project that what is kept belongs to; where a desktop program was started tells of none."""
        from sui_memory.transcript.project import project_of

        return project_of(self._worked_in) if self._worked_in else None

    def warm(self) -> None:
        """Open the archive, if there is one, before the first call waits for it."""
        if self.settings.database.exists():
            self.app.analyzer.query_terms("記憶")

    def terms(self, text: str) -> list[str]:
        """Return the words of a cue, as written and as indexed, by which excerpts are chosen."""
        from sui_memory.context import surface_terms

        return list(dict.fromkeys((*surface_terms(text), *self.app.analyzer.query_terms(text))))

    def announce(self) -> None:
        """Have the daemon, if one runs, make the vectors of what was just stored."""
        from sui_memory.daemon import client
        from sui_memory.errors import DaemonError

        try:
            client.embed(self.settings)
        except DaemonError:
            return  # of another version; the next sync makes them

    def close(self) -> None:
        """Give the archive up; the next call opens it again."""
        self._app = None
        self._opened.close()

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self.settings.database)
        except OSError:
            return None
        return found.st_dev, found.st_ino
