"""An archive whose searches the daemon answers, when one runs: it holds the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from sui_memory.app import App, open_app
from sui_memory.config import Settings
from sui_memory.daemon import client
from sui_memory.errors import DaemonError
from sui_memory.recall import Prompt, Recollection
from sui_memory.searching import Found
from sui_memory.types import Scope

_Answer = TypeVar("_Answer")


class Served(App):
    """Asks the daemon first, and does the same here when there is none, or one of an older version."""

    def search(self, text: str, scope: Scope = Scope(), *, limit: int = 10, offset: int = 0) -> Found:
        """Find memories as `App.search` does."""
        found = _told(lambda: client.search(self.settings, text, scope, limit=limit, offset=offset))
        return found or super().search(text, scope, limit=limit, offset=offset)

    def bring_to_mind(self, prompt: Prompt, limit: int) -> Recollection:
        """Recall as `App.bring_to_mind` does."""
        told = _told(lambda: client.recall(self.settings, prompt.text, prompt.project, limit=limit))
        return told or super().bring_to_mind(prompt, limit)


@contextmanager
def open_served(settings: Settings) -> Iterator[App]:
    """Open an archive as `open_app` does, with the daemon asked first."""
    with open_app(settings, kind=Served) as app:
        yield app


def _told(ask: Callable[[], _Answer | None]) -> _Answer | None:
    try:
        return ask()
    except DaemonError:
        return None
