from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.workbench import Daemon, laboratory


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Daemon]:
    """A home for a daemon that is not started yet."""
    with laboratory(tmp_path) as made:
        yield made


@pytest.fixture
def daemon(place: Daemon) -> Daemon:
    """A daemon that answers, in an empty home, without a model."""
    return place.start()
