"""Two runs over the same queries: what the second gained or lost, query by query."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Any

from benchmarks.evaluation.metrics import interval
from benchmarks.evaluation.summary import Figures, rounded


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Figures]:
    """Return set → what `paired` tells, for the sets of both runs, given as their JSON."""
    first, second = before["sets"], after["sets"]
    return {name: paired(first[name]["each"], second[name]["each"]) for name in first if name in second}


def paired(before: Mapping[str, Mapping[str, float]], after: Mapping[str, Mapping[str, float]]) -> Figures:
    """Return figure → mean difference over the queries of both (above 0: after is higher), and its interval.

    Resampling the differences of pairs keeps what the queries differ in out of the interval. `won` and
    `lost` count the queries whose figure rose and fell.
    """
    figures: Figures = {}
    for name, values in before.items():
        others = after.get(name, {})
        changes = [others[query] - value for query, value in values.items() if query in others]
        if changes:
            figures[name] = {
                "queries": len(changes),
                "difference": round(fmean(changes), 4),
                "interval": rounded(interval(changes)),
                "won": sum(change > 0 for change in changes),
                "lost": sum(change < 0 for change in changes),
            }
    return figures
