"""The life of a daemon: takes its place, serves, and leaves nothing behind."""

from __future__ import annotations

import os
import sys

from sui_memory.config import Settings
from sui_memory.daemon.log import log_failure, open_log
from sui_memory.daemon.place import LOG_NAME, Place

_SWITCH_SECONDS = 0.0001
"""How long one thread may keep the interpreter while another wants it. An answer gives it away at every look
into the database: beside a thread that is busy in Python it takes 51 ms with this and 1,010 with Python's own
5 ms; alone it takes the same."""


def run(settings: Settings) -> bool:
    """Be the daemon of a home folder until the end; False at once when another process is.

    It listens before anything heavy is imported: the client that started it waits.
    """
    os.umask(0o077)
    _use_one_core()
    place = Place(settings.home)
    if not place.take():
        return False
    open_log(settings.home / LOG_NAME)
    try:
        listener = place.listen()
        from sui_memory.daemon.house import serve

        serve(settings, place, listener)
    except Exception as error:
        log_failure("the daemon", error)
        raise
    finally:
        place.leave()
    return True


def _use_one_core() -> None:
    """Keep numpy from waking a thread for each core: its work here is short, and the cores are others'."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    sys.setswitchinterval(_SWITCH_SECONDS)
