from __future__ import annotations

import pytest

from tests.builders import CommandLine


@pytest.fixture
def empty(cli: CommandLine) -> CommandLine:
    """The command line with an archive that nothing is in yet."""
    cli("backfill", "--workers", "0", code=1)
    return cli
