from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.archive.workbench import Workbench, workbench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    """An empty archive and a folder for transcripts."""
    with workbench(tmp_path) as made:
        yield made
