"""An exported Ruri on onnxruntime and tokenizers alone: 0.1 s to import where torch takes 5."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sui_memory.embedding.failure import reported, require
from sui_memory.embedding.text import clean
from sui_memory.embedding.threads import polite_threads
from sui_memory.embedding.vector import unit_vectors
from sui_memory.embedding.weights import EXPORT_MANIFEST, is_export
from sui_memory.errors import ModelError
from sui_memory.types import Vector


class OnnxEmbedder:
    """Vectors of a folder that `export` made, which names its model, width, prefixes and length limit."""

    def __init__(self, folder: Path, *, threads: int | None = None) -> None:
        if not is_export(folder):
            raise ModelError(f"There is no finished export in {folder}: run `sui-memory model export`.")
        remedy = "delete that folder and run `sui-memory model export` again"
        with reported(f"The export in {folder} cannot be loaded", remedy):
            manifest = read_manifest(folder)
            self._model_id = str(manifest["model_id"])
            self._dim = int(manifest["dim"])
            self._query_prefix = str(manifest["query_prefix"])
            self._document_prefix = str(manifest["document_prefix"])
            require(self._model_id, "onnx", "onnxruntime", "tokenizers")
            self._tokenizer = _load_tokenizer(folder, int(manifest["max_tokens"]))
            self._session = _load_session(folder, threads or polite_threads())
            self._check_width()

    @property
    def model_id(self) -> str:
        """Name of the model, with `-int8`."""
        return self._model_id

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._dim

    def embed_query(self, text: str) -> Vector:
        """Return the unit vector of something asked for."""
        return self._embed(self._query_prefix + clean(text))

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector for each text, in order."""
        # One at a time: int8 activations are scaled over a whole batch, so that a text's vector would
        # depend on its neighbours, and on a CPU batches are no faster.
        return [self._embed(self._document_prefix + clean(text)) for text in texts]

    def _embed(self, text: str) -> Vector:
        import numpy as np

        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        (rows,) = self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        return unit_vectors(rows)[0]

    def _check_width(self) -> None:
        width = len(self.embed_query(""))
        if width != self._dim:
            raise ValueError(f"vectors of {width} where {EXPORT_MANIFEST} says {self._dim}")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return what an export says of itself; `ValueError` or `OSError` when it cannot be read."""
    manifest = json.loads((folder / EXPORT_MANIFEST).read_bytes())
    if not isinstance(manifest, dict):
        raise ValueError(f"{EXPORT_MANIFEST} is not an object")
    return manifest


def _load_tokenizer(folder: Path, max_tokens: int) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def _load_session(folder: Path, threads: int) -> Any:
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Idle worker threads would otherwise spin and keep a core of the daemon's host warm.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
