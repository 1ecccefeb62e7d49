"""Ruri v3 (ModernBERT-Ja) and models tuned from it, through sentence-transformers on torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sui_memory.embedding.failure import reported, require
from sui_memory.embedding.text import batches, clean
from sui_memory.embedding.threads import polite_threads
from sui_memory.embedding.vector import unit_vectors
from sui_memory.embedding.weights import missing_files
from sui_memory.errors import ModelError
from sui_memory.types import Vector

QUERY_PREFIX = "検索クエリ: "
DOCUMENT_PREFIX = "検索文書: "
"""From the model card of Ruri v3. Prepended here, because the saved prompts of a model may be empty."""

MAX_TOKENS = 512
"""A passage of 800 Japanese characters has about 450 tokens; attention over 8,192 would cost gigabytes."""

BATCH_CHARS = 6_400
"""Characters of a padded batch: eight passages, some 100 MB of activations with the largest size."""


class RuriEmbedder:
    """Vectors of a SentenceTransformer folder. Importing torch takes 5 s, so keep one per process."""

    def __init__(
        self, folder: Path, model_id: str, *, threads: int | None = None, device: str = "cpu"
    ) -> None:
        require(model_id, "ruri", "sentence_transformers")
        missing = missing_files(folder)
        if missing:
            raise ModelError(
                f"The model folder {folder} has no {', '.join(missing)}: "
                "download it again, or name another folder."
            )
        self._model_id = model_id
        with reported(
            f"The model {model_id} cannot be loaded from {folder}", "delete that folder and download it again"
        ):
            self._model = _load(folder, device, threads or polite_threads())
            self._dim = len(self._embed(["", "a"])[0])

    @property
    def model_id(self) -> str:
        """Name of the model."""
        return self._model_id

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._dim

    @property
    def transformer(self) -> Any:
        """The loaded SentenceTransformer, for the export."""
        return self._model

    def embed_query(self, text: str) -> Vector:
        """Return the unit vector of something asked for."""
        return self._embed([QUERY_PREFIX + clean(text)])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector for each text, in order."""
        prefixed = [DOCUMENT_PREFIX + clean(text) for text in texts]
        vectors: list[Vector] = [()] * len(prefixed)
        for batch in batches(prefixed, BATCH_CHARS):
            for index, vector in zip(batch, self._embed([prefixed[i] for i in batch]), strict=True):
                vectors[index] = vector
        return vectors

    def _embed(self, texts: list[str]) -> list[Vector]:
        # An empty prompt keeps a saved default prompt from being added to ours.
        rows = self._model.encode(texts, prompt="", batch_size=len(texts), show_progress_bar=False)
        return unit_vectors(rows)


def _load(folder: Path, device: str, threads: int) -> Any:
    """Load a SentenceTransformer without asking any hub."""
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.set_num_threads(threads)
    model = SentenceTransformer(str(folder), device=device, local_files_only=True)
    model.max_seq_length = min(model.max_seq_length or MAX_TOKENS, MAX_TOKENS)
    return model
