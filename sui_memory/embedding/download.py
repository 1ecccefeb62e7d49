"""Fetches weights from the hub, only ever on request. A model appears under its name when it is whole."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from threading import Event, Thread
from typing import Any

from sui_memory.embedding.catalogue import RURI, ModelInfo, Route
from sui_memory.embedding.choose import resolve_original
from sui_memory.embedding.failure import reported, require
from sui_memory.embedding.weights import folder_for, missing_files
from sui_memory.errors import ModelError

Progress = Callable[[int, int], None]
"""Called with the bytes that are here and all bytes, now and then, from another thread."""

WANTED = ("*.json", "*.safetensors", "*.model", "*.txt")
UNWANTED = ("onnx/*", "openvino/*")
"""What sentence-transformers reads, without the copies of the weights in other formats."""

_PROGRESS_SECONDS = 0.2


def download(name: str, *, models_dir: Path, progress: Progress | None = None) -> Path:
    """Download a hub's model into `models_dir` unless it is at hand, and return its folder.

    What a broken download leaves is hidden beside it and resumed by the next one. Raises `ModelError`.
    """
    info = resolve_original(name, models_dir=models_dir)
    if info.folder:
        return info.folder
    if info.route is not Route.TORCH:
        raise ModelError(f"The model {info.name} comes with its package, there is nothing to download.")
    require(name, "ruri", "huggingface_hub")
    folder = folder_for(info.model_id, models_dir)
    partial = folder.with_name(f".{folder.name}.partial")
    remedy = (
        f"check the network and run `sui-memory model download {name}` again; until then other models serve"
    )
    with reported(f"The model {name} cannot be downloaded", remedy):
        _fetch(_hub_of(info), partial, progress)
        _adopt(partial, folder)
    return folder


def _hub_of(info: ModelInfo) -> str:
    return next((size.hub for size in RURI if size.model_id == info.model_id), info.name)


def _fetch(hub: str, partial: Path, progress: Progress | None) -> None:
    """Fill `partial` with one revision of a repository."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils import disable_progress_bars, logging

    disable_progress_bars()
    logging.set_verbosity_error()
    repository = _look_up(hub)
    sizes = {file.rfilename: file.size or 0 for file in repository.siblings or ()}
    total = sum(size for path, size in sizes.items() if _is_wanted(path))
    partial.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _watched(partial, total, progress):
        snapshot_download(
            hub,
            revision=repository.sha,
            local_dir=partial,
            allow_patterns=list(WANTED),
            ignore_patterns=list(UNWANTED),
        )


def _look_up(hub: str) -> Any:
    """Return the newest revision of a repository with its files and their sizes."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        return HfApi().model_info(hub, files_metadata=True)
    except RepositoryNotFoundError as error:
        raise ModelError(f"The hub has no model {hub}: check the name.") from error


def _is_wanted(path: str) -> bool:
    return any(fnmatch(path, wanted) for wanted in WANTED) and not any(fnmatch(path, no) for no in UNWANTED)


def _adopt(partial: Path, folder: Path) -> None:
    """Move a finished download to its name."""
    missing = missing_files(partial)
    if missing:
        raise ModelError(
            f"The download has no {', '.join(missing)}, so it is no SentenceTransformer: choose another."
        )
    shutil.rmtree(partial / ".cache", ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)


@contextmanager
def _watched(folder: Path, total: int, progress: Progress | None) -> Iterator[None]:
    """Report how a folder grows. The library's own progress differs between its versions and transports."""
    if progress is None:
        yield
        return
    done = Event()

    def watch() -> None:
        while not done.wait(_PROGRESS_SECONDS):
            progress(min(total, _growing_size(folder)), total)

    watcher = Thread(target=watch, name="download-progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
    progress(total, total)


def _growing_size(folder: Path) -> int:
    """Return the bytes below a folder whose files are renamed meanwhile."""
    size = 0
    for path in folder.rglob("*"):
        try:
            size += path.stat().st_size if path.is_file() else 0
        except OSError:
            continue
    return size
