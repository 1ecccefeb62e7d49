"""What feedback gains and costs: prompts are answered, what came of it is noted, and others are answered.

    python -m benchmarks.feedback --data FILE [--split tune|test] [--shared] [--read] [--rounds N] [--seed N]

Replays prompts of the set in a seeded order through the real recall, each in a session of its own: gold
that was shown counts as used, all else that was shown as ignored. With `--read` the real judgement is asked
instead, of an answer that repeats the sentence of the gold that holds the answer. Then the other prompts
are answered, with what was learnt and without. `--split test` replays the tuning half and asks the test
half; `--split tune` replays one part of the tuning half and asks the other, divided by the gold exchange or,
with `--shared`, by the query alone.

`record known` is the share of prompts that are shown a memory which feedback has moved. Prompts whose gold
was asked for in the replay are `known`, others `fresh`. A set has several queries for an exchange, and asks
for nothing else: it shows what becomes of memories that are wanted again, and whether those that never were
are hurt; not how often people do ask for the same memory again.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.evaluation.comparing import paired
from benchmarks.evaluation.metrics import is_right_first
from benchmarks.evaluation.running import archive_of
from benchmarks.evaluation.sets import EvaluationSet, Question, load_sets
from benchmarks.evaluation.table import difference_table
from sui_memory.app import Answer, App
from sui_memory.config import Settings
from sui_memory.embedding import open_embedder
from sui_memory.recall import Prompt, when_asked
from sui_memory.scoring import used
from sui_memory.types import Embedder, Memory

Each = Mapping[str, Mapping[str, float]]
"""Figure → query id → value, as `paired` takes it."""

Verdict = Callable[[Question, Memory], bool | None]

_SENTENCE = re.compile(r"(?<=[。.!?])\s*|\n+")


def main() -> None:
    """Print what feedback changes: of all that is asked, of the known and the fresh, and of each kind."""
    options = _parser().parse_args()
    embedder = open_embedder(options.model, models_dir=Path("models"))
    chosen = next(load_sets(options.data))
    with archive_of(chosen, Settings(Path("."), feedback=True), embedder) as app:
        app.embed()
        replayed, asked = divided(chosen, options)
        before = answered(app, chosen, asked, embedder)
        verdict = _reading(app, chosen) if options.read else _knowing
        replay(app, chosen, replayed * options.rounds, embedder, verdict)
        after = answered(app, chosen, asked, embedder)
    known = frozenset().union(*(question.gold for question in replayed))
    print(difference_table(chosen.name, _changes(asked, known, before, after)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="a set that tells answers")
    parser.add_argument("--split", default="tune", choices=("tune", "test"), help="what is asked in the end")
    parser.add_argument("--model", default="use")
    parser.add_argument("--rounds", type=int, default=1, help="how often each prompt is replayed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--read", action="store_true", help="judge by an answer's words, not by the gold")
    parser.add_argument("--shared", action="store_true", help="let both parts ask for the same exchanges")
    return parser


def divided(chosen: EvaluationSet, options: argparse.Namespace) -> tuple[list[Question], list[Question]]:
    """Return the prompts that are replayed, in random order, and those that are asked in the end."""
    chance = random.Random(options.seed)
    tune = _prompts(chosen.half("tune"))
    chance.shuffle(tune)
    if options.split == "test":
        return tune, _prompts(chosen.half("test"))
    names = sorted({_part(question, shared=options.shared) for question in tune})
    replayed = set(chance.sample(names, len(names) // 2))
    parts: tuple[list[Question], list[Question]] = ([], [])
    for question in tune:
        parts[_part(question, shared=options.shared) not in replayed].append(question)
    return parts


def _part(question: Question, *, shared: bool) -> str:
    """Return what goes into one part together: the queries of an exchange, or each alone."""
    return question.id if shared else min(question.gold, default=question.id)


def _prompts(half: EvaluationSet) -> list[Question]:
    return [*(query for query in half.queries if query.answer), *half.nothing]


def answered(
    app: App, chosen: EvaluationSet, asked: Iterable[Question], embedder: Embedder | None
) -> dict[str, dict[str, float]]:
    """Return figure → query id → what came of it."""
    each: dict[str, dict[str, float]] = {}
    for question in asked:
        for figure, value in _figures(question, _answer(app, chosen, question, embedder), app).items():
            each.setdefault(figure, {})[question.id] = value
    return each


def _answer(
    app: App, chosen: EvaluationSet, question: Question, embedder: Embedder | None, session: str = "asking"
) -> Answer:
    assert chosen.now is not None  # noqa: S101 - sets that tell answers tell when they are asked
    return app.answer(
        Prompt(question.text, session, chosen.now, question.project),
        "UserPromptSubmit",
        embedder.model_id if embedder else None,
        when_asked(embedder) if embedder else None,
    )


def _figures(question: Question, answer: Answer, app: App) -> dict[str, float]:
    keys = [memory.exchange.key for memory in _shown(answer, app)]
    if not question.gold:
        return {"injected on nothing": float(bool(keys))}
    traces = [dict(memory.trace) for memory in answer.injection.memories]
    figures = {
        "record known": float(any("used" in trace for trace in traces)),
        "answer in block": float(_spaced(question.answer) in _spaced(answer.block)),
        "gold shown": float(not question.gold.isdisjoint(keys)),
        "gold first": float(bool(keys) and keys[0] in question.gold),
    }
    if question.older:
        figures["right first"] = float(is_right_first(keys, question.gold, question.older))
    return figures


def _shown(answer: Answer, app: App) -> list[Memory]:
    return app.store.get([shown.memory_id for shown in answer.injection.memories])


def _spaced(text: str) -> str:
    return " ".join(text.split())


def replay(
    app: App,
    chosen: EvaluationSet,
    questions: Sequence[Question],
    embedder: Embedder | None,
    verdict: Verdict,
) -> None:
    """Answer prompts, each in a session of its own, and note in the ledger what came of each memory."""
    for number, question in enumerate(questions):
        session = f"replay {number}"
        answer = _answer(app, chosen, question, embedder, session)
        recorded = app.store.ledger.record(replace(answer.injection, session=session))
        shown = _shown(answer, app)
        app.store.ledger.judge(recorded, {memory.id: verdict(question, memory) for memory in shown})


def _knowing(question: Question, memory: Memory) -> bool:
    return memory.exchange.key in question.gold


def _reading(app: App, chosen: EvaluationSet) -> Verdict:
    """Return what judges by an answer that repeats the sentence which was asked for."""
    answers = {document.id: document.answer for document in chosen.documents}

    def terms(text: str) -> frozenset[str]:
        return frozenset(app.analyzer.terms(text).split())

    def verdict(question: Question, memory: Memory) -> bool | None:
        told = [part for key in question.gold for part in _SENTENCE.split(answers[key]) if part]
        following = " ".join(part for part in told if question.answer in part) or question.answer
        weights = app.store.rarity(sorted(terms(memory.exchange.answer)))
        return used(weights, terms(question.text), terms(following))

    return verdict


def _changes(
    asked: Sequence[Question], known: frozenset[str], before: Each, after: Each
) -> dict[str, dict[str, object]]:
    """Return part → what `paired` tells of it: everything, the known and the fresh, and each kind."""
    parts = {"all": [question.id for question in asked]}
    for question in asked:
        if question.gold:
            parts.setdefault("fresh" if question.gold.isdisjoint(known) else "known", []).append(question.id)
        parts.setdefault(question.kind, []).append(question.id)
    return {name: paired(_of(before, ids), _of(after, ids)) for name, ids in parts.items()}


def _of(each: Each, ids: Sequence[str]) -> dict[str, dict[str, float]]:
    wanted = frozenset(ids)
    return {
        figure: {query: value for query, value in values.items() if query in wanted}
        for figure, values in each.items()
    }


if __name__ == "__main__":
    main()
