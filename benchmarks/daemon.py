"""What the daemon holds and does: its memory as prompts come in, their time, and its work when none do.

    python -m benchmarks.daemon --home FOLDER [--model NAME] [--prompts N] [--json]

The archive is there already, with its vectors. A prompt is the beginning of an archived question, asked over
the socket without a hook process; every tenth one begins another session.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import statistics
import time
from collections.abc import Sequence
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from sui_memory.archive import default_tools
from sui_memory.config import Settings
from sui_memory.daemon import client
from sui_memory.daemon.protocol import Request, encode
from sui_memory.store import open_store
from sui_memory.types import Scope

_PROMPT_CHARS = 60
_SESSION_PROMPTS = 10
_SETTLING_SECONDS = 5.0
_IDLE_SECONDS = 20.0
_MARKS = (0, 100, 200, 500, 1_000)


def main() -> None:
    """Measure and print."""
    options = _arguments()
    os.environ["SUI_MEMORY_MODEL"] = options.model
    settings = replace(Settings(options.home.absolute()), model=options.model)
    client.stop(settings)
    client.start(settings)
    try:
        figures = _measured(settings, options.prompts)
    finally:
        client.stop(settings)
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        print(f"{name:28} {value}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--model", default="auto")
    parser.add_argument("--prompts", type=int, default=1_000)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _measured(settings: Settings, prompts: int) -> dict[str, Any]:
    questions = _questions(settings)
    time.sleep(_SETTLING_SECONDS)
    draw = random.Random(1)
    figures: dict[str, Any] = {"models": _status(settings)["models"]}
    times: list[float] = []
    session = ""
    for number in range(prompts + 1):
        if number in _MARKS or number == prompts:
            figures[f"MB after {number} prompts"] = round(_status(settings)["resident_bytes"] / 1e6, 1)
        if number % _SESSION_PROMPTS == 0:
            session = str(uuid4())
        times.append(_milliseconds(settings.home, session, draw.choice(questions)))
    figures["answer, median and p95 ms"] = [
        round(statistics.median(times), 1),
        round(sorted(times)[int(len(times) * 0.95)], 1),
    ]
    return figures | {"CPU seconds idle": _idle(int(_status(settings)["pid"]))}


def _questions(settings: Settings) -> Sequence[str]:
    store = open_store(settings.database, analyzer=default_tools().analyzer)
    questions = [memory.exchange.question[:_PROMPT_CHARS] for memory in store.scan(Scope())]
    store.close()
    return questions


def _status(settings: Settings) -> dict[str, Any]:
    status = client.status(settings)
    if status is None:
        raise SystemExit("The daemon does not answer.")
    return status


def _milliseconds(home: Path, session: str, prompt: str) -> float:
    body = json.dumps({"session_id": session, "prompt": prompt, "cwd": "/home/ken/infra"}).encode()
    started = time.perf_counter()
    with socket.socket(socket.AF_UNIX) as connection:
        with chdir(home):
            connection.connect("daemon.sock")
        connection.sendall(encode(Request("hook", {"event": "UserPromptSubmit"}, body)))
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 16):
            pass
    return (time.perf_counter() - started) * 1000


def _idle(process: int) -> float:
    before = _cpu_seconds(process)
    time.sleep(_IDLE_SECONDS)
    return round(_cpu_seconds(process) - before, 3)


def _cpu_seconds(process: int) -> float:
    """Return user and system time of a process: fields 14 and 15 of proc(5)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
