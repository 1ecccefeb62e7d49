from __future__ import annotations

from pathlib import Path

import pytest
from pytest_socket import socket_allow_hosts

from tests.builders import CommandLine


@pytest.fixture(autouse=True)
def _no_network():
    """Let nothing out but what a test serves on this machine itself."""
    socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)


@pytest.fixture
def cli(tmp_path: Path) -> CommandLine:
    """The command line on an empty home, without a model."""
    return CommandLine(tmp_path)


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """An archive of `SESSIONS` with vectors of the model for tests: for reading only."""
    made = CommandLine(tmp_path_factory.mktemp("archive"), model="fake")
    made.archive()
    return made
