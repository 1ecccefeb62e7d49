"""A backfill that is killed, interrupted or run twice at once ends in the archive of an undisturbed one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sui_memory.archive.tools import default_tools
from sui_memory.store import open_store
from sui_memory.types import Memory
from tests.archive.archives import EVERYTHING
from tests.builders import CommandLine
from tests.transcript.script import Script, copied

SESSIONS = 120
TURNS = 6
WRITTEN = 11_000_000
"""Bytes in the write-ahead log shortly before the end of an undisturbed run."""

ANSWER = (
    "返却の締め切りは二週間で、延滞の通知は毎朝六時に一通だけ送ります。`send_mail` を直しました。\n\n" * 6
)
BACKFILL = ("backfill", "--no-embed", "--json", "--workers")


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
def expected(transcripts: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Memory]:
    """Return what an undisturbed run archives."""
    cli = CommandLine(tmp_path_factory.mktemp("undisturbed"))
    report = cli(*BACKFILL, "0", transcripts).json
    assert report["exchanges"] == {"new": SESSIONS * TURNS + 20, "updated": 0, "unchanged": 0}
    return contents(cli)


def contents(cli: CommandLine) -> list[Memory]:
    store = open_store(cli.database, analyzer=default_tools().analyzer)
    try:
        assert store.check() == []
        return sorted(store.scan(EVERYTHING), key=lambda memory: memory.exchange.key)
    finally:
        store.close()


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


def kill_at_random(cli: CommandLine, transcripts: Path, chance: random.Random) -> None:
    """Start a backfill and kill it when it has written so much, and a moment later."""
    process = start(cli, transcripts)
    written, moment = chance.uniform(0, WRITTEN), chance.uniform(0, 0.1)
    log = Path(f"{cli.database}-wal")
    while process.poll() is None and (not log.exists() or log.stat().st_size < written):
        time.sleep(0.002)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
    process.communicate()


def assert_recovers(cli: CommandLine, transcripts: Path, expected: list[Memory]) -> None:
    wait_until_gone(cli)
    cli(*BACKFILL, "0", transcripts)
    assert contents(cli) == expected
    again = cli(*BACKFILL, "0", transcripts).json
    assert again["exchanges"] == {"new": 0, "updated": 0, "unchanged": len(expected)}


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(n, marks=pytest.mark.slow) for n in range(4, 26))]
)
def test_a_killed_backfill_leaves_nothing_behind_and_is_finished_by_the_next(
    tmp_path: Path, transcripts: Path, expected: list[Memory], seed: int
) -> None:
    cli = CommandLine(tmp_path)
    for _ in range(2):
        kill_at_random(cli, transcripts, random.Random(seed))
    assert_recovers(cli, transcripts, expected)


def test_two_backfills_at_once_make_one_archive(
    tmp_path: Path, transcripts: Path, expected: list[Memory]
) -> None:
    cli = CommandLine(tmp_path)
    for process in [start(cli, transcripts, workers) for workers in (1, 0)]:
        _, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, b"")
    assert contents(cli) == expected


def test_an_interrupted_backfill_says_so_and_is_finished_by_the_next(
    tmp_path: Path, transcripts: Path, expected: list[Memory]
) -> None:
    cli = CommandLine(tmp_path)
    process = start(cli, transcripts)
    while not cli.database.exists() and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert b"Traceback" not in err
    assert process.returncode in {0, 1, 130}
    assert_recovers(cli, transcripts, expected)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_a_killed_worker_is_one_clear_sentence(
    tmp_path: Path, transcripts: Path, expected: list[Memory]
) -> None:
    cli = CommandLine(tmp_path)
    process = start(cli, transcripts)
    while not (workers := _workers(cli, process.pid)) and process.poll() is None:
        time.sleep(0.01)
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert b"Traceback" not in err
    assert process.returncode == 0 or b"was killed" in err
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
