from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sui_memory.app import App, open_app
from sui_memory.config import Settings


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """An empty archive, open in this process, without a model."""
    with open_app(Settings(home=tmp_path / "sui-memory", model="none")) as opened:
        yield opened


@pytest.fixture
def memo(tmp_path: Path) -> Path:
    """An empty folder of notes."""
    folder = tmp_path / "memo"
    folder.mkdir()
    return folder
