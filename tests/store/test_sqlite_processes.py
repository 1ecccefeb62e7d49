"""Several processes at once, and processes that die."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from sui_memory.store import SqliteStore, open_store
from sui_memory.types import Scope
from tests.store.samples import PlainAnalyzer, change, exchange, source

SPAWN = multiprocessing.get_context("spawn")
ROUNDS = 25


def opened(path: Path) -> SqliteStore:
    """Open the store at `path`."""
    return open_store(path, analyzer=PlainAnalyzer())


def open_and_close(path: Path) -> None:
    """Make the store, or find it made, as a process of its own."""
    opened(path).close()


def write(path: Path, name: str) -> None:
    """Add an exchange to a transcript again and again, as a process of its own."""
    store = opened(path)
    transcript = f"/t/{name}.jsonl"
    for number in range(ROUNDS):
        before = store.sources().get(transcript)
        one = exchange(f"{name}-k{number}", f"{name} question {number}", "answer " * 50)
        done = store.commit([change(one, path=transcript, before=before, offset=number + 1)])
        assert done.new == 1
    store.close()


def write_forever(path: Path, seed: int, report: Connection) -> None:
    """Commit batch after batch, saying how many are committed, until killed."""
    store = opened(path)
    transcript = f"/t/{seed}.jsonl"
    for number in range(10**6):
        before = store.sources().get(transcript)
        batch = [
            exchange(f"{seed}-k{number}0{part}", f"batch {seed}x{number}", "長い答え" * 80)
            for part in range(5)
        ]
        segment = f"{seed}-{number}".encode()
        store.commit(
            [
                change(
                    *batch,
                    path=transcript,
                    before=before,
                    offset=number + 1,
                    segments=(segment,),
                    keep=number,
                )
            ]
        )
        report.send(number + 1)


def start(target: object, *arguments: object) -> multiprocessing.process.BaseProcess:
    """Start a process that ends with this one."""
    process = SPAWN.Process(target=target, args=arguments, daemon=True)  # type: ignore[arg-type]
    process.start()
    return process


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "memory.db"


def test_processes_that_start_at_once_make_one_store_and_lose_nothing(path: Path) -> None:
    writers = [start(write, path, name) for name in ("a", "b", "c")]
    for writer in writers:
        writer.join(120)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    store = opened(path)
    assert len(list(store.scan(Scope()))) == 3 * ROUNDS
    assert store.check() == []
    store.close()


def test_a_home_that_several_processes_make_at_once_is_made_once(tmp_path: Path) -> None:
    for number in range(5):
        path = tmp_path / str(number) / "home" / "memory.db"
        openers = [start(open_and_close, path) for _ in range(3)]
        for opener in openers:
            opener.join(60)
        assert [opener.exitcode for opener in openers] == [0, 0, 0]


def test_a_reader_sees_whole_commits_while_another_process_writes(path: Path) -> None:
    opened(path).close()
    receiver, sender = SPAWN.Pipe(duplex=False)
    writer = start(write_forever, path, 1, sender)
    reader = open_store(path, analyzer=PlainAnalyzer(), read_only=True)
    for _ in range(10):
        receiver.recv()
        exchanges = len(list(reader.scan(Scope())))
        assert exchanges % 5 == 0
        assert reader.search_trigrams("batch 1x0", Scope(), 5)
    writer.kill()
    writer.join()
    reader.close()


@pytest.mark.parametrize("seed", range(4))
def test_a_process_killed_in_mid_commit_loses_nothing_that_was_committed(path: Path, seed: int) -> None:
    receiver, sender = SPAWN.Pipe(duplex=False)
    writer = start(write_forever, path, seed, sender)
    committed = 0
    for _ in range(random.Random(seed).randint(1, 12)):
        committed = receiver.recv()
    assert writer.pid
    os.kill(writer.pid, signal.SIGKILL)
    writer.join()
    while receiver.poll():
        committed = receiver.recv()
    store = opened(path)
    known = store.sources()[f"/t/{seed}.jsonl"]
    assert known.offset in (committed, committed + 1)
    assert len(store.segments(known.path)) == known.offset
    assert len(list(store.scan(Scope()))) == known.offset * 5
    assert store.check() == []
    following = change(exchange("k1"), path=known.path, before=known, offset=known.offset + 1)
    assert store.commit([following]).new == 1
    store.close()


def test_a_second_reader_of_one_transcript_is_told_to_read_again(path: Path) -> None:
    one, other = opened(path), opened(path)
    one.commit([change(exchange("k1"), offset=10)])
    seen = other.sources()["/t/a.jsonl"]
    assert one.commit([change(exchange("k2"), before=source(), offset=20)]).new == 1
    late = other.commit([change(exchange("k2", answer="又"), before=seen, offset=30)])
    assert late.stale == ("/t/a.jsonl",)
    again = other.commit([change(exchange("k3"), before=other.sources()["/t/a.jsonl"], offset=30)])
    assert again.new == 1
    assert [stored.exchange.key for stored in one.scan(Scope())] == ["k1", "k2", "k3"]
    one.close()
    other.close()
