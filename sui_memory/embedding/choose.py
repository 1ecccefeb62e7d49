"""From the name in the settings to a model: what it is (cheap), and the model itself (loads its weights)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sui_memory.embedding import catalogue
from sui_memory.embedding.catalogue import RURI, ModelInfo, Route
from sui_memory.embedding.e5 import E5Embedder
from sui_memory.embedding.fake import FakeEmbedder
from sui_memory.embedding.onnx import OnnxEmbedder
from sui_memory.embedding.ruri import RuriEmbedder
from sui_memory.embedding.use import UseEmbedder
from sui_memory.embedding.weights import EXPORT_SUFFIX, fingerprint, folder_for, is_export, missing_files
from sui_memory.errors import ModelError
from sui_memory.types import Embedder

NAMES = ("auto", "use", "e5", *(size.name for size in RURI), "none")
"""What a user may choose by a short name; a folder or a hub's `owner/name` will do as well."""

_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


def resolve(name: str, *, models_dir: Path) -> ModelInfo | None:
    """Return which model a name or model id means here, without loading it; None means to do without.

    A name prefers the export of a model to the model; a model id means exactly that one.
    Raises `ModelError` when there is no such model.
    """
    if name == "none":
        return None
    if name == "auto":
        return next((info for info in _by_quality(models_dir) if info.usable), None)
    if name.endswith(EXPORT_SUFFIX):
        return _resolve_export(name, models_dir)
    info = resolve_original(name, models_dir=models_dir)
    if info.route is not Route.TORCH or name == info.model_id:
        return info
    export = catalogue.int8_info(info, models_dir)
    return export if export.usable else info


def open_embedder(name: str, *, models_dir: Path, threads: int | None = None) -> Embedder | None:
    """Load what a name or model id means, from this disk only; None for `none`, or when `auto` finds nothing.

    Raises `ModelError` when it is not installed, not downloaded or broken.
    """
    info = resolve(name, models_dir=models_dir)
    if info is None:
        return None
    if not info.usable:
        raise info.refusal()
    embedder = _load(info, threads)
    if embedder.dim != info.dim:
        raise ModelError(
            f"The model {info.name} in {info.folder} gives vectors of {embedder.dim} numbers where "
            f"{info.dim} were expected: choose another model, or delete that folder and download it again."
        )
    return embedder


def available(models_dir: Path) -> list[ModelInfo]:
    """Return every model with a short name, and the exports made of them; cheap, for listings."""
    listed = [catalogue.use_info(), catalogue.e5_info()]
    for size in RURI:
        original = catalogue.size_info(size, models_dir)
        export = catalogue.int8_info(original, models_dir)
        listed += [original, export] if export.at_hand else [original]
    return listed


def _by_quality(models_dir: Path) -> Iterator[ModelInfo]:
    """Yield what `auto` considers: exports of Ruri, then Ruri itself, largest first; then use, then e5."""
    originals = [catalogue.size_info(size, models_dir) for size in RURI]
    yield from (catalogue.int8_info(original, models_dir) for original in originals)
    yield from originals
    yield catalogue.use_info()
    yield catalogue.e5_info()


def _resolve_export(name: str, models_dir: Path) -> ModelInfo:
    folder = folder_for(name, models_dir)
    if is_export(folder):
        return catalogue.export_info(folder)
    return catalogue.int8_info(
        resolve_original(name.removesuffix(EXPORT_SUFFIX), models_dir=models_dir), models_dir
    )


def resolve_original(name: str, *, models_dir: Path) -> ModelInfo:
    """Return the model of a name or model id, never its export. Raises `ModelError` when there is none."""
    for info in (catalogue.use_info(), catalogue.e5_info(), catalogue.fake_info()):
        if name in {info.name, info.model_id}:
            return info
    for size in RURI:
        if name in {size.name, size.model_id, size.hub}:
            return catalogue.size_info(size, models_dir)
    if name and Path(name).expanduser().is_dir():
        return _resolve_folder(Path(name).expanduser().resolve(), models_dir)
    if name.startswith(("/", "~", ".")):
        raise ModelError(
            f"There is no model folder {name}: check the path, or choose one of {', '.join(NAMES)}."
        )
    hub = name.replace("--", "/")
    if _HUB_NAME.fullmatch(hub):
        return catalogue.hub_info(hub, models_dir)
    raise ModelError(
        f"There is no model {name!r}: choose one of {', '.join(NAMES)}, a folder, or a hub's owner/name."
    )


def _resolve_folder(folder: Path, models_dir: Path) -> ModelInfo:
    if is_export(folder):
        return catalogue.export_info(folder)
    missing = missing_files(folder)
    if missing:
        raise ModelError(
            f"The folder {folder} is no model, it has no {', '.join(missing)}: name another folder."
        )
    if folder.parent == models_dir.resolve():
        return catalogue.folder_info(folder, folder.name)
    return catalogue.folder_info(folder, f"{folder.name}-{fingerprint(folder)}")


def _load(info: ModelInfo, threads: int | None) -> Embedder:
    if info.route is Route.USE:
        return UseEmbedder(threads=threads)
    if info.route is Route.E5:
        return E5Embedder(threads=threads)
    if info.folder is None:
        return FakeEmbedder()
    if info.route is Route.ONNX:
        return OnnxEmbedder(info.folder, threads=threads)
    return RuriEmbedder(info.folder, info.model_id, threads=threads)
