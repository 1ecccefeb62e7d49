from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.claude.laboratory import Laboratory
from tests.claude.stand_in import stand_in


@pytest.fixture
def model() -> str:
    """The embedding model: none, unless a test names another."""
    return "none"


@pytest.fixture
def lab(client: Path, model: str, tmp_path: Path) -> Iterator[Laboratory]:
    """The client with our hooks, in front of an archive of some older conversations."""
    with stand_in() as api:
        lab = Laboratory(tmp_path / "lab", client, api, model)
        lab.cli.archive()
        lab.set_up()
        try:
            yield lab
        finally:
            lab.close()
