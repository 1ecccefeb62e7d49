"""A backfill that is killed, interrupted or run twice at once ends in the archive of an undisturbed one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest

from sui_memory.archive import Report, sync
from sui_memory.archive.tools import default_tools
from sui_memory.store import SqliteStore, open_store
from sui_memory.types import Memory
from tests.archive.archives import EVERYTHING
from tests.builders import CommandLine
from tests.transcript.script import Script, copied

SESSIONS = 150
"""Files for more batches than two workers have in flight, so that one is still to be handed out when the
first is committed."""

TURNS = 2
ANSWER = "返却の締め切りは二週間で、延滞の通知は毎朝六時に一通だけ送ります。`send_mail` を直しました。\n\n"
BACKFILL = ("backfill", "--no-embed", "--json", "--workers")
TOOLS = default_tools()


@dataclass(frozen=True)
class Undisturbed:
    """What an undisturbed run archives, and how many bytes its write-ahead log grows to."""

    memories: list[Memory]
    logged: int


@pytest.fixture(scope="module")
def transcripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of sessions, a fork among every six."""
    folder = tmp_path_factory.mktemp("transcripts")
    for number in range(SESSIONS):
        script = Script(f"s{number}")
        for turn in range(TURNS):
            script.turn(f"質問 {number}-{turn}: 貸出の締め切りは？", f"答え {number}-{turn}: {ANSWER}")
        (folder / f"s{number}.jsonl").write_bytes(script.data())
        if number % 6 == 0:
            fork = copied(script, f"f{number}", forkedFrom={"sessionId": script.session})
            fork.turn(f"枝 {number}", f"枝の答え {number}")
            (folder / f"f{number}.jsonl").write_bytes(fork.data())
    return folder


@pytest.fixture(scope="module")
def expected(transcripts: Path, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    cli = CommandLine(tmp_path_factory.mktemp("undisturbed"))
    with opened(cli) as store:
        report = archived(store, transcripts)
        assert (report.new, report.updated, report.unchanged) == (SESSIONS * TURNS + 25, 0, 0)
        logged = log(cli).stat().st_size
    return Undisturbed(contents(cli), logged)


@contextmanager
def opened(cli: CommandLine) -> Iterator[SqliteStore]:
    store = open_store(cli.database, analyzer=TOOLS.analyzer)
    try:
        yield store
    finally:
        store.close()


def archived(store: SqliteStore, transcripts: Path) -> Report:
    return sync([transcripts], store=store, tools=TOOLS, workers=0)


def contents(cli: CommandLine) -> list[Memory]:
    with opened(cli) as store:
        assert store.check() == []
        return sorted(store.scan(EVERYTHING), key=lambda memory: memory.exchange.key)


def log(cli: CommandLine) -> Path:
    return cli.database.with_name("memory.db-wal")


def start(cli: CommandLine, transcripts: Path, workers: int = 2) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        cli.command(*BACKFILL, str(workers), transcripts),
        env=cli.environment(),
        cwd=cli.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def family(cli: CommandLine) -> Iterator[int]:
    """Yield the processes that work for this home, by what stands in their environment."""
    mark = f"SUI_MEMORY_HOME={cli.home}\0".encode()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes():
                yield int(process.name)
        except OSError:  # ended meanwhile, or not ours
            continue


def wait_until_gone(cli: CommandLine) -> None:
    deadline = time.monotonic() + 30
    while left := list(family(cli)):
        assert time.monotonic() < deadline, f"still there: {left}"
        time.sleep(0.05)


def kill_at_random(cli: CommandLine, transcripts: Path, written: float, moment: float) -> None:
    """Start a backfill and kill it when it has written so many bytes, and a moment (in seconds) later."""
    process = start(cli, transcripts, workers=1)
    while process.poll() is None and (not log(cli).exists() or log(cli).stat().st_size < written):
        time.sleep(0.005)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
    process.communicate()


def assert_recovers(cli: CommandLine, transcripts: Path, expected: Undisturbed) -> None:
    wait_until_gone(cli)
    with opened(cli) as store:
        archived(store, transcripts)
        again = archived(store, transcripts)
    assert (again.new, again.updated, again.unchanged) == (0, 0, len(expected.memories))
    assert contents(cli) == expected.memories


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(n, marks=pytest.mark.slow) for n in range(6, 30))]
)
def test_a_killed_backfill_leaves_nothing_behind_and_is_finished_by_the_next(
    tmp_path: Path, transcripts: Path, expected: Undisturbed, seed: int
) -> None:
    cli = CommandLine(tmp_path)
    chance = random.Random(seed)
    for _ in range(2):
        kill_at_random(cli, transcripts, chance.uniform(0, expected.logged), chance.uniform(0, 0.1))
    assert_recovers(cli, transcripts, expected)


def test_two_backfills_at_once_make_one_archive(
    tmp_path: Path, transcripts: Path, expected: Undisturbed
) -> None:
    cli = CommandLine(tmp_path)
    for process in [start(cli, transcripts, workers) for workers in (1, 0)]:
        _, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, b"")
    assert contents(cli) == expected.memories


@contextmanager
def held_before_its_first_commit(cli: CommandLine, transcripts: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Give a backfill with two workers, and keep it from storing anything until the block ends.

    Its workers appear when the archive is open, and have to import the package before there is anything
    to store: time enough to take the lock of the database.
    """
    process = start(cli, transcripts)
    wait_for_workers(cli, process, 1)
    connection = apsw.Connection(str(cli.database))
    try:
        connection.execute("begin immediate")
        assert connection.execute("select count(*) from exchanges").fetchall() == [(0,)]
        wait_for_workers(cli, process, 2)
        yield process
    finally:
        connection.close()


def wait_for_workers(cli: CommandLine, process: subprocess.Popen[bytes], count: int) -> list[int]:
    """Wait until a backfill has so many workers, and return them."""
    while len(found := _workers(cli, process.pid)) < count:
        assert process.poll() is None
        time.sleep(0.01)
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_an_interrupted_backfill_says_so_and_is_finished_by_the_next(
    tmp_path: Path, transcripts: Path, expected: Undisturbed
) -> None:
    cli = CommandLine(tmp_path)
    with held_before_its_first_commit(cli, transcripts) as process:
        os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert err.strip() == b"Stopped. What was stored is kept; run the command again to go on."
    assert process.returncode == 1
    assert_recovers(cli, transcripts, expected)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_a_killed_worker_is_one_clear_sentence(
    tmp_path: Path, transcripts: Path, expected: Undisturbed
) -> None:
    cli = CommandLine(tmp_path)
    with held_before_its_first_commit(cli, transcripts) as process:
        for worker in wait_for_workers(cli, process, 2):
            with suppress(ProcessLookupError):  # the pool ends the others as soon as one is gone
                os.kill(worker, signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert err.startswith(b"Error: A reading process was killed")
    assert err.count(b"\n") == 1
    assert process.returncode == 1
    assert_recovers(cli, transcripts, expected)


def _workers(cli: CommandLine, parent: int) -> list[int]:
    """Return the processes that read for `parent`; the one that only counts shared resources is none."""
    found = []
    for process in family(cli):
        try:
            words = Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            continue
        if process != parent and b"spawn_main" in words:
            found.append(process)
    return found
