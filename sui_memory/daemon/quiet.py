"""Prompts first: what works in the background waits while one is being answered."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_PATIENCE_SECONDS = 2.0
"""The longest wait: a stream of prompts slows archiving down, but never stops it."""


class Quiet:
    """Counts the prompts being answered and lets others wait for there being none. Thread-safe."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._prompts = 0

    @contextmanager
    def broken(self) -> Iterator[None]:
        """Answer a prompt inside the block."""
        with self._condition:
            self._prompts += 1
        try:
            yield
        finally:
            with self._condition:
                self._prompts -= 1
                self._condition.notify_all()

    def wait(self) -> None:
        """Return when no prompt is being answered, or patience is at an end."""
        with self._condition:
            self._condition.wait_for(lambda: self._prompts == 0, _PATIENCE_SECONDS)
