from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from sui_memory.config import Settings
from sui_memory.daemon.place import Place, lock_holder, peer_uid
from sui_memory.errors import DaemonError


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """The place of this very process, in the folder that it is in."""
    monkeypatch.chdir(tmp_path)
    taken = Place(tmp_path)
    assert taken.take()
    return taken


def test_the_holder_of_a_place_is_known_and_leaves_no_number_behind(place: Place):
    assert lock_holder(Settings(place.home)) == os.getpid()
    place.leave()

    assert lock_holder(Settings(place.home)) is None
    assert (place.home / "daemon.lock").read_bytes() == b""


def test_a_place_is_ours_as_long_as_clients_find_this_very_socket(place: Place):
    with place.listen():
        assert place.is_ours()
        (place.home / "daemon.sock").unlink()
        assert not place.is_ours()
    place.leave()


def test_a_place_serves_one_database_and_no_other(place: Place):
    database = place.home / "memory.db"
    database.write_bytes(b"one")
    with place.listen():
        place.settle(database)
        place.settle(database)
        database.rename(place.home / "elsewhere")
        assert not place.is_ours()
        database.write_bytes(b"two")
        with pytest.raises(DaemonError):
            place.settle(database)
    place.leave()


def test_the_kernel_tells_who_is_at_the_other_end():
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        assert peer_uid(ours) == os.geteuid()
