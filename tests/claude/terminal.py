"""A program on a terminal of its own: what it shows, what is typed, and how the terminal is taken away."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

LIMIT = 60.0
"""Seconds after which something that was waited for will not happen; far above what a busy machine needs."""

ENTER, CTRL_C, CTRL_D, CTRL_U = "\r", "\x03", "\x04", "\x15"

_STILL = 0.3
"""Seconds without a change after which a program waits for keys: while it works, it shows that it does."""

_ROWS, _COLUMNS = 50, 160

# The descriptors of a child are set before it runs, but a terminal must be taken by the child itself.
_TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""

# Control sequences, titles and the like, and single control letters.
_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]P_^X].*?(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|[\x00-\x1f\x7f]"
)

# "What are you?", which programs wait for, and what a plain terminal says.
_QUESTIONS = {b"\x1b[c": "\x1b[?1;2c", b"\x1b[0c": "\x1b[?1;2c", b"\x1b[5n": "\x1b[0n"}


def wait_until(condition: Callable[[], object], what: str | Callable[[], str], limit: float = LIMIT) -> None:
    """Return as soon as a condition holds; fail the test, saying what was missed, when it never does."""
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            missed = what if isinstance(what, str) else what()
            raise AssertionError(f"waited {limit:g} s in vain for {missed}")
        time.sleep(0.05)


class Terminal:
    """A terminal with a program in front of it."""

    def __init__(self, process: subprocess.Popen[bytes], ours: int) -> None:
        self.process = process
        self._ours: int | None = ours
        self._lock = threading.Lock()
        self._bytes = bytearray()
        self._changed = time.monotonic()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def shown(self) -> str:
        """Everything that was shown so far, without spaces: a program may jump over them."""
        return _squeezed(_CONTROL.sub("", bytes(self._bytes).decode("utf-8", "ignore")))

    def __str__(self) -> str:
        return f"the terminal shows:\n{self.shown[-3000:]}"

    def shows(self, text: str, since: int = 0) -> bool:
        """Say whether a text was shown, from a position of `shown` on."""
        return _squeezed(text) in self.shown[since:]

    def wait_for(self, text: str, since: int = 0) -> None:
        """Return when a text is shown, from a position of `shown` on."""
        wait_until(
            lambda: self.shows(text, since), lambda: f"{text!r} on the terminal:\n{self.shown[-3000:]}"
        )

    def is_still(self) -> bool:
        """Say whether the program shows no sign of work."""
        return time.monotonic() - self._changed > _STILL

    def send(self, keys: str) -> None:
        """Press keys."""
        with self._lock:
            if self._ours is not None:
                os.write(self._ours, keys.encode())

    def close(self) -> None:
        """Take the terminal away, as closing its window does."""
        with self._lock:
            if self._ours is not None:
                os.close(self._ours)
            self._ours = None
        self._reader.join()

    def _read(self) -> None:
        """Read until the program has ended or the terminal is closed."""
        while True:
            with self._lock:
                shown = self._take()
            if shown is None:
                return
            if shown:
                self._keep(shown)
            else:
                time.sleep(0.01)

    def _keep(self, shown: bytes) -> None:
        self._bytes += shown
        self._changed = time.monotonic()
        for question, reply in _QUESTIONS.items():
            if question in shown:
                self.send(reply)

    def _take(self) -> bytes | None:
        """Return what can be read without waiting; None at the end: Linux raises EIO, macOS gives nothing."""
        if self._ours is None:
            return None
        try:
            return os.read(self._ours, 65536) or None
        except BlockingIOError:
            return b""
        except OSError:
            return None


def _squeezed(text: str) -> str:
    return "".join(text.split())


@contextmanager
def on_terminal(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Iterator[Terminal]:
    """Start a program on a new terminal; at the end of the block it is killed if it still runs."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    termios.tcsetwinsize(theirs, (_ROWS, _COLUMNS))
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _TAKE_TERMINAL, *command],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env=environment,
        start_new_session=True,
    )
    os.close(theirs)
    terminal = Terminal(process, ours)
    try:
        yield terminal
    finally:
        process.kill()
        process.wait()
        terminal.close()
