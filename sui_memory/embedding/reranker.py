"""Rerankers: cross-encoders from a folder or the hub's cache, through sentence-transformers on torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sui_memory.embedding.failure import reported, require
from sui_memory.embedding.text import clean
from sui_memory.embedding.threads import polite_threads
from sui_memory.embedding.weights import find_weights, missing_weights
from sui_memory.errors import ModelError
from sui_memory.types import Reranker

MAX_TOKENS = 512
"""Of a query and a passage together: a passage of 800 Japanese characters has about 450."""

BATCH = 8
"""Pairs read at once: some 100 MB of activations with 310 million parameters."""


def find_reranker(name: str, *, models_dir: Path) -> Path | None:
    """Return the folder that a setting names, loading nothing; None when it is `none`.

    It may be a path, a folder of `models_dir`, or a hub's owner/name that lies there or in the hub's cache.
    Raises `ModelError` when it is not here, or not whole, or its program is not installed.
    """
    if name == "none":
        return None
    require(name, "ruri", "sentence_transformers")
    named = Path(name).expanduser()
    folder = named if named.is_dir() else models_dir / name
    if folder.is_dir():
        missing = missing_weights(folder)
        if missing:
            raise ModelError(
                f"The reranker folder {folder} has no {', '.join(missing)}: "
                "download it again, or name another folder."
            )
        return folder
    found = find_weights(name, name.replace("/", "--"), models_dir, missing_weights)
    if found is None:
        raise ModelError(
            f"The reranker {name} is not on this disk: download it with "
            f"`uvx --from huggingface-hub hf download {name}`, "
            f"or put its folder into {models_dir}."
        )
    return found


def open_reranker(name: str, *, models_dir: Path, threads: int | None = None) -> Reranker | None:
    """Load the reranker that a setting names, from this disk only; None for `none`. Raises `ModelError`."""
    folder = find_reranker(name, models_dir=models_dir)
    return None if folder is None else CrossEncoderReranker(folder, threads=threads)


class CrossEncoderReranker:
    """Scores of a cross-encoder with one output. Importing torch takes 5 s, so keep one per process."""

    def __init__(self, folder: Path, *, threads: int | None = None) -> None:
        remedy = "choose another, or delete that folder and download it again"
        with reported(f"The reranker in {folder} cannot be loaded", remedy):
            self._model = _load(folder, threads or polite_threads())
            self.scores("a", ["b"])

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        """Return how well each passage answers the query, in order; what is no number is 0."""
        if not passages:
            return []
        pairs = [(clean(query), clean(passage)) for passage in passages]
        rows = self._model.predict(pairs, batch_size=BATCH, show_progress_bar=False)
        if rows.ndim != 1:
            raise ModelError(f"This model gives {rows.shape[-1]} scores for a passage: it is no reranker.")
        return [score if math.isfinite(score) else 0.0 for score in map(float, rows)]


def _load(folder: Path, threads: int) -> Any:
    """Load a cross-encoder without asking any hub."""
    import torch
    from sentence_transformers import CrossEncoder
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.set_num_threads(threads)
    return CrossEncoder(str(folder), device="cpu", max_length=MAX_TOKENS, local_files_only=True)
