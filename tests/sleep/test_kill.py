"""A sleep that is killed leaves the archive as it was before, or as it is after."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from sui_memory.app import open_app
from sui_memory.config import Settings
from sui_memory.sleep import apply, look
from tests.builders import CommandLine
from tests.sleep.notes import NOW, contents, dull, keep, kept

SLEEPER = """
import sys
from datetime import datetime
from pathlib import Path
from sui_memory.app import open_app
from sui_memory.config import Settings
from sui_memory.sleep import apply, look

with open_app(Settings(home=Path(sys.argv[1]), model="none")) as app:
    plan = look(app.store, datetime.fromisoformat(sys.argv[2]))
    print("ready", flush=True)
    apply(plan, app.store, app.analyzer)
    print("done", flush=True)
    sys.stdin.read()
"""
GROUPS = 40


def prepared(cli: CommandLine) -> list[str]:
    """Fill an archive with much to merge, to fade and to let go of, and return its rows."""
    with open_app(Settings(home=cli.home, model="none")) as app:
        for number in range(GROUPS):
            text = f"第{number}の浮標を{'緑青赤白'[number % 4]}に塗った。{number * 7919}番の札を付けた。"
            keep(app, kept(text, 60), kept(text + "！", 61), dull(f"{number * 104729}の鍵を替えた。{number}"))
    return contents(cli.database)


def slept(cli: CommandLine) -> list[str]:
    """Return the rows of an undisturbed sleep."""
    with open_app(Settings(home=cli.home, model="none")) as app:
        apply(look(app.store, NOW), app.store, app.analyzer)
    return contents(cli.database)


def start(cli: CommandLine) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", SLEEPER, str(cli.home), NOW.isoformat()],
        env=cli.environment(),
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def kill(process: subprocess.Popen[str]) -> None:
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(n, marks=pytest.mark.slow) for n in range(3, 12))]
)
def test_a_killed_sleep_leaves_the_archive_as_before_or_after(tmp_path: Path, seed: int) -> None:
    cli, other = CommandLine(tmp_path / "killed"), CommandLine(tmp_path / "undisturbed")
    before, after = prepared(cli), (prepared(other), slept(other))[1]
    process = start(cli)
    try:
        process.wait(random.Random(seed).uniform(0, 0.15))
    except subprocess.TimeoutExpired:
        kill(process)
    assert contents(cli.database) in (before, after)
    assert slept(cli) == after


def test_a_sleep_killed_while_it_waits_for_its_turn_leaves_the_archive_as_before(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    before = prepared(cli)
    writer = apsw.Connection(str(cli.database))
    try:
        writer.execute("begin immediate")
        kill(start(cli))
    finally:
        writer.close()
    assert contents(cli.database) == before
