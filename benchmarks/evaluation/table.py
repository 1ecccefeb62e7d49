"""Reports as text: aligned columns, a line for each kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_SEARCH = ("recall@1", "recall@3", "recall@5", "recall@10", "mrr@10", "ndcg@10")
_PROMPT = ("answer in block", "injected", "gold shown", "characters")
_SINGLE = ("recall@1", "recall@5", "mrr@10", "ndcg@10")
_ORDER = "right first"


def set_table(name: str, figures: Mapping[str, Any]) -> str:
    """Return the tables of one set: its searches, and its prompts if it has any."""
    parts = [
        _table(f"{name}, searches", figures, _SEARCH, "mrr@10"),
        _stage_table(f"{name}, stages of a search", figures["stages"]),
    ]
    if prompts := figures.get("prompts"):
        answerable, nothing = prompts["answerable"], prompts["nothing"]
        parts += [
            _table(f"{name}, prompts with an answer", answerable, _PROMPT, "answer in block"),
            _table(f"{name}, prompts that should recall nothing", nothing, ("injected",), "injected"),
            _silence_table(f"{name}, silence", prompts),
            _stage_table(f"{name}, stages of a prompt", prompts["stages"]),
        ]
    return "\n\n".join(parts) + "\n"


def difference_table(title: str, changes: Mapping[str, Mapping[str, Any]]) -> str:
    """Return one line for each set and figure of what `comparing.differences` tells."""
    rows = [(title, "figure", "queries", "difference", "95 %", "won", "lost")]
    for name, figures in changes.items():
        for figure, change in figures.items():
            low, high = change["interval"]
            shift, span = f"{change['difference']:+.4f}", f"{low:+.4f} {high:+.4f}"
            counts = [str(change[key]) for key in ("queries", "won", "lost")]
            rows.append((name, figure, counts[0], shift, span, counts[1], counts[2]))
    return aligned(rows)


def single_table(name: str, figures: Mapping[str, Any]) -> str:
    """Return a line for each method of what `singles.beside_singles` tells, and the whole less the best."""
    rows = [(name, *_SINGLE, "mrr@10 95 %")]
    for method, means in figures["methods"].items():
        low, high = means["mrr@10 95 %"]
        rows.append((method, *(_number(means[column]) for column in _SINGLE), f"{low:.3f} {high:.3f}"))
    best = {f"whole - {figures['best']}": figures["whole - best"]}
    return f"{aligned(rows)}\n\n{difference_table(name, best)}\n"


def _table(title: str, figures: Mapping[str, Any], columns: Sequence[str], main: str) -> str:
    """Return a line for the whole, for each language and for each kind; `main` has its interval."""
    if any(_ORDER in part for _, part in _parts(figures)):
        columns = (*columns, _ORDER)
    rows = [(title, "queries", *columns, f"{main} 95 %", "ms p50", "ms p95")]
    rows += [_row(name, part, columns, main) for name, part in _parts(figures) if part["queries"]]
    return aligned(rows)


def _stage_table(title: str, stages: Mapping[str, Mapping[str, float]]) -> str:
    rows = [(title, "calls", "ms p50", "ms p95")]
    for stage, taken in stages.items():
        rows.append((stage, str(taken["calls"]), f"{taken['ms p50']:.2f}", f"{taken['ms p95']:.2f}"))
    return aligned(rows)


def _silence_table(title: str, prompts: Mapping[str, Any]) -> str:
    missed, rightly = prompts["silences on answerable"], prompts["silences on nothing"]
    rows = [(title, "with an answer", "without")]
    for reason in dict.fromkeys((*missed, *rightly)):
        rows.append((reason, str(missed.get(reason, 0)), str(rightly.get(reason, 0))))
    return aligned(rows)


def _parts(figures: Mapping[str, Any]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    yield "all", figures
    yield from figures.get("languages", {}).items()
    yield from figures.get("kinds", {}).items()


def _row(name: str, part: Mapping[str, Any], columns: Sequence[str], main: str) -> tuple[str, ...]:
    low, high = part["intervals"][main]
    values = [_number(part.get(column)) for column in columns]
    return (
        name,
        str(part["queries"]),
        *values,
        f"{low:.3f} {high:.3f}",
        f"{part['ms p50']:.1f}",
        f"{part['ms p95']:.1f}",
    )


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if value <= 1 else f"{value:.0f}"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of equal length as columns: the first to the left, the others to the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join((row[0].ljust(widths[0]), *cells)).rstrip())
    return "\n".join(lines)
