"""Eight sessions at once beside a backfill: nothing is lost and nothing doubled."""

from __future__ import annotations

import statistics
import subprocess
import sys
import threading
import time

import pytest

from tests.daemon.workbench import Daemon, Transcript, until

PROSE = "延滞の通知は毎朝六時に一通だけ送ります。`send_mail` を直しました。" * 5


class Talker(threading.Thread):
    """A session that asks, is answered, and ends, with every hook as a process."""

    def __init__(self, place: Daemon, number: int, prompts: int) -> None:
        super().__init__()
        self.place = place
        self.spoken = place.transcript(f"talker {number}", f"/code/app{number % 3}")
        self.prompts = prompts
        self.seconds: list[float] = []
        self.recalled = 0
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self._hook("SessionStart", source="startup")
            for turn in range(self.prompts):
                self._turn(turn)
            self._hook("SessionEnd", reason="exit")
            self.spoken.append(self.spoken.lines(f"{self.spoken.name} の最後の質問は？", "ありません。"))
        except BaseException as error:
            self.error = error

    def _turn(self, turn: int) -> None:
        asked = f"{self.spoken.name} の {turn} 冊目の返却期限と合言葉は何でしたか？"
        started = time.perf_counter()
        self.recalled += bool(self._hook("UserPromptSubmit", prompt=asked, prompt_id=f"{turn}"))
        self.seconds.append(time.perf_counter() - started)
        self.spoken.say(asked, f"{turn} 冊目は二週間で、合言葉は {self.spoken.name}-{turn} です。{PROSE}")
        self._hook("Stop")

    def _hook(self, event: str, **fields: str) -> str:
        return self.place.run_hook(event, self.spoken.event(**fields))


def written(place: Daemon, count: int) -> list[Transcript]:
    """Return transcripts of earlier sessions."""
    found = [place.transcript(f"earlier {number}", f"/code/app{number % 5}") for number in range(count)]
    for transcript in found:
        for turn in range(4):
            transcript.say(f"{transcript.name} の {turn} 番目は？", f"{transcript.name}-{turn} です。{PROSE}")
    return found


def crowd(place: Daemon, *, talkers: int, prompts: int, earlier: int) -> None:
    """Let sessions talk while a backfill runs, and compare the archive with what was written."""
    known = written(place, earlier)
    place.start()
    sessions = [Talker(place, number, prompts) for number in range(talkers)]
    backfill = subprocess.Popen(
        [*place.cli.command("backfill", "--workers", "1", "--json")],
        env=place.environment,
        cwd=place.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    for session in sessions:
        session.start()
    for session in sessions:
        session.join()
    _, err = backfill.communicate(timeout=120)
    assert [session.error for session in sessions] == [None] * talkers
    assert (backfill.returncode, err) == (0, b"")
    place.wait_for(*known, *(session.spoken for session in sessions))
    until(lambda: place.status()["doing"] == "nothing", "quiet")
    assert place.check() == []
    assert "failed" not in place.log
    report(sessions)


def report(sessions: list[Talker]) -> None:
    """Print how long the prompts took: shown with `-s`, judged by nobody here."""
    seconds = sorted(second for session in sessions for second in session.seconds)
    p95 = seconds[int(len(seconds) * 0.95)] * 1_000
    recalled = sum(session.recalled for session in sessions)
    sys.stderr.write(
        f"\n{len(seconds)} prompts, {recalled} with memories: "
        f"p50 {statistics.median(seconds) * 1_000:.0f} ms, p95 {p95:.0f} ms\n"
    )


def test_three_sessions_beside_a_backfill_lose_nothing_and_double_nothing(place: Daemon) -> None:
    crowd(place, talkers=3, prompts=4, earlier=30)


@pytest.mark.slow
def test_eight_sessions_beside_a_backfill_lose_nothing_and_double_nothing(place: Daemon) -> None:
    crowd(place, talkers=8, prompts=10, earlier=300)
