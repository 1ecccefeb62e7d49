"""The time that the hooks add to Claude Code: whole processes, against a real daemon on a made-up archive.

    python -m benchmarks.hooks [--exchanges N | --home FOLDER] [--model NAME] [--rounds N] [--json]

A round runs every case once, so that all of them meet the same machine; the first rounds are not counted.
`bare` is `python -I -S -c pass`, what any hook in Python costs; `times` compares the medians with it.
`answered` is the share of runs that printed something: prompts are the beginnings of archived questions.
`cold` is a prompt that has to start the daemon. In the other cases of trouble a hook may have to wait for its
own time limit.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchmarks.corpus import Spec, generate
from benchmarks.corpus_machinery import SHORT
from sui_memory.archive import default_tools
from sui_memory.config import Settings
from sui_memory.daemon import client
from sui_memory.store import open_store
from sui_memory.types import Scope

_HOOKS = Path(__file__).parents[1] / "hooks"
_PYTHON = (sys.executable, "-I", "-S")
_NOWHERE = "/nowhere/python"
_WARM_UP = 5
_SLOW_ROUNDS = 10
_PROMPT_CHARS = 60
_SETTLING_SECONDS = 120.0

Case = Callable[[], "Run"]


@dataclass(frozen=True, slots=True)
class Run:
    """One hook from its start to its end: milliseconds of the clock and of its own work, what it printed."""

    milliseconds: float
    cpu: float
    printed: bytes


def main() -> None:
    """Measure and print."""
    options = _arguments()
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        bench = _Bench(Path(scratch), options.model, options.home)
        if options.home is None:
            bench.archive(options.exchanges)
        with bench.daemon():
            figures = _measured(bench.bare() | bench.warm(), options.rounds)
        slow = min(options.rounds, _SLOW_ROUNDS)
        figures |= _measured(bench.cold(), slow)
        with _nobody_answers(bench.silent):
            figures |= _measured(bench.trouble(), slow)
    _print(figures, options.json)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--exchanges", type=int, default=7_000)
    parser.add_argument("--home", type=Path, help="an archive that is there, with its vectors")
    parser.add_argument("--model", default="auto")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--scratch", default=None, help="where the archive is made")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _print(figures: Mapping[str, Mapping[str, Any]], as_json: bool) -> None:
    if as_json:
        print(json.dumps(figures, indent=2))
        return
    for name, values in figures.items():
        print(f"{name:44}" + "   ".join(f"{key} {value}" for key, value in values.items()))


def _measured(cases: Mapping[str, Case], rounds: int) -> dict[str, dict[str, Any]]:
    """Run all cases in turn, round by round."""
    runs: dict[str, list[Run]] = {name: [] for name in cases}
    for number in range(_WARM_UP + rounds):
        for name, case in cases.items():
            run = case()
            if number >= _WARM_UP:
                runs[name].append(run)
    return {name: _figures(measured, runs.get("bare")) for name, measured in runs.items()}


def _figures(runs: Sequence[Run], bare: Sequence[Run] | None) -> dict[str, Any]:
    times = sorted(run.milliseconds for run in runs)
    median = statistics.median(times)
    figures: dict[str, Any] = {
        "median": f"{median:.1f} ms",
        "p95": f"{times[int(len(times) * 0.95)]:.1f} ms",
        "largest": f"{times[-1]:.1f} ms",
        "CPU": f"{statistics.median(run.cpu for run in runs):.1f} ms",
    }
    if bare:
        figures["times"] = round(median / statistics.median(run.milliseconds for run in bare), 2)
    return figures | {"answered": f"{sum(bool(run.printed) for run in runs)}/{len(runs)}"}


class _Bench:
    """A home with an archive, and the ways in which a hook can meet a daemon, or trouble."""

    def __init__(self, scratch: Path, model: str, home: Path | None) -> None:
        self.silent = scratch / "silent"
        self._scratch = scratch
        self._home = home or scratch / "home"
        self._missing = scratch / "missing"
        self._missing.mkdir()  # where there is no home, no daemon is started
        self._environment = {
            "HOME": str(scratch),
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "CLAUDE_CONFIG_DIR": str(scratch / "claude"),
            "SUI_MEMORY_MODEL": model,
        }
        self._sleeper = scratch / "sleeper"
        self._sleeper.write_text("#!/bin/sh\nexec sleep 2\n", encoding="utf-8")
        self._sleeper.chmod(0o700)

    def archive(self, exchanges: int) -> None:
        """Make an archive of so many exchanges, with all its vectors."""
        spec = Spec(sessions=max(1, exchanges * 2 // 7), exchanges=exchanges, mix=SHORT)
        generate(self._scratch / "claude" / "projects", spec)
        self._sui_memory("backfill", "--wait")

    @cached_property
    def _prompts(self) -> Iterator[str]:
        return _prompts(Settings(self._home))

    @contextmanager
    def daemon(self) -> Iterator[None]:
        """Run the daemon, and wait until it has its model and nothing else to do."""
        self._sui_memory("daemon", "start")
        try:
            _wait_for(self._is_settled)
            yield
        finally:
            self._sui_memory("daemon", "stop")

    def bare(self) -> dict[str, Case]:
        """Return what all else is compared with."""
        return {"bare": lambda: _run([*_PYTHON, "-c", "pass"], b"", self._environment)}

    def warm(self) -> dict[str, Case]:
        """Return the hooks that find a daemon."""
        return {
            "user_prompt_submit": lambda: self._hook("user_prompt_submit", self._home),
            "stop": lambda: self._hook("stop", self._home),
            "session_end": lambda: self._hook("session_end", self._home),
        }

    def cold(self) -> dict[str, Case]:
        """Return the prompt that finds none, and starts it."""

        def first_prompt() -> Run:
            run = self._hook("user_prompt_submit", self._home, sys.executable)
            self._sui_memory("daemon", "start")  # waits for the one that may still be coming
            self._sui_memory("daemon", "stop")
            return run

        return {"cold, user_prompt_submit": first_prompt}

    def trouble(self) -> dict[str, Case]:
        """Return the hooks that find no daemon, or one that says nothing."""
        cases: dict[str, Case] = {}
        for script in ("user_prompt_submit", "session_end"):
            cases |= {
                f"none to start, {script}": self._case(script, self._missing, _NOWHERE),
                f"starting fails, {script}": self._case(script, self._missing, "/bin/false"),
                f"starting hangs, {script}": self._case(script, self._missing, str(self._sleeper)),
                f"daemon hangs, {script}": self._case(script, self.silent, _NOWHERE),
            }
        return cases

    def _case(self, script: str, home: Path, starter: str) -> Case:
        return lambda: self._hook(script, home, starter)

    def _hook(self, script: str, home: Path, starter: str = _NOWHERE) -> Run:
        session = str(uuid4())  # never one that the archive has shown something to
        said = {
            "session_id": session,
            "transcript_path": str(self._scratch / "claude" / "projects" / "new" / f"{session}.jsonl"),
            "cwd": "/home/ken/infra",
            "prompt": next(self._prompts),
        }
        stdin = json.dumps(said, ensure_ascii=False).encode() + b"\n"
        words = [*_PYTHON, str(_HOOKS / f"{script}.py"), starter, str(home)]
        return _run(words, stdin, self._environment)

    def _sui_memory(self, *arguments: str) -> None:
        environment = {**self._environment, "SUI_MEMORY_HOME": str(self._home)}
        words = [sys.executable, "-P", "-m", "sui_memory", *arguments]
        subprocess.run(words, env=environment, check=True, capture_output=True)  # noqa: S603 (our own words)

    def _is_settled(self) -> bool:
        status = client.status(Settings(self._home))
        if status is None or status["doing"] != "nothing" or status["waiting"]:
            return False
        return bool(status["models"]) or self._environment["SUI_MEMORY_MODEL"] == "none"


def _run(words: Sequence[str], stdin: bytes, environment: Mapping[str, str]) -> Run:
    started, worked = time.perf_counter(), _cpu()
    done = subprocess.run(words, input=stdin, env=environment, check=True, capture_output=True)  # noqa: S603
    return Run((time.perf_counter() - started) * 1000, (_cpu() - worked) * 1000, done.stdout)


def _cpu() -> float:
    """Return the seconds that all hooks so far have worked: they are the children, the daemon is not."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _prompts(settings: Settings) -> Iterator[str]:
    """Yield the beginnings of archived questions, in an order of their own, over and over."""
    store = open_store(settings.database, analyzer=default_tools().analyzer)
    questions = [memory.exchange.question[:_PROMPT_CHARS] for memory in store.scan(Scope())]
    store.close()
    draw = random.Random(1)
    while True:
        yield draw.choice(questions)


@contextmanager
def _nobody_answers(home: Path) -> Iterator[None]:
    """Listen in a home and never accept: what a daemon that hangs looks like."""
    home.mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        with chdir(home):
            listener.bind("daemon.sock")
        listener.listen(128)
        yield


def _wait_for(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + _SETTLING_SECONDS
    while not holds():
        if time.monotonic() > until:
            raise SystemExit("The daemon does not settle.")
        time.sleep(0.1)


if __name__ == "__main__":
    main()
