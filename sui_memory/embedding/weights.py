"""Where the weights of a model lie on this disk, and whether they are whole. Never touches the network."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

EXPORT_MANIFEST = "export.json"
"""What an export says of itself. They are made beside their place and moved there when checked."""

EXPORT_SUFFIX = "-int8"
"""Ends the model id of an export: its vectors are near those of the original, but not the same."""

_WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin")
_SAMPLE_BYTES = 65_536


def missing_files(folder: Path) -> list[str]:
    """Return what a SentenceTransformer folder lacks; empty when it is whole."""
    return [*([] if (folder / "modules.json").is_file() else ["modules.json"]), *missing_weights(folder)]


def missing_weights(folder: Path) -> list[str]:
    """Return what a folder lacks of any transformer's; empty when it is whole."""
    missing = [name for name in ("config.json", "tokenizer.json") if not (folder / name).is_file()]
    if not any((folder / name).is_file() for name in _WEIGHTS):
        missing.append(_WEIGHTS[0])
    return missing


def is_export(folder: Path) -> bool:
    """Tell whether a folder holds a finished ONNX export."""
    return all((folder / name).is_file() for name in (EXPORT_MANIFEST, "model.onnx", "tokenizer.json"))


def folder_for(model_id: str, models_dir: Path) -> Path:
    """Return the folder of a model under `models_dir`, whether it exists or not."""
    return models_dir / model_id


def find_weights(
    hub: str, model_id: str, models_dir: Path, missing: Callable[[Path], list[str]] = missing_files
) -> Path | None:
    """Return the folder of a downloaded model: ours first, then the cache it shares with other programs.

    `missing` tells what a folder lacks of a whole model.
    """
    folders = [folder_for(model_id, models_dir), *_cached_snapshots(hub)]
    return next((folder for folder in folders if not missing(folder)), None)


def fingerprint(folder: Path) -> str:
    """Return 8 hex digits that differ between models; reads at most 128 KB of each file of weights."""
    digest = blake2b(digest_size=4)
    digest.update((folder / "config.json").read_bytes())
    for path in sorted(folder.glob("*.safetensors")) + sorted(folder.glob("*.bin")):
        size = path.stat().st_size
        digest.update(str(size).encode())
        with path.open("rb") as file:
            digest.update(file.read(_SAMPLE_BYTES))
            file.seek(max(0, size - _SAMPLE_BYTES))
            digest.update(file.read())
    return digest.hexdigest()


def hidden_size(folder: Path) -> int:
    """Return the width of a transformer from its config.json; 0 when it does not say."""
    try:
        size = json.loads((folder / "config.json").read_bytes()).get("hidden_size")
    except (OSError, ValueError, AttributeError):
        return 0
    return size if isinstance(size, int) else 0


def disk_size(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _cached_snapshots(hub: str) -> list[Path]:
    """Return the snapshots of a model in huggingface_hub's cache, its main one first."""
    repository = _hub_cache() / f"models--{hub.replace('/', '--')}"
    snapshots = sorted(repository.glob("snapshots/*"))
    main = repository / "refs" / "main"
    revision = main.read_text(encoding="utf-8").strip() if main.is_file() else ""
    return sorted(snapshots, key=lambda folder: folder.name != revision)


def _hub_cache() -> Path:
    """Return huggingface_hub's cache folder by that library's own rules."""
    environ = os.environ
    named = environ.get("HF_HUB_CACHE") or environ.get("HUGGINGFACE_HUB_CACHE")
    if named:
        return Path(named).expanduser()
    cache = environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(environ.get("HF_HOME") or f"{cache}/huggingface").expanduser() / "hub"
