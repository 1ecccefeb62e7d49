"""What was judged of prompts with known answers, and the weighing of evidence that tells right from wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.evaluation.collecting import hashed
from benchmarks.evaluation.running import archives
from benchmarks.evaluation.sets import EvaluationSet, Question
from sui_memory.app import App
from sui_memory.config import Settings
from sui_memory.recall import Prompt, judging, prompt, when_asked
from sui_memory.scoring.evidence import Grounds, Weighing, evidence_of
from sui_memory.types import Embedder, Hit

FALSE_ALARM = 3.0
"""What a hit of a prompt without an answer counts beside any other."""

FOLDS = 5

FOREIGN = 120
"""Questions of each other set that are asked of an archive."""

SMALL = (15, 40, 120)
"""Exchanges of small archives."""

BARS = (0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3)
_RIDGE = 1.0  # on standardised columns, so that four numbers from some thousand hits stay small
_STEPS = 50  # of Newton's method, which needs ten
_ASKING = "asking"


@dataclass(frozen=True, slots=True)
class Trial:
    """An archive and what it is asked: its own queries, prompts without an answer, questions of others."""

    archive: EvaluationSet
    nothing: Sequence[Question]
    foreign: Sequence[Question]


@dataclass(frozen=True, slots=True)
class Judged:
    """A prompt, what of it was judged, and which of that was right; `kind` is own, nothing or foreign."""

    id: str
    archive: str
    kind: str
    hits: tuple[tuple[Grounds, bool], ...]


def learnt_from(chosen: EvaluationSet) -> EvaluationSet:
    """Return the half of a set that may be learnt from."""
    if any(query.split for query in chosen.queries):
        return chosen.half("tune")
    return replace(chosen, queries=tuple(query for query in chosen.queries if hashed(query.id) % 2 == 0))


def trials(sets: Sequence[EvaluationSet]) -> Iterator[Trial]:
    """Yield each set as a whole, and small archives of it."""
    nothing = [prompt for each in sets for prompt in each.nothing]
    some = {each.name: sorted(each.queries, key=lambda query: hashed(query.id))[:FOREIGN] for each in sets}
    for each in sets:
        yield Trial(each, nothing, [query for name in some if name != each.name for query in some[name]])
        for size in SMALL:
            yield _beginning(each, size, nothing)


def _beginning(chosen: EvaluationSet, size: int, nothing: Sequence[Question]) -> Trial:
    """Return a small archive of a set's first group; what it cannot answer, the rest of the set could."""
    group = min(document.group for document in chosen.documents)
    queries = [query for query in chosen.queries if query.group == group]
    queries.sort(key=lambda query: hashed(f"{size} {query.id}"))
    gold = {key for query in queries[: size // 2] for key in query.gold}
    documents = [document for document in chosen.documents if document.group == group]
    others = sorted(documents, key=lambda document: hashed(f"{size} {document.id}"))
    held = gold | {document.id for document in [it for it in others if it.id not in gold][: size - len(gold)]}
    archive = replace(
        chosen,
        name=f"{chosen.name}, {size}",
        documents=tuple(document for document in documents if document.id in held),
        queries=tuple(query for query in queries if query.gold <= held),
    )
    return Trial(archive, nothing, [query for query in queries if query.gold.isdisjoint(held)][:FOREIGN])


def ask(trial: Trial, embedder: Embedder | None) -> Iterator[Judged]:
    """Ask all of a trial, through the real pipeline up to the bar."""
    for app, part, _ in archives(trial.archive, Settings(home=Path()), embedder):
        for kind, prompts in (("own", part.queries), ("nothing", trial.nothing), ("foreign", trial.foreign)):
            for each in prompts:
                yield _asked(app, each, part, kind, embedder)


def _asked(app: App, question: Question, part: EvaluationSet, kind: str, embedder: Embedder | None) -> Judged:
    told = len({document.project for document in part.documents}) > 1  # else all of it is near, or none
    model_id, embed = (embedder.model_id, when_asked(embedder)) if embedder else (None, None)
    project = question.project if told else None
    asking = Prompt(question.text, _ASKING, part.now or datetime.now(UTC), project)
    with _judgements() as judged:
        app.answer(asking, "", model_id, embed)
    gold = question.gold if kind == "own" else frozenset()
    hits = tuple((_grounds(hit), hit.memory.exchange.key in gold) for hit in judged)
    return Judged(question.id, part.name, kind, hits)


@contextmanager
def _judgements() -> Iterator[list[Hit]]:
    """Give the hits that are judged inside the block."""
    seen: list[Hit] = []
    judge = judging.judged

    def watched(*args: Any, **options: Any) -> list[Hit]:
        seen.extend(judge(*args, **options))
        return list(seen)

    with patch.object(prompt, "judged", watched):
        yield seen


def _grounds(hit: Hit) -> Grounds:
    trace = dict(hit.trace)
    return Grounds(trace["held"], trace["missed"], hit.score, bool(trace["order"]))


def fitted(asked: Sequence[Judged]) -> Weighing:
    """Return the constants under which the hits of prompts are most likely right or wrong as they are."""
    rows = [
        (grounds.columns, right, 1.0 if right or one.kind == "own" else FALSE_ALARM)
        for one in asked
        for grounds, right in one.hits
    ]
    features = np.array([row[0] for row in rows])
    means, spreads = features.mean(axis=0), features.std(axis=0) + 1e-9
    design = np.c_[(features - means) / spreads, np.ones(len(rows))]
    found = _newton(design, np.array([row[1] for row in rows], float), np.array([row[2] for row in rows]))
    slopes = found[:-1] / spreads
    held, missed, score, order = map(float, slopes)
    return Weighing(held, missed, score, order, float(found[-1] - slopes @ means))


def _newton(design: Any, right: Any, weights: Any) -> Any:
    """Return the coefficients of a weighted logistic regression with a ridge; the last column is the bias."""
    ridge = np.diag([_RIDGE] * (design.shape[1] - 1) + [0.0])
    found = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-design @ found))
        slope = design.T @ (weights * (likely - right)) + ridge @ found
        bend = (design.T * (weights * likely * (1 - likely))) @ design + ridge
        found -= np.linalg.solve(bend, slope)
    return found


def cross_validated(asked: Sequence[Judged]) -> dict[str, Weighing]:
    """Return prompt id → constants learnt from the prompts of the other folds."""
    folds = [[one for one in asked if hashed(one.id) % FOLDS != fold] for fold in range(FOLDS)]
    weighings = [fitted(others) for others in folds]
    return {one.id: weighings[hashed(one.id) % FOLDS] for one in asked}


def passing(asked: Sequence[Judged], weighings: Mapping[str, Weighing]) -> dict[str, dict[str, float]]:
    """Return archive and kind → bar → share of prompts of which something, or the right thing, passes it."""
    best: dict[str, list[float]] = {}
    for one in asked:
        counted = [grounds for grounds, right in one.hits if right or one.kind != "own"]
        values = [evidence_of(grounds, weighings[one.id]) for grounds in counted]
        best.setdefault(f"{one.archive} {one.kind}", []).append(max(values, default=0.0))
    return {
        name: {str(bar): round(float(np.mean([value >= bar for value in values])), 4) for bar in BARS}
        for name, values in best.items()
    }
