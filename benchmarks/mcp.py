"""What the MCP server costs: its start, its list of tools, and its calls beside the same done in process.

    python -m benchmarks.mcp --home FOLDER [--model NAME] [--calls N] [--json]

The archive is there already, with its vectors; `remember` adds to it, so give a copy. The daemon is started
and warm. In process is `App.mind`, as the tool calls it, with its own loaded model; a call goes through the
official client, the server and the daemon.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from sui_memory.app import App, open_app
from sui_memory.config import Settings
from sui_memory.daemon import client
from sui_memory.types import Scope

_STARTS = 7
_WARMING = 10
_CUE_CHARS = 60

Operation = tuple[str, Callable[[str], dict[str, Any]], Callable[[App, str], object]]

OPERATIONS: tuple[Operation, ...] = (
    ("search_memories", lambda cue: {"query": cue}, lambda app, cue: app.mind.search(cue, 5)),
    ("recall", lambda cue: {"context": cue}, lambda app, cue: app.mind.recall(cue, 3)),
    ("list_recent_memories", lambda cue: {}, lambda app, cue: app.mind.recent(10)),
    ("get_working_memory", lambda cue: {}, lambda app, cue: app.mind.working(10)),
    ("get_memory_stats", lambda cue: {}, lambda app, cue: app.mind.stats()),
    ("remember", lambda cue: {"content": cue}, lambda app, cue: app.mind.remember(cue)),
)
"""Tool, its arguments for a cue, and the same in process."""


def main() -> None:
    """Measure and print."""
    options = _arguments()
    os.environ |= {"SUI_MEMORY_MODEL": options.model, "SUI_MEMORY_HOME": str(options.home.absolute())}
    settings = replace(Settings(options.home.absolute()), model=options.model)
    client.stop(settings)
    client.start(settings)
    try:
        figures = asyncio.run(_served(settings, options.calls)) | _in_process(settings, options.calls)
    finally:
        client.stop(settings)
    for tool, *_ in OPERATIONS:
        figures[f"{tool}, ratio of medians"] = round(
            figures[f"{tool}, ms"] / figures[f"{tool} in process, ms"], 2
        )
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        print(f"{name:44} {value}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--model", default="auto")
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


async def _served(settings: Settings, calls: int) -> dict[str, Any]:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "sui_memory", "mcp"], env=dict(os.environ)
    )
    starts, before = [], _children_seconds()
    for _ in range(_STARTS):
        started = time.perf_counter()
        async with Client(server):
            starts.append(time.perf_counter() - started)
    figures: dict[str, Any] = {
        "start to first reply, median s": round(statistics.median(starts), 3),
        "start to first reply, best s": round(min(starts), 3),
        "whole life of such a process, CPU s": round((_children_seconds() - before) / _STARTS, 3),
    }
    cues = _cues(settings)
    async with Client(server) as talk:
        listed = [
            tool.model_dump(by_alias=True, exclude_none=True) for tool in (await talk.list_tools()).tools
        ]
        figures["tools/list, characters"] = len(json.dumps({"tools": listed}, ensure_ascii=False))
        for tool, given, _ in OPERATIONS:

            async def call(cue: str, tool: str = tool, given: Any = given) -> None:
                result = await talk.call_tool(tool, given(cue))
                if result.is_error:
                    raise SystemExit(f"{tool} failed: {result.content}")

            figures[f"{tool}, ms"] = await _median(call, cues, calls)
    return figures


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def _median(call: Callable[[str], Awaitable[None]], cues: list[str], calls: int) -> float:
    draw = random.Random(1)
    times = []
    for number in range(calls + _WARMING):
        cue = draw.choice(cues)
        started = time.perf_counter()
        await call(cue)
        if number >= _WARMING:
            times.append(time.perf_counter() - started)
    return round(statistics.median(times) * 1000, 2)


def _in_process(settings: Settings, calls: int) -> dict[str, Any]:
    cues = _cues(settings)
    figures: dict[str, Any] = {}
    with open_app(settings) as app:
        for tool, _, work in OPERATIONS:

            async def call(cue: str, work: Any = work) -> None:
                work(app, cue)

            figures[f"{tool} in process, ms"] = asyncio.run(_median(call, cues, calls))
    return figures


def _cues(settings: Settings) -> list[str]:
    """Return the beginnings of archived questions."""
    with open_app(settings) as app:
        questions = [memory.exchange.question[:_CUE_CHARS] for memory in app.store.scan(Scope())]
    return [question for question in questions if question.strip()][:2_000]


if __name__ == "__main__":
    main()
