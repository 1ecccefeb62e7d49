"""The whole beside each single method, which tells whether putting rankings together is worth it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from benchmarks.evaluation.baselines import BASELINES, searched
from benchmarks.evaluation.collecting import Asked, collected
from benchmarks.evaluation.comparing import paired
from benchmarks.evaluation.metrics import DEPTH, interval, ranking_figures
from benchmarks.evaluation.sets import EvaluationSet
from benchmarks.evaluation.summary import Figures, rounded
from sui_memory.config import Settings
from sui_memory.scoring import fold
from sui_memory.types import Embedder

WHOLE = "whole"
SINGLE = ("words", "trigrams", "vectors")
COLUMNS = ("recall@1", "recall@5", "mrr@10", "ndcg@10")

Each = Mapping[str, Mapping[str, float]]
"""Figure → question id → value."""


def beside_singles(chosen: EvaluationSet, settings: Settings, embedder: Embedder | None) -> Figures:
    """Return the figures of the whole and of each single method, and the whole less the best single one.

    The best is that of the highest MRR; in `whole - best` the interval is of the pairs.
    """
    each = _each_method(chosen, collected(chosen, settings, embedder), embedder)
    methods = {method: _means(figures) for method, figures in each.items()}
    best = max((name for name in methods if name != WHOLE), key=lambda name: methods[name]["mrr@10"])
    return {"methods": methods, "best": best, "whole - best": paired(each[best], each[WHOLE])}


def _each_method(chosen: EvaluationSet, asked: Sequence[Asked], embedder: Embedder | None) -> dict[str, Each]:
    """Return method → the figures of each question."""
    found: dict[str, dict[str, Mapping[str, float]]] = defaultdict(dict)
    for it in asked:
        found[WHOLE][it.question.id] = ranking_figures(it.whole, it.gold)
        for name in SINGLE:
            if name != "vectors" or embedder:
                ranked = [match.memory_id for match in fold(it.rankings.get(name, ()))]
                found[name][it.question.id] = ranking_figures(ranked, it.gold)
    for baseline in BASELINES:
        found[baseline] = dict(_outside(baseline, chosen))
    return {method: _by_figure(of_questions) for method, of_questions in found.items()}


def _outside(baseline: str, chosen: EvaluationSet) -> Iterator[tuple[str, Mapping[str, float]]]:
    """Yield the figures of each question by a baseline, among the documents of its group."""
    for group in sorted({document.group for document in chosen.documents}):
        documents = [document for document in chosen.documents if document.group == group]
        questions = [question for question in chosen.queries if question.group == group and question.gold]
        ranked = searched(baseline, documents, questions, DEPTH)
        for question, keys in zip(questions, ranked, strict=True):
            yield question.id, ranking_figures(keys, question.gold)


def _by_figure(of_questions: Mapping[str, Mapping[str, float]]) -> Each:
    return {name: {key: figures[name] for key, figures in of_questions.items()} for name in COLUMNS}


def _means(each: Each) -> Figures:
    values = {name: list(of_questions.values()) for name, of_questions in each.items()}
    means = {name: round(fmean(some), 4) if some else 0.0 for name, some in values.items()}
    return means | {"mrr@10 95 %": rounded(interval(values["mrr@10"])) if values["mrr@10"] else []}
