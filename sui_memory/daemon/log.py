"""The daemon's log: one line for each thing that happened, never a word of a conversation."""

from __future__ import annotations

import logging
import os
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path

from sui_memory.errors import SuiMemoryError

log = logging.getLogger("sui_memory.daemon")
_MAX_BYTES = 1_000_000
_OLD_FILES = 1


class _PrivateFile(RotatingFileHandler):
    """A rotating file that only its owner can read."""

    def _open(self):  # type: ignore[no-untyped-def]  # noqa: ANN202 - typeshed's own is private, too
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        return os.fdopen(os.open(self.baseFilename, flags, 0o600), "a", encoding="utf-8")

    def handleError(self, record: logging.LogRecord) -> None:
        """Go on without the line: the disk may be full, and nobody listens on stderr."""


def open_log(path: Path) -> None:
    """Send the log to a file of at most 1 MB, with one older one beside it."""
    handler = _PrivateFile(path, maxBytes=_MAX_BYTES, backupCount=_OLD_FILES, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.handlers = [handler]
    log.setLevel(logging.INFO)
    log.propagate = False


def log_failure(doing: str, error: BaseException) -> None:
    """Write down what failed and where. The message of a foreign exception may quote what was said."""
    if isinstance(error, SuiMemoryError):
        log.warning("%s failed: %s", doing, error)
        return
    frames = traceback.extract_tb(error.__traceback__)
    where = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames))
    log.error("%s failed: %s at %s", doing, type(error).__name__, where)
