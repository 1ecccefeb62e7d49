"""What a block's characters buy: how often the answer can be read in it, by budget and by what is shown.

    python -m benchmarks.excerpt --data DIR [--split tune|test|all] [--model NAME] [--by KEY] [--json]
    python -m benchmarks.excerpt --data DIR --among 3000 [...]

Over the answerable prompts of sets that tell answers (benchmarks/sets/README.md) whose gold is among the
memories that are shown. `excerpt` is the block as it is; `beginning` shows the first characters of each
answer in the same room; `whole` shows all of every answer, whatever it costs. `--by` divides the prompts
by their kind or language at one budget; `--missed` names those whose answer the excerpt leaves out there.

The answers of a set may be shorter than those of an assistant at work. With `--among N` each stands as a
paragraph somewhere among other answers of its project, N characters in all: recall is the same, and what
is shown has to be found in a long text about the same things.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest.mock import patch

from benchmarks.evaluation.running import archive_of
from benchmarks.evaluation.sets import EvaluationSet, Question, load_sets
from benchmarks.evaluation.table import aligned
from sui_memory.app import App
from sui_memory.archive import default_tools
from sui_memory.config import Settings
from sui_memory.context import block, render
from sui_memory.embedding import open_embedder
from sui_memory.recall import Prompt, Ranking, recollect, when_asked
from sui_memory.scoring import weights_of
from sui_memory.types import Embedder, Exchange, Hit, Indexed

BUDGETS = (300, 600, 900, 1_200, 1_500, 2_000, 3_000)
"""Characters of a block, the default among them."""

_DEFAULT = 1_500
_ENDLESS = 10_000_000


@dataclass(frozen=True, slots=True)
class Recalled:
    """A prompt with the memories that it brings to mind, the right one among them, and its words."""

    question: Question
    hits: tuple[Hit, ...]
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Whether the answer to a prompt can be read in a block, and how many characters that took."""

    question: Question
    is_answered: bool
    characters: int


def main() -> None:
    """Measure every set in a folder and print its tables, or JSON."""
    options = _parser().parse_args()
    embedder = open_embedder(options.model, models_dir=options.models_dir)
    results = {}
    for each in load_sets(options.data):
        recalled = list(recalled_in(each.half(options.split), embedder))
        if recalled and options.among:
            recalled = among(recalled, each, options.among)
        if recalled:
            results[each.name] = _figures(recalled, options)
    print(json.dumps(results, indent=1, ensure_ascii=False) if options.json else _tables(results))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="DIR", required=True)
    parser.add_argument("--split", default="test", choices=("tune", "test", "all"))
    parser.add_argument("--model", default="auto")
    parser.add_argument("--models-dir", type=Path, default=Path("models"))
    parser.add_argument("--among", type=int, metavar="N", help="characters to lengthen each answer to")
    parser.add_argument("--by", choices=("kind", "language"))
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--budget", type=int, default=_DEFAULT, help="characters for --by and --missed")
    parser.add_argument("--json", action="store_true")
    return parser


def recalled_in(chosen: EvaluationSet, embedder: Embedder | None) -> Iterator[Recalled]:
    """Yield the prompts of a set whose right memory is among those that a block shows."""
    asked = [query for query in chosen.queries if query.answer]
    for group in sorted({query.group for query in asked}):
        documents = tuple(document for document in chosen.documents if document.group == group)
        part = replace(chosen, documents=documents)
        with archive_of(part, Settings(Path()), embedder) as app:
            app.embed()
            found = (_recalled(app, query, part, embedder) for query in asked if query.group == group)
            yield from (each for each in found if _shows_gold(each))


def _recalled(app: App, query: Question, part: EvaluationSet, embedder: Embedder | None) -> Recalled:
    found = recollect(
        Prompt(query.text, "asking", part.now or datetime.now(UTC), query.project),
        store=app.store,
        analyzer=app.analyzer,
        embed=when_asked(embedder) if embedder else None,
        ranking=Ranking(weights=weights_of(embedder.model_id if embedder else None)),
    )
    return Recalled(query, found.hits, found.terms)


def _shows_gold(recalled: Recalled) -> bool:
    return any(hit.memory.exchange.key in recalled.question.gold for hit in recalled.hits)


def among(recalled: Sequence[Recalled], chosen: EvaluationSet, characters: int) -> list[Recalled]:
    """Return the same with longer answers: each among others of its project, at a place drawn by its key.

    The passage of a hit is the one of its new text that holds most words of the prompt, the first of such.
    """
    others: dict[str, list[str]] = {}
    for document in chosen.documents:
        others.setdefault(document.project, []).append(document.answer)
    tools = default_tools()
    longer: dict[str, Indexed] = {}
    for memory in {hit.memory.id: hit.memory for each in recalled for hit in each.hits}.values():
        long = _lengthened(memory.exchange, others[memory.exchange.project], characters)
        longer[memory.id] = Indexed(long, tools.cut(long, tools.analyzer))
    return [
        replace(each, hits=tuple(_in(longer[hit.memory.id], hit, each.terms) for hit in each.hits))
        for each in recalled
    ]


def _lengthened(exchange: Exchange, others: Sequence[str], characters: int) -> Exchange:
    """Return an exchange whose answer is a paragraph among others."""
    draw = random.Random(exchange.key)
    parts, size = [], len(exchange.answer)
    for other in draw.sample(others, len(others)):
        if size + len(other) > characters:
            break
        if other != exchange.answer:
            parts.append(other)
            size += len(other) + 2
    parts.insert(draw.randrange(len(parts) + 1), exchange.answer)
    return replace(exchange, answer="\n\n".join(parts))


def _in(longer: Indexed, hit: Hit, terms: Sequence[str]) -> Hit:
    best = max(
        longer.passages, key=lambda it: len({*terms} & {*it.question_terms.split(), *it.answer_terms.split()})
    )
    memory = replace(hit.memory, exchange=longer.exchange)
    return replace(hit, memory=memory, passage=(best.start, best.stop))


def shown(recalled: Sequence[Recalled], budget: int) -> list[Block]:
    """Return the blocks of prompts in a budget."""
    blocks = ((each, render(each.hits, each.terms, budget_chars=budget)) for each in recalled)
    return [Block(each.question, _holds(text, each.question.answer), len(text)) for each, text in blocks]


def _holds(text: str, answer: str) -> bool:
    """Say whether an answer can be read in a block, which has single spaces and no line ends in it."""
    return " ".join(answer.split()) in " ".join(text.split())


@contextmanager
def showing(part: Callable[[Hit, Sequence[str], int], str], ceiling: int = block.CEILING) -> Iterator[None]:
    """Let blocks show another part of each answer inside the context; one thread at a time."""
    with patch.object(block, "_answer", part), patch.object(block, "CEILING", ceiling):
        yield


def _beginning(hit: Hit, terms: Sequence[str], width: int) -> str:
    return hit.memory.exchange.answer


def _figures(recalled: Sequence[Recalled], options: argparse.Namespace) -> dict[str, Any]:
    blocks = {str(budget): {"excerpt": shown(recalled, budget)} for budget in BUDGETS}
    with showing(_beginning):
        for budget in BUDGETS:
            blocks[str(budget)]["beginning"] = shown(recalled, budget)
    with showing(_beginning, ceiling=_ENDLESS):
        blocks["any"] = {"whole": shown(recalled, _ENDLESS)}
    figures: dict[str, Any] = {
        "prompts": len(recalled),
        "budgets": {
            budget: {way: _means(found) for way, found in ways.items()} for budget, ways in blocks.items()
        },
    }
    if options.by:
        figures[options.by] = _divided(recalled, options.by, options.budget)
    if options.missed:
        found = shown(recalled, options.budget)
        figures["missed"] = [each.question.id for each in found if not each.is_answered]
    return figures


def _means(blocks: Sequence[Block]) -> dict[str, float]:
    return {
        "answer in block": round(fmean(each.is_answered for each in blocks), 4),
        "characters": round(fmean(each.characters for each in blocks), 1),
    }


def _divided(recalled: Sequence[Recalled], by: str, budget: int) -> dict[str, dict[str, float]]:
    """Return kind or language → how many prompts there are and how many of them are answered."""
    with showing(_beginning):
        baseline = shown(recalled, budget)
    ways = {"excerpt": shown(recalled, budget), "beginning": baseline}
    names = sorted({getattr(each.question, by) for each in recalled})
    return {
        name: {
            "prompts": sum(getattr(each.question, by) == name for each in recalled),
            **{
                way: round(fmean(it.is_answered for it in found if getattr(it.question, by) == name), 4)
                for way, found in ways.items()
            },
        }
        for name in names
    }


def _tables(results: dict[str, Any]) -> str:
    return "\n\n".join(_table(name, figures) for name, figures in results.items())


def _table(name: str, figures: dict[str, Any]) -> str:
    rows = [[f"{name}, {figures['prompts']} prompts", "shown", "answer in block", "characters"]]
    for budget, ways in figures["budgets"].items():
        for way, means in ways.items():
            rows.append([budget, way, f"{means['answer in block']:.3f}", f"{means['characters']:,.0f}"])
    parts = [aligned(rows)]
    for by in ("kind", "language"):
        if by in figures:
            head = [by, "prompts", "excerpt", "beginning"]
            found = [
                [key, str(it["prompts"]), f"{it['excerpt']:.3f}", f"{it['beginning']:.3f}"]
                for key, it in figures[by].items()
            ]
            parts.append(aligned([head, *found]))
    if "missed" in figures:
        parts.append("missed: " + (", ".join(figures["missed"]) or "none"))
    return "\n\n".join(parts)


if __name__ == "__main__":
    main()
