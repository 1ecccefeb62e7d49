"""What is to be done in the background, and when: each thing once, however often it is asked for."""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable


class Agenda:
    """Things to do by the time they are due (`time.monotonic`). Thread-safe."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._due: dict[Hashable, float] = {}
        self._closed = False

    def add(self, item: Hashable, seconds: float = 0.0) -> None:
        """Do an item so many seconds from now; one that is waiting already is put off to then."""
        with self._condition:
            self._due[item] = time.monotonic() + seconds
            self._condition.notify()

    def next(self) -> Hashable | None:
        """Wait for the next due item and take it; None when the agenda is closed."""
        with self._condition:
            while not self._closed:
                item, due = min(self._due.items(), key=lambda entry: entry[1], default=(None, None))
                left = None if due is None else due - time.monotonic()
                if left is not None and left <= 0:
                    del self._due[item]
                    return item
                self._condition.wait(left)
        return None

    def is_due(self) -> bool:
        """Say whether something else could be done now."""
        now = time.monotonic()
        with self._condition:
            return any(due <= now for due in self._due.values())

    @property
    def is_closed(self) -> bool:
        """Say whether nothing more will be done."""
        return self._closed

    def close(self) -> None:
        """Let nothing more be taken; what waits is dropped."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def __len__(self) -> int:
        with self._condition:
            return len(self._due)
