"""Converts a loaded Ruri once into an int8 ONNX folder, and keeps it only if the vectors agree."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from sui_memory.embedding.catalogue import Route
from sui_memory.embedding.choose import resolve_original
from sui_memory.embedding.failure import reported, require
from sui_memory.embedding.onnx import OnnxEmbedder
from sui_memory.embedding.ruri import DOCUMENT_PREFIX, MAX_TOKENS, QUERY_PREFIX, RuriEmbedder
from sui_memory.embedding.weights import EXPORT_MANIFEST, EXPORT_SUFFIX, folder_for
from sui_memory.errors import ModelError
from sui_memory.types import Embedder

OPSET = 18
"""ONNX operators that onnxruntime has run since 1.14 and that express all of ModernBERT."""

MIN_GRAPH_COSINE = 0.9999
"""Agreement of the float32 graph with torch. Less means a wrong graph or tokenizer: 1 - 1e-6 is usual."""

MIN_INT8_COSINE = 0.95
"""Agreement after quantisation. Below this, neighbours among real texts begin to change places."""

PROBES = (
    "認証のトークンはどこで更新していますか",
    "データベースの接続が切れる原因は、プールの上限が 20 本だったことでした。50 に増やしました。",
    "昨日の続きをお願いします",
    "鍵",
    "Why does the login page stay blank after the redirect?",
    "def read(path: Path) -> str:\n    return path.read_text(encoding='utf-8')",
    "TypeError: unsupported operand type(s) for +: 'int' and 'str' at src/billing/invoice.py:42",
    "猫が好きな人は静かな部屋を選びます。" * 60,
)


def export_model(
    name: str, *, models_dir: Path, on_start: Callable[[str], None] = lambda model_id: None
) -> tuple[Path, float]:
    """Export the weights that a name means to where they are preferred from now on.

    Returns that folder and the least cosine with the original. Takes a minute and, for the largest size,
    6 GB of memory; `on_start` is told the model when nothing is in the way. Raises `ModelError`.
    """
    info = resolve_original(name, models_dir=models_dir)
    if info.route is not Route.TORCH:
        raise ModelError(f"The model {info.name} cannot be exported: choose a Ruri or another torch model.")
    if not info.installed or info.folder is None:
        raise info.refusal()
    on_start(info.model_id)
    target = folder_for(info.model_id + EXPORT_SUFFIX, models_dir)
    return target, export(RuriEmbedder(info.folder, info.model_id), target)


def export(embedder: RuriEmbedder, target: Path, *, least_cosine: float = MIN_INT8_COSINE) -> float:
    """Write an int8 ONNX of `embedder` to the folder `target`, and return the least cosine with the original.

    The folder appears whole or not at all. Raises `ModelError` when the vectors agree
    less than `least_cosine`, or the files cannot be written.
    """
    require("export", "ruri", "onnx", "onnxruntime")
    remedy = "make room there, or go on using the model without an export"
    with reported(f"The model {embedder.model_id} cannot be exported to {target}", remedy):
        target.parent.mkdir(parents=True, exist_ok=True)
        for leftover in target.parent.glob(f".{target.name}.*"):
            # A killed export leaves up to 1.6 GB behind.
            shutil.rmtree(leftover, ignore_errors=True)
        work = Path(mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        try:
            cosine = _convert(embedder, work, least_cosine)
            _replace(work, target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return cosine


def agreement(left: Embedder, right: Embedder) -> float:
    """Return the least cosine between two models' vectors of `PROBES`, as queries and as documents."""
    pairs = list(zip(left.embed_documents(PROBES), right.embed_documents(PROBES), strict=True))
    pairs += [(left.embed_query(text), right.embed_query(text)) for text in PROBES]
    return min(sum(a * b for a, b in zip(one, other, strict=True)) for one, other in pairs)


def _convert(embedder: RuriEmbedder, work: Path, least_cosine: float) -> float:
    """Fill `work` with a checked export: first the float32 graph, then int8 in its place."""
    model, exact = work / "model.onnx", work / "exact.onnx"
    embedder.transformer.tokenizer.backend_tokenizer.save(str(work / "tokenizer.json"))
    _write_manifest(embedder, work)
    _trace(embedder.transformer, model)
    _demand(embedder, work, MIN_GRAPH_COSINE)
    model.rename(exact)
    _quantise(exact, model)
    exact.unlink()
    return _demand(embedder, work, least_cosine)


def _demand(embedder: RuriEmbedder, work: Path, least: float) -> float:
    cosine = agreement(embedder, OnnxEmbedder(work))
    # Not `<`, so that NaN is refused too.
    if not cosine >= least:
        raise ModelError(
            f"The export of {embedder.model_id} was thrown away, because its vectors agree with the original "
            f"only to a cosine of {cosine:.4f} (needed: {least}); go on using the model without an export."
        )
    return cosine


def _trace(transformer: Any, path: Path) -> None:
    """Write the float32 graph from token ids to the pooled, normalised vector."""
    import torch

    class Encoder(torch.nn.Module):  # type: ignore[misc]  # torch is not installed where mypy runs
        def __init__(self) -> None:
            super().__init__()
            self.transformer = transformer

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            features = self.transformer({"input_ids": input_ids, "attention_mask": attention_mask})
            return torch.nn.functional.normalize(features["sentence_embedding"], dim=-1)

    ids = torch.ones((2, 16), dtype=torch.int64)
    shape = {0: "batch", 1: "tokens"}
    with warnings.catch_warnings(), torch.inference_mode():
        # The TorchScript exporter is deprecated and traces shapes; the check of the vectors decides.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Encoder().eval(),
            (ids, torch.ones_like(ids)),
            str(path),
            dynamo=False,
            opset_version=OPSET,
            input_names=["input_ids", "attention_mask"],
            output_names=["sentence_embedding"],
            dynamic_axes={"input_ids": shape, "attention_mask": shape, "sentence_embedding": {0: "batch"}},
        )


def _quantise(exact: Path, path: Path) -> None:
    """Write an int8 copy of a graph: weights by channel, activations at run time."""
    import logging

    from onnxruntime.quantization import QuantType, quantize_dynamic

    # The library recommends a preprocessing step through the root logger; it gains nothing here.
    logging.disable(logging.WARNING)
    try:
        quantize_dynamic(
            exact,
            path,
            op_types_to_quantize=["MatMul", "Gather", "Gemm"],
            per_channel=True,
            weight_type=QuantType.QInt8,
        )
    finally:
        logging.disable(logging.NOTSET)


def _write_manifest(embedder: RuriEmbedder, work: Path) -> None:
    manifest = {
        "model_id": embedder.model_id + EXPORT_SUFFIX,
        "dim": embedder.dim,
        "max_tokens": min(MAX_TOKENS, embedder.transformer.max_seq_length),
        "query_prefix": QUERY_PREFIX,
        "document_prefix": DOCUMENT_PREFIX,
    }
    text = json.dumps(manifest, ensure_ascii=False, indent=2)
    (work / EXPORT_MANIFEST).write_text(text + "\n", encoding="utf-8")


def _replace(work: Path, target: Path) -> None:
    """Put the finished folder in the place of an older one."""
    shutil.rmtree(target, ignore_errors=True)
    work.chmod(0o700)
    work.rename(target)
