"""What is told before a tool runs: the lessons that name it, and never whether it may run."""

from __future__ import annotations

import time

from sui_memory.app import Answer, App
from sui_memory.context import render, told_lines
from sui_memory.recall import Prompt
from sui_memory.store.ledger import Injection, prompt_hash
from sui_memory.transcript.project import project_of


def before_tool(app: App, prompt: Prompt, tool: str, event: str, told: frozenset[str]) -> Answer:
    """Return the lessons for a tool whose input is the text of the prompt, without those in `told`."""
    started = time.perf_counter()
    budget = app.settings.characters
    telling = app.rules.for_tool(tool, prompt.text, project_of(prompt.project), told)
    lines = told_lines(telling.lessons, (), budget_chars=budget)
    block = render((), (), budget_chars=budget, told=lines)
    injection = Injection(
        at=prompt.now,
        session=prompt.session,
        event=event,
        prompt_hash=prompt_hash(prompt.text),
        silence=None if block else "no lesson for this tool came up",
        characters=len(block),
        milliseconds=(time.perf_counter() - started) * 1000,
    )
    return Answer(block, injection, telling.first(len(lines)))
