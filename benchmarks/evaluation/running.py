"""Running a set: its documents in real archives, its queries searched for, its prompts answered."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.evaluation.metrics import DEPTH, is_right_first, ranking_figures
from benchmarks.evaluation.sets import Document, EvaluationSet, Question
from benchmarks.evaluation.stages import WHOLE, bears_on_search, switched_off
from benchmarks.evaluation.timing import Times, timed
from sui_memory.app import App, open_app
from sui_memory.config import Settings
from sui_memory.recall import Prompt, when_asked
from sui_memory.types import Embedder, Exchange, Indexed, Memory

_BATCH = 256
_EMBED_BATCH = 64
_ASKING = "asking"
"""The session that asks: none that an archive holds, so nothing is before its eyes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one question: figures by name, and how long it took. `silence` is why none came."""

    question: Question
    figures: Mapping[str, float]
    milliseconds: float
    silence: str | None = None


@dataclass(slots=True)
class Outcomes:
    """What came of a set: of its searches, of the prompts with an answer, and of those without any."""

    searches: list[Outcome] = field(default_factory=list)
    answerable: list[Outcome] = field(default_factory=list)
    nothing: list[Outcome] = field(default_factory=list)
    search_times: Times = field(default_factory=dict)
    prompt_times: Times = field(default_factory=dict)


def run(
    chosen: EvaluationSet,
    settings: Settings,
    embedder: Embedder | None,
    stages: Sequence[str] = (WHOLE,),
) -> tuple[dict[str, Outcomes], float]:
    """Run a set once for each stage, that stage off; return the outcomes, and seconds spent on vectors.

    A stage is one of `stages.STAGES`, or `WHOLE` for all of them on; without one that bears on prompts alone
    nothing is searched for. Of `settings` the home is not used.
    """
    outcomes = {stage: Outcomes() for stage in stages}
    embedding = 0.0
    for app, part, seconds in archives(chosen, settings, embedder):
        embedding += seconds
        for stage in stages:
            with switched_off(stage):
                if bears_on_search(stage):
                    _search(app, part, embedder, outcomes[stage])
                if part.has_prompts:
                    _answer(app, part, embedder, outcomes[stage])
    return outcomes, embedding


def archives(
    chosen: EvaluationSet, settings: Settings, embedder: Embedder | None
) -> Iterator[tuple[App, EvaluationSet, float]]:
    """Yield for each group of a set its archive, what concerns the group, and seconds spent on vectors."""
    for group in sorted({document.group for document in chosen.documents}):
        part = _part(chosen, group)
        with archive_of(part, settings, embedder) as app:
            started = time.perf_counter()
            _embed(app, embedder)
            yield app, part, time.perf_counter() - started


def _part(chosen: EvaluationSet, group: str) -> EvaluationSet:
    """Return what concerns one group; without any date, all is asked now."""
    documents = tuple(document for document in chosen.documents if document.group == group)
    newest = max((document.asked_at for document in documents if document.asked_at), default=None)
    return replace(
        chosen,
        now=chosen.now or newest,
        documents=documents,
        queries=tuple(query for query in chosen.queries if query.group == group),
        nothing=tuple(prompt for prompt in chosen.nothing if prompt.group == group),
    )


@contextmanager
def archive_of(part: EvaluationSet, settings: Settings, embedder: Embedder | None) -> Iterator[App]:
    """Give a real archive, in a folder of its own, of each document as an exchange keyed by its id."""
    with tempfile.TemporaryDirectory() as folder:
        model = embedder.model_id if embedder else "none"
        chosen = replace(settings, home=Path(folder), model=model)
        with open_app(chosen, clock=lambda: _now(part), load=lambda _: embedder) as app:
            for start in range(0, len(part.documents), _BATCH):
                app.store.restore([_memory(it, app) for it in part.documents[start : start + _BATCH]])
            yield app


def _now(part: EvaluationSet) -> datetime:
    return part.now or datetime.now(UTC)


def _memory(document: Document, app: App) -> tuple[Memory, Indexed]:
    exchange = Exchange(
        key=document.id,
        fingerprint=document.id,
        session=document.session,
        project=document.project,
        question=document.question,
        answer=document.answer,
        asked_at=document.asked_at,
    )
    return Memory(exchange), Indexed(exchange, app.tools.cut(exchange, app.analyzer))


def _embed(app: App, embedder: Embedder | None) -> None:
    if embedder is None:
        return
    app.store.use_model(embedder.model_id, embedder.dim)
    while pending := app.store.pending(embedder.model_id, _EMBED_BATCH):
        vectors = embedder.embed_documents([passage.text for passage in pending])
        rows = [(passage.rowid, vector) for passage, vector in zip(pending, vectors, strict=True)]
        app.store.add_vectors(embedder.model_id, rows)
    app.store.warm()


def _search(app: App, part: EvaluationSet, embedder: Embedder | None, outcomes: Outcomes) -> None:
    with timed(embedder) as times:
        outcomes.searches += [_searched(app, query) for query in part.queries if query.gold]
    _add(outcomes.search_times, times)


def _answer(app: App, part: EvaluationSet, embedder: Embedder | None, outcomes: Outcomes) -> None:
    now = _now(part)
    asked = [query for query in part.queries if query.answer]
    with timed(embedder) as times:
        outcomes.answerable += [_prompted(app, query, now, embedder) for query in asked]
        outcomes.nothing += [_prompted(app, prompt, now, embedder) for prompt in part.nothing]
    _add(outcomes.prompt_times, times)


def _add(times: Times, more: Times) -> None:
    for stage, milliseconds in more.items():
        times.setdefault(stage, []).extend(milliseconds)


def _searched(app: App, query: Question) -> Outcome:
    """Search for a query among all documents, whichever project it was asked in."""
    found = app.search(query.text, limit=DEPTH)
    keys = [hit.memory.exchange.key for hit in found.hits]
    figures = ranking_figures(keys, query.gold) | _order(query, keys)
    return Outcome(query, figures, found.milliseconds)


def _prompted(app: App, prompt: Question, now: datetime, embedder: Embedder | None) -> Outcome:
    """Answer a prompt as a hook does, but for the deadline: what the model says always comes in time."""
    started = time.perf_counter()
    answer = app.answer(
        Prompt(prompt.text, _ASKING, now, prompt.project),
        "UserPromptSubmit",
        embedder.model_id if embedder else None,
        when_asked(embedder) if embedder else None,
    )
    milliseconds = (time.perf_counter() - started) * 1000
    memories = app.store.get([shown.memory_id for shown in answer.injection.memories])
    keys = [memory.exchange.key for memory in memories]
    figures = {"injected": float(bool(answer.block)), "memories": float(len(keys))}
    if prompt.gold:
        figures |= _seen(prompt, answer.block, keys) | _order(prompt, keys)
    return Outcome(prompt, figures, milliseconds, answer.injection.silence)


def _seen(prompt: Question, block: str, keys: Collection[str]) -> dict[str, float]:
    """Return whether the answer can be read in a block, from whatever memory; blocks have single spaces."""
    return {
        "answer in block": float(_spaced(prompt.answer) in _spaced(block)),
        "gold shown": float(not prompt.gold.isdisjoint(keys)),
        "characters": float(len(block)),
    }


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _order(question: Question, keys: Sequence[str]) -> dict[str, float]:
    if not question.older:
        return {}
    return {"right first": float(is_right_first(keys, question.gold, question.older))}
