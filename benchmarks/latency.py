"""The time that recall takes on an archive that is there, stage by stage, as prompts and as searches.

    python -m benchmarks.latency --home FOLDER [--prompts 200] [--model NAME] [--cpu] [--json]

Asks for the beginnings of archived questions, in an order of its own, with the vectors in memory as in the
daemon. `whole` is without the embedding of the question, which has a line of its own (`model`): in the daemon
the model works beside words and trigrams. A stage that a question is asked twice counts as one. With `--cpu`
the times are those that the thread worked, which other processes on the machine disturb less. `nearest`
compares the vectors in memory with the cosines of all that are stored: which share of the exact 10 and 100
nearest passages they find.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from benchmarks.evaluation.metrics import percentile
from benchmarks.evaluation.table import aligned
from benchmarks.evaluation.timing import Clock, Times, timed
from sui_memory.app import App, open_app
from sui_memory.config import Settings
from sui_memory.recall import Prompt, when_asked
from sui_memory.store.sqlite import matrix, models
from sui_memory.store.sqlite.connection import connect
from sui_memory.types import Embedder, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SEED = 1
_WARM_UP = 20  # questions before those that count: they fill the page cache and load the dictionary
_CHARACTERS = 60  # of an archived question, the length of a prompt
_ASKING = "asking"  # a session that no archive holds
_DEPTHS = (10, 100)
_BLOCK = 10_000  # vectors compared at once, 20 MB of floats

Figures = dict[str, Any]


def main() -> None:
    """Measure and print."""
    options = _arguments()
    with open_app(Settings(options.home, model=options.model)) as app:
        app.store.warm()
        model_id = app.active_model()
        embedder = app.embedder(model_id) if model_id else None
        clock = time.thread_time if options.cpu else time.perf_counter
        questions = _questions(app, options.prompts + _WARM_UP)
        figures = {
            "passages": app.store.stats()["passages"],
            "prompts": _stages(_measured(_prompting(app, embedder), questions, embedder, clock)),
            "searches": _stages(_measured(app.search, questions, embedder, clock)),
        }
        if embedder is not None:
            figures["nearest"] = _nearest(app, embedder, questions[_WARM_UP:])
    print(json.dumps(figures, indent=2) if options.json else _text(figures))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--home", type=Path, required=True, help="an archive that is there, with its vectors")
    parser.add_argument("--prompts", type=int, default=200)
    parser.add_argument("--model", default="auto")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _questions(app: App, count: int) -> list[str]:
    """Return the beginnings of archived questions, always the same ones of an archive."""
    asked = [memory.exchange.question[:_CHARACTERS] for memory in app.store.scan(Scope())]
    return random.Random(_SEED).choices(asked, k=count)


def _prompting(app: App, embedder: Embedder | None) -> Callable[[str], object]:
    """Return what answers a question as a prompt of a project of the archive."""
    now = datetime.now(UTC)
    project = next(iter(app.store.projects()), None)
    model_id = embedder.model_id if embedder else None
    embed = when_asked(embedder) if embedder else None
    return lambda text: app.answer(Prompt(text, _ASKING, now, project), "UserPromptSubmit", model_id, embed)


def _measured(
    ask: Callable[[str], object], questions: Sequence[str], embedder: Embedder | None, clock: Clock
) -> Times:
    """Return stage → its milliseconds for each question that went through it, and those of the whole."""
    spent: Times = defaultdict(list)
    for question in questions[:_WARM_UP]:
        ask(question)
    with timed(embedder, clock) as times:
        for question in questions[_WARM_UP:]:
            times.clear()
            started = clock()
            ask(question)
            whole = (clock() - started) * 1000
            for stage, taken in times.items():
                spent[stage].append(sum(taken))
            spent["whole"].append(whole - sum(times.get("model", ())))
    return spent


def _stages(times: Times) -> Figures:
    return {
        stage: {
            "calls": len(taken),
            "ms p50": round(percentile(taken, 50), 2),
            "ms p95": round(percentile(taken, 95), 2),
        }
        for stage, taken in times.items()
    }


def _nearest(app: App, embedder: Embedder, questions: Sequence[str]) -> Figures:
    """Return by depth which share of the exactly nearest passages the vectors in memory find."""
    connection = connect(app.settings.database, read_only=True)
    model = models.active(connection)
    held = matrix.refreshed(connection, model, None) if model else None
    connection.close()
    if held is None:
        return {}
    shares: dict[int, list[float]] = {depth: [] for depth in _DEPTHS}
    for question in questions:
        vector = embedder.embed_query(question)
        cosines = _cosines(held, models.quantise([vector], embedder.dim))
        for depth, found in shares.items():
            least = min(matrix.highest(cosines, depth), key=cosines.__getitem__)
            best = held.nearest(vector, depth)
            found.append(sum(cosine >= cosines[least] - 1e-6 for _, cosine in best) / depth)
    return {f"recall@{depth}": round(fmean(found), 4) for depth, found in shares.items()}


def _cosines(held: matrix.Matrix, query: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return the cosine of every row with a query, shape (rows,), of whole vectors in single precision."""
    import numpy as np

    wanted = query[0].astype(np.float32)
    wanted /= np.linalg.norm(wanted)
    blocks = [
        held.packed[start : min(start + _BLOCK, held.size)].astype(np.float32) @ wanted
        for start in range(0, held.size, _BLOCK)
    ]
    cosines: NDArray[np.float32] = np.concatenate(blocks) * held.scales[: held.size]
    return cosines


def _text(figures: Mapping[str, Any]) -> str:
    parts = [f"{figures['passages']} passages"]
    for name in ("prompts", "searches"):
        rows = [(f"{name}, a stage of one", "calls", "ms p50", "ms p95")]
        for stage, taken in figures[name].items():
            rows.append((stage, str(taken["calls"]), f"{taken['ms p50']:.2f}", f"{taken['ms p95']:.2f}"))
        parts.append(aligned(rows))
    if nearest := figures.get("nearest"):
        parts.append("nearest  " + "  ".join(f"{name} {share:.4f}" for name, share in nearest.items()))
    return "\n\n".join(parts)


if __name__ == "__main__":
    main()
