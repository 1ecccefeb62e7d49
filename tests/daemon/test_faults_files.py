"""What becomes of the home and the database while the daemon runs."""

from __future__ import annotations

import os
import resource
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from tests.daemon.workbench import Daemon, Transcript, until

ASKED = "港の合言葉は何でしたか？"


def talk(place: Daemon) -> Transcript:
    """Return the transcript that answers `ASKED`."""
    spoken = place.transcript("talk")
    spoken.say("港の合言葉は何にする？", "合言葉は zyxquark にしました。")
    return spoken


def other_talk(place: Daemon, name: str = "other", turns: int = 1) -> Transcript:
    """Return a transcript about something else."""
    spoken = place.transcript(name)
    for turn in range(turns):
        spoken.say(f"{name} の {turn} 冊目の返却期限は？", f"{name} の {turn} 冊目は二週間です。" * 10)
    return spoken


def remembered(place: Daemon, *transcripts: Transcript) -> None:
    """Have everything archived after a fault was mended, by what the next sessions do."""

    def in_another_session() -> bool:
        place.run_hook("SessionStart", place.transcript("later").event(source="startup"))
        return "zyxquark" in place.run_hook("UserPromptSubmit", asking(place))

    until(in_another_session, "the memory")
    place.wait_for(*transcripts)
    assert place.check() == []


def asking(place: Daemon) -> dict[str, object]:
    """Return a prompt of a session that was never shown anything."""
    return place.transcript(f"asking {time.monotonic_ns()}").event(prompt=ASKED)


@pytest.fixture
def knowing(daemon: Daemon) -> tuple[Daemon, Transcript]:
    """A daemon that has archived a talk."""
    spoken = talk(daemon)
    daemon.hook("Stop", spoken.event())
    daemon.wait_for(spoken)
    return daemon, spoken


def remove(folder: Path) -> None:
    """Remove a folder in which somebody may still be making files."""
    while folder.exists():
        shutil.rmtree(folder, ignore_errors=True)


def test_a_daemon_whose_home_is_removed_ends_and_does_not_make_it_anew(knowing) -> None:
    daemon, spoken = knowing
    remove(daemon.home)
    assert daemon.wait() == 0
    assert not daemon.home.exists()
    assert daemon.processes() == []
    remembered(daemon, spoken)


@pytest.mark.parametrize(
    "seconds", [0.2, *(pytest.param(n, marks=pytest.mark.slow) for n in (0.0, 0.1, 0.5, 1.0))]
)
def test_a_daemon_whose_home_is_removed_while_it_archives_ends_too(daemon: Daemon, seconds: float) -> None:
    spoken = [talk(daemon), *(other_talk(daemon, f"talk {number}", 5) for number in range(60))]
    daemon.hook("SessionStart", spoken[0].event(source="startup"))
    time.sleep(seconds)
    remove(daemon.home)
    assert daemon.wait() == 0
    assert not daemon.home.exists()
    assert daemon.processes() == []
    remembered(daemon, *spoken)


def _deleted(database: Path) -> None:
    for path in database.parent.glob("memory.db*"):
        path.unlink()


def _deleted_without_its_log(database: Path) -> None:
    database.unlink()


def _moved_away(database: Path) -> None:
    database.rename(database.with_name("elsewhere"))


def _replaced_by_nothing(database: Path) -> None:
    _deleted(database)
    database.touch(0o600)


@pytest.mark.parametrize(
    "lose",
    [
        _deleted_without_its_log,
        _moved_away,
        *(pytest.param(lose, marks=pytest.mark.slow) for lose in (_deleted, _replaced_by_nothing)),
    ],
)
def test_a_lost_database_is_made_anew_by_the_next_daemon(knowing, lose: Callable[[Path], None]) -> None:
    daemon, spoken = knowing
    lose(daemon.database)
    daemon.run_hook("UserPromptSubmit", asking(daemon))
    assert daemon.wait() == 0
    other = other_talk(daemon)
    daemon.run_hook("Stop", other.event())
    remembered(daemon, spoken, other)


def test_a_database_that_comes_back_is_taken_up_again(knowing) -> None:
    daemon, spoken = knowing
    _moved_away(daemon.database)
    other = other_talk(daemon)
    daemon.run_hook("Stop", other.event())
    assert daemon.wait() == 0
    daemon.run_hook("Stop", other.event())
    until(lambda: other.exchanges[0] in daemon.archived(), "a new archive")
    _deleted(daemon.database)
    daemon.database.with_name("elsewhere").rename(daemon.database)
    remembered(daemon, spoken, other)


def _garbage(database: Path) -> None:
    _deleted(database)
    database.write_bytes(b"no database at all. " * 5_000)


def _garbage_over_it(database: Path) -> None:
    with database.open("r+b") as file:
        file.write(b"no database at all. " * 5_000)


def _a_folder(database: Path) -> None:
    _deleted(database)
    database.mkdir()


def _cut_off(database: Path) -> None:
    _deleted(database)
    with apsw.Connection(str(database)) as other:
        other.execute("create table t(x)")
    other.close()
    os.truncate(database, 1_000)


@pytest.mark.parametrize(
    "spoil",
    [
        _garbage,
        _garbage_over_it,
        *(pytest.param(spoil, marks=pytest.mark.slow) for spoil in (_a_folder, _cut_off)),
    ],
)
def test_a_spoilt_database_is_survived_in_silence_until_it_is_mended(
    knowing, spoil: Callable[[Path], None]
) -> None:
    daemon, spoken = knowing
    spoil(daemon.database)
    for _ in range(2):
        said = daemon.run_hook("UserPromptSubmit", asking(daemon))
        assert said == "" or "zyxquark" in said
    other = other_talk(daemon)
    daemon.run_hook("Stop", other.event())
    until(lambda: daemon.answers() and daemon.status()["doing"] == "nothing", "quiet")
    if daemon.database.is_dir():
        daemon.database.rmdir()
    _deleted(daemon.database)
    remembered(daemon, spoken, other)


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Hold the database as another process that writes does."""
    connection = apsw.Connection(str(database))
    try:
        connection.execute("begin exclusive")
        yield
        connection.execute("rollback")
    finally:
        connection.close()


def test_a_locked_database_can_be_read_and_is_written_later(knowing) -> None:
    daemon, spoken = knowing
    other = other_talk(daemon)
    with locked(daemon.database):
        daemon.run_hook("Stop", other.event())
        until(lambda: daemon.status()["doing"] == "read", "an attempt to write")
        assert "zyxquark" in daemon.run_hook("UserPromptSubmit", asking(daemon))
        time.sleep(2)
        assert "zyxquark" in daemon.run_hook("UserPromptSubmit", asking(daemon))
    daemon.wait_for(spoken, other)
    assert "zyxquark" in daemon.run_hook("UserPromptSubmit", asking(daemon))
    assert daemon.check() == []


@pytest.mark.skipif(sys.platform != "linux", reason="limits another process")
def test_on_a_full_disk_nothing_is_half_written_and_what_is_missing_comes_later(knowing) -> None:
    daemon, spoken = knowing
    room = resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE)
    least = max(path.stat().st_size for path in daemon.home.iterdir()) + 50_000
    resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (least, room[1]))
    others = [other_talk(daemon, f"talk {number}", 10) for number in range(60)]
    daemon.hook("SessionStart", others[0].event(source="startup"))
    until(lambda: "failed" in daemon.log, "a failure")
    assert "zyxquark" in daemon.run_hook("UserPromptSubmit", asking(daemon))
    said = {exchange for transcript in (spoken, *others) for exchange in transcript.exchanges}
    found = daemon.archived()
    assert set(found) < said
    assert len(set(found)) == len(found)
    resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, room)
    remembered(daemon, spoken, *others)
    assert daemon.process.poll() is None
