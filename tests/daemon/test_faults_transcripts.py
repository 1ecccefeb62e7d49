"""Transcripts that are not finished, not there, or not what they seem when a hook speaks of them."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sui_memory.language import JapaneseAnalyzer
from sui_memory.store import open_store
from sui_memory.store.ledger import Injection, Shown
from tests.builders import Session, Turn
from tests.daemon.workbench import Daemon, Transcript, until

ASKED = "港の合言葉は何でしたか？"


def talk(place: Daemon, name: str = "talk") -> Transcript:
    """Return the transcript that answers `ASKED`."""
    spoken = place.transcript(name)
    spoken.say("港の合言葉は何にする？", "合言葉は zyxquark にしました。")
    return spoken


def later(seconds: float, do: Callable[[], object]) -> None:
    """Do something while the test goes on."""
    timer = threading.Timer(seconds, do)
    timer.daemon = True
    timer.start()


@pytest.mark.parametrize("part", [0.5, *(pytest.param(part, marks=pytest.mark.slow) for part in (0.3, 0.99))])
def test_a_line_that_is_torn_when_the_hook_comes_is_read_when_it_is_whole(
    daemon: Daemon, part: float
) -> None:
    spoken = talk(daemon)
    data = spoken.lines("返却期限は？", "二週間です。")
    torn = int(len(data) * part)
    spoken.append(data[:torn])
    daemon.hook("Stop", spoken.event())
    later(0.3, lambda: spoken.append(data[torn:]))
    daemon.wait_for(spoken)
    assert "failed" not in daemon.log


@pytest.mark.parametrize("seconds", [1.0, pytest.param(4.0, marks=pytest.mark.slow)])
def test_lines_that_come_after_the_end_of_a_session_are_archived(daemon: Daemon, seconds: float) -> None:
    spoken = talk(daemon)
    daemon.hook("SessionEnd", spoken.event(reason="exit"))
    data = spoken.lines("返却期限は？", "二週間です。")
    later(seconds, lambda: spoken.append(data))
    daemon.wait_for(spoken)


def test_a_transcript_that_grows_while_it_is_read_is_archived_once(daemon: Daemon) -> None:
    spoken = talk(daemon)
    for turn in range(40):
        data = spoken.lines(f"{turn} 冊目の返却期限は？", f"{turn} 冊目は二週間です。")
        daemon.hook("Stop", spoken.event())
        for start in range(0, len(data), 100):
            spoken.append(data[start : start + 100])
    daemon.hook("SessionEnd", spoken.event())
    daemon.wait_for(spoken)
    assert daemon.check() == []


@pytest.mark.parametrize("is_before", [True, False])
def test_a_transcript_that_is_moved_around_the_hook_is_archived_once(daemon: Daemon, is_before: bool) -> None:
    spoken = talk(daemon)
    elsewhere = spoken.path.parent.with_name("-code-other") / spoken.path.name
    elsewhere.parent.mkdir()
    told = spoken.event()
    if is_before:
        spoken.path.rename(elsewhere)
        daemon.hook("Stop", told)
    else:
        daemon.hook("Stop", told)
        spoken.path.rename(elsewhere)
    daemon.wait_for(spoken)


STRANGE_PATHS = [
    "/nowhere.jsonl",
    "/code/app/never/was.jsonl",
    "/x" * 4_000 + ".jsonl",
    "/" + "x" * 300 + "/a.jsonl",
    "/code/\ud800/a.jsonl",
    "/code/\0/a.jsonl",
    "/code/[a-z/**/a.jsonl",
    "relative.jsonl",
    "/dev/null",
    "/etc/passwd",
    "/proc/self/mem.jsonl",
    "",
    7,
    None,
    ["/a.jsonl"],
    {"a": 1},
]


def test_paths_that_lead_nowhere_are_no_trouble(daemon: Daemon) -> None:
    for path in STRANGE_PATHS:
        for event in ("Stop", "SessionStart"):
            assert daemon.hook(event, {"session_id": "a", "transcript_path": path}) == ""
    spoken = talk(daemon)
    daemon.hook("Stop", spoken.event())
    daemon.wait_for(spoken)
    # All of them were tried at least once before the last one was.
    assert "failed" not in daemon.log


def _as_folder(path: Path) -> None:
    path.mkdir()


def _as_pipe(path: Path) -> None:
    os.mkfifo(path)


def _as_loop(path: Path) -> None:
    path.symlink_to(path)


def _as_bytes(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 100)


@pytest.mark.parametrize(
    "thing",
    [_as_folder, _as_pipe, *(pytest.param(thing, marks=pytest.mark.slow) for thing in (_as_loop, _as_bytes))],
)
def test_what_is_no_transcript_keeps_no_other_from_being_archived(daemon: Daemon, thing) -> None:
    spoken = talk(daemon)
    strange = spoken.path.with_name("00000000-0000-4000-8000-000000000000.jsonl")
    thing(strange)
    daemon.hook("Stop", spoken.event(transcript_path=str(strange)))
    daemon.hook("SessionStart", spoken.event(source="startup"))
    daemon.wait_for(spoken)
    assert daemon.status()["pid"] == daemon.process.pid


@pytest.mark.parametrize("year", [1970, 2199])
def test_no_time_of_a_transcript_keeps_it_from_being_archived_and_recalled(daemon: Daemon, year: int) -> None:
    at = datetime(year, 1, 2, tzinfo=UTC)
    turns = [
        Turn("港の合言葉は何にする？", "合言葉は zyxquark にしました。"),
        Turn("返却期限は？", "二週間。"),
    ]
    spoken = daemon.transcript("talk")
    for count in (1, 2):
        spoken.turns = turns[:count]
        lines = Session("talk", turns[:count], cwd="/code/app", start=at).lines()
        spoken.path.parent.mkdir(parents=True, exist_ok=True)
        spoken.path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        os.utime(spoken.path, (at.timestamp(), at.timestamp()))
        daemon.hook("Stop", spoken.event())
        daemon.wait_for(spoken)
    assert "zyxquark" in daemon.prompt(daemon.transcript("other"), ASKED)


def test_a_ledger_from_the_future_does_not_hide_a_memory_for_longer_than_its_session(daemon: Daemon) -> None:
    spoken = talk(daemon)
    daemon.hook("Stop", spoken.event())
    daemon.wait_for(spoken)
    asking = daemon.transcript("asking")
    store = open_store(daemon.database, analyzer=JapaneseAnalyzer())
    try:
        (key,) = (memory.id for memory in store.get(store.find("")))
        future = datetime.now(UTC) + timedelta(days=400)
        shown = (Shown(key, 1.0),)
        store.ledger.record(Injection(future, asking.session, "UserPromptSubmit", "", memories=shown))
    finally:
        store.close()
    assert daemon.prompt(asking, ASKED) == ""
    assert "zyxquark" in daemon.prompt(daemon.transcript("another"), ASKED)


def test_what_was_said_never_comes_into_the_log(place: Daemon) -> None:
    daemon = place.start()
    spoken = talk(daemon)
    spoken.append(b'{"type": "user", "message": zyxquark\n[["zyxquark"]]\n"zyxquark"\n')
    spoken.append(json.dumps({"type": "user", "uuid": ["zyxquark"], "message": "zyxquark"}).encode() + b"\n")
    daemon.hook("Stop", spoken.event())
    daemon.wait_for(spoken)
    assert "zyxquark" in daemon.prompt(daemon.transcript("other"), ASKED)
    daemon.send(b'sui-memory 1 hook\nevent Stop\n\n{"zyxquark":')
    daemon.send(b"sui-memory 1 zyxquark\n\nzyxquark")
    daemon.send(b'sui-memory 1 search\n\n{"text": "zyxquark", "scope": {"kinds": "zyxquark"}}')
    for path in daemon.home.glob("memory.db*"):
        path.unlink()
    daemon.database.write_text("zyxquark" * 1_000)
    daemon.prompt(daemon.transcript("third"), "zyxquark は何でしたか？")
    assert daemon.wait() == 0
    daemon.start().prompt(daemon.transcript("fourth"), "zyxquark は何でしたか？")
    daemon.hook("Stop", spoken.event())
    until(lambda: "failed" in daemon.log, "a failure")
    daemon.ask("stop")
    assert daemon.wait() == 0
    assert "zyxquark" not in daemon.log
    assert "合言葉" not in daemon.log
    assert time.strftime("%Y") in daemon.log
