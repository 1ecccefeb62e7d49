from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.builders import CommandLine
from tests.mcp_server.workbench import Talk, talk_with


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    """A server on the archive of some conversations, one for all tests of a module."""
    cli = CommandLine(tmp_path_factory.mktemp("mcp"), model="fake")
    cli.archive()
    with talk_with(cli) as talk:
        yield talk
