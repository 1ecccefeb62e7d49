"""Puts the parts of the daemon together: who reads, who writes, who holds the model, who listens."""

from __future__ import annotations

import asyncio
import socket

from sui_memory.config import Settings
from sui_memory.daemon.archivist import Archivist
from sui_memory.daemon.desk import Desk
from sui_memory.daemon.freshness import Origin
from sui_memory.daemon.hold import Hold
from sui_memory.daemon.log import log
from sui_memory.daemon.model import ResidentModel
from sui_memory.daemon.place import Place
from sui_memory.daemon.quiet import Quiet
from sui_memory.daemon.recaller import Recaller
from sui_memory.daemon.server import Server
from sui_memory.embedding import open_embedder
from sui_memory.types import Embedder

_STOP_SECONDS = 5.0


def serve(settings: Settings, place: Place, listener: socket.socket) -> None:
    """Serve a home folder until the end, and end every thread."""
    origin = Origin(settings)
    quiet = Quiet()

    def load(model_id: str) -> Embedder | None:
        return open_embedder(model_id, models_dir=settings.models_dir, threads=settings.threads or None)

    model = ResidentModel(load, quiet)
    recaller = Recaller(settings, model, quiet, place)
    archivist = Archivist(Hold(settings, model.open, place), quiet)
    desk = Desk(settings, recaller, archivist, model)
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
