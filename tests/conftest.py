from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings
from pytest_socket import socket_allow_hosts

from tests.builders import CommandLine

# Half of hypothesis's usual examples, since the suite is run often, and no deadline, since machines are busy;
# `--hypothesis-profile thorough` looks longer.
settings.register_profile("often", max_examples=50, deadline=None)
settings.register_profile("thorough", max_examples=500, deadline=None)
settings.load_profile("often")


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


@pytest.hookimpl(optionalhook=True)  # the tests of the extras run without xdist
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return one worker more than there are cores: a quarter of the suite's time is waiting for processes."""
    return (os.cpu_count() or 1) + 1
