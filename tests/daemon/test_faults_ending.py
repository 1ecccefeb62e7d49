"""When a daemon ends by itself, and that nothing is left of it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import sui_memory
from tests.daemon.workbench import Daemon, until

SOON = {"SUI_MEMORY_IDLE_MINUTES": "0.02"}


def test_an_idle_daemon_ends_and_leaves_no_process_and_no_socket(place: Daemon) -> None:
    place.environment |= SOON
    place.start()
    assert place.wait() == 0
    place.wait_until_gone()
    assert not place.socket.exists()
    assert "nobody has asked" in place.log


def test_an_idle_daemon_that_read_much_leaves_no_process(place: Daemon) -> None:
    place.environment |= SOON
    spoken = [place.transcript(f"s{number}", toolUseResult="x" * 120_000) for number in range(40)]
    for transcript in spoken:
        transcript.say(f"{transcript.name} の返却期限は？", "二週間です。")
        transcript.say(f"{transcript.name} の次は？", "ありません。")
    place.start().hook("SessionStart", spoken[0].event(source="startup"))
    assert place.wait() == 0
    place.wait_until_gone()
    place.wait_for(*spoken)


def test_a_daemon_that_is_asked_now_and_then_stays(place: Daemon) -> None:
    place.environment |= SOON
    place.start()
    until(lambda: place.status()["uptime_seconds"] > 2, "twice its idle time")
    assert place.wait() == 0


@pytest.mark.parametrize(
    "change", ["changed", "spoilt", *(pytest.param(n, marks=pytest.mark.slow) for n in ("made", "removed"))]
)
def test_other_settings_end_the_daemon_and_hold_for_the_next(place: Daemon, change: str) -> None:
    config = place.home / "config.toml"
    place.home.mkdir(mode=0o700)
    if change != "made":
        config.write_text("recall = true\n")
    spoken = place.start().transcript("talk")
    spoken.say("港の合言葉は何にする？", "合言葉は zyxquark にしました。")
    place.hook("Stop", spoken.event())
    place.wait_for(spoken)
    if change == "removed":
        config.unlink()
    else:
        config.write_text("no settings" if change == "spoilt" else "recall = false  # for now\n")
    assert place.wait() == 0
    asked = place.transcript("other").event(prompt="港の合言葉は何でしたか？")
    if change == "removed":
        until(lambda: "zyxquark" in place.run_hook("UserPromptSubmit", asked))
        return
    assert place.run_hook("UserPromptSubmit", asked) == ""
    if change == "spoilt":
        place.wait_until_gone()
        config.write_text("")
        until(lambda: "zyxquark" in place.run_hook("UserPromptSubmit", asked), "the memory")


def test_a_daemon_whose_program_was_changed_ends_after_its_answer(place: Daemon) -> None:
    package = place.root / "lib" / "sui_memory"
    shutil.copytree(Path(sui_memory.__file__).parent, package)
    place.environment["PYTHONPATH"] = str(package.parent)
    place.start()
    spoken = place.transcript("talk")
    place.hook("SessionStart", spoken.event(source="startup"))
    assert place.status()["pid"] == place.process.pid
    os.utime(package / "daemon" / "desk.py")
    place.hook("Stop", spoken.event())
    assert place.status()["pid"] == place.process.pid
    place.hook("Stop", spoken.event(), client="0.0.0")
    assert place.wait() == 0
    place.wait_until_gone()


def test_a_daemon_that_is_told_to_stop_lets_the_next_one_take_its_place_at_once(place: Daemon) -> None:
    first = place.start().process
    for _ in range(3):
        place.ask("stop")
        place.run_hook("SessionStart", place.transcript("talk").event(source="startup"))
        until(place.answers, "the next daemon")
    assert first.wait(20) == 0
    until(lambda: len(place.processes()) == 1, "one daemon")
