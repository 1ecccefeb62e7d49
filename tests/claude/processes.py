"""What runs on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """A running process: its id, its command, and the environment it was started in."""

    id: int
    command: str
    place: str

    def __repr__(self) -> str:
        return f"{self.id}: {self.command}"

    @property
    def is_daemon(self) -> bool:
        """Whether it is the memory's daemon."""
        return "sui_memory" in self.command and "daemon" in self.command


def running() -> Iterator[Process]:
    """Return all processes of this user but the tests' own."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command, environment = ((folder / name).read_bytes() for name in ("cmdline", "environ"))
        except OSError:  # it has ended meanwhile, or is another user's
            continue
        words = command.replace(b"\0", b" ").decode(errors="replace")
        if command and int(folder.name) != os.getpid():
            yield Process(int(folder.name), words, words + environment.decode(errors="replace"))
