"""How long each stage of recall takes, measured where it is called."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any
from unittest.mock import patch

from sui_memory import app
from sui_memory.app import App
from sui_memory.language import JapaneseAnalyzer
from sui_memory.recall import prompt, search
from sui_memory.store import SqliteStore
from sui_memory.types import Embedder

Clock = Callable[[], float]
"""Gives seconds from any beginning."""

Times = dict[str, list[float]]
"""Stage → milliseconds of each of its calls."""

_STAGES: tuple[tuple[str, Any, str], ...] = (
    ("ledger", App, "_with_ledger"),
    ("analysis", JapaneseAnalyzer, "query_terms"),
    ("rarity", SqliteStore, "rarity"),
    ("present", SqliteStore, "present"),
    ("words", SqliteStore, "search_words"),
    ("trigrams", SqliteStore, "search_trigrams"),
    ("substring", SqliteStore, "search_substring"),
    ("vectors", SqliteStore, "search_vectors"),
    ("coverage", search, "standing"),
    ("ranking", search, "ranked"),
    ("ranking", prompt, "ranked"),
    ("reading", prompt, "hits_of"),
    ("evidence", prompt, "judged"),
    ("succession", prompt, "succeeded"),
    ("diversity", prompt, "distinct"),
    ("block", app, "fitting"),
    ("block", app, "render"),
)
"""Stage, and the class or module by whose name its callers find it. `ranking` is fusion and decay, `present`
what the session has before its eyes, `reading` the texts that a prompt may show."""


@contextmanager
def timed(embedder: Embedder | None, clock: Clock = time.perf_counter) -> Iterator[Times]:
    """Give the times of the stages that run inside the block; the model's are of a query's vector."""
    times: Times = defaultdict(list)
    with ExitStack() as stack:
        for stage, owner, name in _STAGES:
            stack.enter_context(_watched(times, clock, stage, owner, name))
        if embedder is not None:
            stack.enter_context(_watched(times, clock, "model", type(embedder), "embed_query"))
        yield times


def _watched(times: Times, clock: Clock, stage: str, owner: Any, name: str) -> Any:
    called: Callable[..., Any] = getattr(owner, name)

    @wraps(called)
    def watched(*args: Any, **options: Any) -> Any:
        started = clock()
        try:
            return called(*args, **options)
        finally:
            times[stage].append((clock() - started) * 1000)

    return patch.object(owner, name, watched)
