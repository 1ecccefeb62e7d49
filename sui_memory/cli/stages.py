"""What each stage of the ranking made of a hit, as a small table that a person reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sui_memory.cli.common import printable

Trace = Sequence[tuple[str, float]]

_RANKINGS = {
    "words": "the ranking of words",
    "trigrams": "the ranking of parts of words",
    "vectors": "the ranking of meaning",
    "substring": "the plain search for the text",
    "coverage": "how much of the query it holds",
    "context": "how much the talk around holds",
    "phrases": "how much of it word by word",
}
_ALWAYS = ("words", "trigrams", "vectors")
"""Rankings with a row in every table: that one did not find a memory says something, too."""

_STAGES = {
    "fused": ("fused", "the rankings together, 0 to 1"),
    "reranker": ("reranker", "what a second model read in it"),
    "fresh": ("freshness", "a half after one half-life"),
    "close": ("named days", "how near it is to the days asked about"),
    "near": ("same project", "whether it is of the asker's project"),
    "used": ("used", "how often answers made use of it"),
    "score": ("score", "what it was ordered by"),
    "covered": ("covered", "share of the telling words it holds"),
    "held": ("held", "telling words it holds, the rarest count 1"),
    "missed": ("missed", "telling words it lacks"),
    "order": ("order", "whether the prompt tells to do something"),
    "evidence": ("evidence", "what speaks for it"),
    "late": ("late", "the model's vector came too late"),
}
"""Name in a trace → what a person reads, in the order of the table."""

_ORDER = {name: place for place, name in enumerate(_STAGES)}
_SWITCHES = frozenset(("near", "late", "order"))
_NOTHING = "–"


@dataclass(frozen=True, slots=True)
class _Row:
    stage: str
    rank: str = ""
    score: str = ""
    share: str = ""
    meaning: str = ""


def stage_table(trace: Trace, score: float, place: int | None = None) -> list[str]:
    """Return the lines of the table: stage, rank, score, share of the fused score, and what it says.

    Cells that the trace does not tell are empty; `place` is that among the hits shown, if it was.
    """
    values = dict(trace)
    rows = [*_rankings(values), *_stages({**values, "score": values.get("score", score)})]
    if place is not None:
        rows.append(_Row("place", rank=str(place)))
    return _aligned([_Row("stage", "rank", "score", "share"), *rows])


def _rankings(values: Mapping[str, float]) -> Iterator[_Row]:
    """Yield a row for each ranking; that of one which did not find the memory holds a dash."""
    found = [name for name in _names(values) if _is_ranking(name, values)]
    for name in dict.fromkeys((*_ALWAYS, *found)) if found else ():
        meaning = _RANKINGS.get(name, "")
        if name in found:
            rank, score = (values.get(f"{name} {part}") for part in ("rank", "score"))
            yield _Row(name, _whole(rank), _number(score), _number(values[name]), meaning)
        else:
            yield _Row(name, rank=_NOTHING, meaning=meaning)


def _stages(values: Mapping[str, float]) -> Iterator[_Row]:
    """Yield a row for each stage after the rankings: the known in order, then any other by its name."""
    names = [name for name in _names(values) if not _is_ranking(name, values) and name != "bar"]
    for name in sorted(names, key=lambda name: _ORDER.get(name, len(_ORDER))):
        stage, meaning = _STAGES.get(name, (name, ""))
        if name == "evidence" and "bar" in values:
            meaning = f"{meaning}; the bar asks for {values['bar']:.3f}"
        score = ("yes" if values[name] else "no") if name in _SWITCHES else _number(values[name])
        yield _Row(stage, _whole(values.get(f"{name} rank")), score, meaning=meaning)


def _names(values: Mapping[str, float]) -> list[str]:
    return [name for name in values if not name.endswith((" rank", " score"))]


def _is_ranking(name: str, values: Mapping[str, float]) -> bool:
    """Say whether a name is that of a ranking, even of one unknown here: that has a rank of its own."""
    return name in _RANKINGS or (name not in _STAGES and f"{name} rank" in values)


def _whole(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _aligned(rows: Sequence[_Row]) -> list[str]:
    cells = [(printable(row.stage), row.rank, row.score, row.share) for row in rows]
    first, *others = (max(map(len, column)) for column in zip(*cells, strict=True))
    lines = []
    for (stage, *numbers), row in zip(cells, rows, strict=True):
        right = (number.rjust(width) for number, width in zip(numbers, others, strict=True))
        lines.append("  ".join((stage.ljust(first), *right, row.meaning)).rstrip())
    return lines
