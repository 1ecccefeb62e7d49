"""The life of a daemon: takes its place, serves, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os

from sui_memory.archive import default_tools
from sui_memory.config import Settings
from sui_memory.daemon.archivist import Archivist
from sui_memory.daemon.desk import Desk
from sui_memory.daemon.freshness import Origin
from sui_memory.daemon.hold import Hold
from sui_memory.daemon.log import log, log_failure, open_log
from sui_memory.daemon.model import ResidentModel
from sui_memory.daemon.place import LOG_NAME, Place
from sui_memory.daemon.quiet import Quiet
from sui_memory.daemon.recaller import Recaller
from sui_memory.daemon.server import Server
from sui_memory.embedding import open_embedder
from sui_memory.types import Embedder

_STOP_SECONDS = 5.0


def run(settings: Settings) -> bool:
    """Be the daemon of a home folder until the end; False at once when another process is."""
    os.umask(0o077)
    _use_one_core()
    place = Place(settings.home)
    if not place.take():
        return False
    open_log(settings.home / LOG_NAME)
    try:
        _serve(settings, place)
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


def _serve(settings: Settings, place: Place) -> None:
    origin = Origin(settings)
    quiet = Quiet()

    def load(model_id: str) -> Embedder | None:
        return open_embedder(model_id, models_dir=settings.models_dir, threads=settings.threads or None)

    model = ResidentModel(load, quiet)
    recaller = Recaller(settings, model, quiet, place.is_ours)
    archivist = Archivist(Hold(settings, model.open, place.is_ours), quiet)
    desk = Desk(settings, recaller, archivist, model, default_tools().adapter.home())
    listener = place.listen()
    recaller.open()
    archivist.start()
    try:
        asyncio.run(Server(settings, place, origin, desk, archivist).serve(listener))
    finally:
        place.hide()
        if not archivist.stop(_STOP_SECONDS):
            log.warning("ended in the middle of its work, which the next one does again")
        recaller.close(_STOP_SECONDS)
        model.close()
