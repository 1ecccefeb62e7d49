"""From outcomes to what is reported: means with intervals, by kind and by language."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from benchmarks.evaluation.metrics import interval, percentile
from benchmarks.evaluation.running import Outcome, Outcomes
from benchmarks.evaluation.sets import Question
from benchmarks.evaluation.timing import Times

Figures = dict[str, Any]
"""What JSON holds: numbers of four decimals, by name."""


def summary(outcomes: Outcomes) -> Figures:
    """Return the figures of a set. `each` has what paired comparison needs: figure → query id → value."""
    figures = _divided(outcomes.searches) | {"stages": _stages(outcomes.search_times)}
    each = {"mrr@10": _each(outcomes.searches, "mrr@10")}
    if outcomes.answerable or outcomes.nothing:
        figures["prompts"] = _prompts(outcomes)
        each["answer in block"] = _each(outcomes.answerable, "answer in block")
        each["right first"] = _each(outcomes.answerable, "right first")
        each["injected on nothing"] = _each(outcomes.nothing, "injected")
    return figures | {"each": each}


def _prompts(outcomes: Outcomes) -> Figures:
    return {
        "answerable": _divided(outcomes.answerable),
        "nothing": _divided(outcomes.nothing),
        "silences on answerable": _silences(outcomes.answerable),
        "silences on nothing": _silences(outcomes.nothing),
        "stages": _stages(outcomes.prompt_times),
    }


def _stages(times: Times) -> Figures:
    """Return stage → its calls, and the milliseconds of one."""
    return {
        stage: {
            "calls": len(taken),
            "ms p50": round(percentile(taken, 50), 3),
            "ms p95": round(percentile(taken, 95), 3),
        }
        for stage, taken in times.items()
    }


def _divided(outcomes: Sequence[Outcome]) -> Figures:
    """Return the means over all outcomes, then those by kind and by language, as far as they are told."""
    return (
        means(outcomes)
        | _by(outcomes, "kinds", lambda question: question.kind)
        | _by(outcomes, "languages", lambda question: question.language)
    )


def _by(outcomes: Sequence[Outcome], name: str, key: Callable[[Question], str]) -> Figures:
    parts: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        parts[key(outcome.question)].append(outcome)
    told = {part: means(parts[part]) for part in sorted(parts) if part}
    return {name: told} if told else {}


def means(outcomes: Sequence[Outcome]) -> Figures:
    """Return the mean of each figure over the outcomes that have it, 95 % intervals, and milliseconds."""
    if not outcomes:
        return {"queries": 0}
    columns: dict[str, list[float]] = defaultdict(list)
    for outcome in outcomes:
        for name, value in outcome.figures.items():
            columns[name].append(value)
    times = [outcome.milliseconds for outcome in outcomes]
    return {
        "queries": len(outcomes),
        **{name: round(fmean(values), 4) for name, values in columns.items()},
        "ms p50": round(percentile(times, 50), 2),
        "ms p95": round(percentile(times, 95), 2),
        "intervals": {name: rounded(interval(values)) for name, values in columns.items()},
    }


def rounded(numbers: Sequence[float]) -> list[float]:
    """Return the numbers with the four decimals of a report."""
    return [round(number, 4) for number in numbers]


def _each(outcomes: Sequence[Outcome], figure: str) -> Mapping[str, float]:
    """Return the figure of each outcome that has it, by the id of its question."""
    had = (outcome for outcome in outcomes if figure in outcome.figures)
    return {outcome.question.id: round(outcome.figures[figure], 4) for outcome in had}


def _silences(outcomes: Sequence[Outcome]) -> Mapping[str, int]:
    return dict(Counter(outcome.silence for outcome in outcomes if outcome.silence).most_common())
