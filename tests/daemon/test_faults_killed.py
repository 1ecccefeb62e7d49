"""A daemon that is killed at any moment of an archive: the next one finds and finishes everything."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from tests.daemon.workbench import Daemon, Transcript, until

SESSIONS = 36
ROUNDS = 4
LONG = "延滞の通知は毎朝六時に一通だけ送ります。`send_mail` を直しました。" * 5


def spoken(place: Daemon, count: int, padding: str = "") -> list[Transcript]:
    """Return transcripts with two turns each."""
    fields = {"toolUseResult": padding} if padding else {}
    transcripts = [
        place.transcript(f"s{number}", f"/code/app{number % 3}", **fields) for number in range(count)
    ]
    for transcript in transcripts:
        for turn in range(2):
            go_on(transcript, turn)
    return transcripts


def go_on(transcript: Transcript, turn: int) -> None:
    transcript.say(f"{transcript.name}-{turn}: 貸出の締め切りは？", f"{transcript.name}-{turn}: {LONG}")


def disturb(place: Daemon, transcripts: list[Transcript], chance: random.Random) -> None:
    """Start a daemon, give it much to archive, and kill it at a random moment of that."""
    place.start()
    place.hook("SessionStart", chance.choice(transcripts).event(source="startup"))
    until_killed = time.monotonic() + chance.uniform(0, 0.8)
    for transcript in chance.sample(transcripts, 8):
        go_on(transcript, len(transcript.turns))
        place.hook("Stop", transcript.event())
    time.sleep(max(0.0, until_killed - time.monotonic()))
    place.kill()


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in range(2, 13))])
def test_a_daemon_killed_again_and_again_loses_nothing_and_doubles_nothing(place: Daemon, seed: int) -> None:
    chance = random.Random(seed)
    transcripts = spoken(place, SESSIONS)
    for _ in range(ROUNDS):
        disturb(place, transcripts, chance)
    place.start().hook("SessionStart", transcripts[0].event(source="startup"))
    place.wait_for(*transcripts)
    place.ask("stop")
    assert place.wait() == 0
    place.wait_for(*transcripts)
    assert place.check() == []


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_processes_that_read_for_a_daemon_end_with_it(place: Daemon, number: signal.Signals) -> None:
    transcripts = spoken(place, 24, padding="x" * 120_000)  # with the records of both turns 11 MB
    daemon = place.start().process
    place.hook("SessionStart", transcripts[0].event(source="startup"))
    until(lambda: len(place.processes()) > 1, "a process that reads")
    os.kill(daemon.pid, number)
    assert place.wait() == (0 if number == signal.SIGTERM else -number)
    place.wait_until_gone()
    place.forget_complaints()  # of a process that was started, but not yet told what to read
    place.start()
    place.wait_for(*transcripts)
    assert place.check() == []
