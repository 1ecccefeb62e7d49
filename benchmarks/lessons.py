"""What lessons are worth and cost: how surely they fire, how often wrongly, and what a prompt waits.

    python -m benchmarks.lessons [--lessons 500] [--rounds 5] [--cpu] [--json]

Firing is that of the prepared lessons and prompts in benchmarks/lessons.json, one lesson at a time: `rate` of
the prompts that hold its words, `others` of those that only look like it. False fires are those of all
prepared lessons together on the prompts of a set that nothing is to be recalled for, without those prompts
that a lesson names as `apt`: they ask for just what it is about. The latency is added to
a prompt: the question whether anything changed, the reminders, and the search for all triggers, in an archive
with so many lessons of two keywords each, a tenth of them patterns instead. The prompts are those of the
same set; `long` are ones that are longer than what is looked at of a prompt. `changed` is the first prompt
after a lesson was added.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.evaluation.metrics import percentile
from sui_memory.language import JapaneseAnalyzer
from sui_memory.mind.firing import Rules, fire
from sui_memory.mind.triggers import HEAD, TAIL
from sui_memory.store import SqliteStore, open_store
from sui_memory.store.lessons import Lesson, Reminder

_PREPARED = Path(__file__).with_name("lessons.json")
_SETS = Path(__file__).with_name("sets")
_SEED = 1
_EVERY = 10  # one of so many lessons has a pattern
_REMINDERS = 20

Figures = dict[str, Any]


def main() -> None:
    """Measure and print."""
    options = _arguments()
    clock = time.thread_time if options.cpu else time.perf_counter
    entries = json.loads(_PREPARED.read_text("utf-8"))["lessons"]
    talk = json.loads((_SETS / "talk.json").read_text("utf-8"))
    nothing = [prompt["text"] for prompt in talk["nothing"]]
    figures: Figures = {"firing": _firing(entries), "false": _false(entries, nothing)}
    texts = [*nothing, *(query["text"] for query in talk["queries"])]
    figures["milliseconds"] = _latency(_vocabulary(talk["docs"]), texts, options, clock)
    print(json.dumps(figures, indent=2, ensure_ascii=False) if options.json else _text(figures))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--lessons", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _lesson(entry: dict[str, Any]) -> Lesson:
    keywords = tuple(entry.get("keywords", ()))
    return Lesson(entry["action"], keywords, entry.get("pattern"), priority=entry["priority"])


def _firing(entries: Sequence[dict[str, Any]]) -> Figures:
    """Return how many of the prompts fire that should, and of those that should not."""
    fired = [bool(fire([_lesson(entry)], text)) for entry in entries for text in entry["prompts"]]
    others = [bool(fire([_lesson(entry)], text)) for entry in entries for text in entry["others"]]
    return {
        "lessons": len(entries),
        "prompts": len(fired),
        "rate": sum(fired) / len(fired),
        "others": sum(others) / len(others),
    }


def _false(entries: Sequence[dict[str, Any]], prompts: Sequence[str]) -> Figures:
    """Return how many prompts any of the lessons fires on that nothing is to be recalled for."""
    lessons = [_lesson(entry) for entry in entries]
    apt = {text for entry in entries for text in entry.get("apt", ())}
    fired = [text for text in prompts if fire(lessons, text)]
    wrong = [text for text in fired if text not in apt]
    return {
        "prompts": len(prompts),
        "fired": len(fired) / len(prompts),
        "rate": len(wrong) / len(prompts),
        "texts": wrong,
    }


def _vocabulary(docs: Sequence[dict[str, Any]]) -> list[str]:
    """Return the content words of a set's memories, each once, in an order of its own."""
    analyzer = JapaneseAnalyzer()
    words = {word for doc in docs for word in analyzer.query_terms(doc["question"]) if len(word) > 1}
    return random.Random(_SEED).sample(sorted(words), len(words))


def _latency(
    words: Sequence[str], texts: Sequence[str], options: argparse.Namespace, clock: Callable[[], float]
) -> Figures:
    """Return what lessons add to a prompt, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "memory.db", analyzer=JapaneseAnalyzer())
        _fill(store, words, options.lessons)
        rules = Rules(store.lessons)
        rules.warm()
        long = [(" ".join(texts[start:]) + " ".join(texts))[: 2 * (HEAD + TAIL)] for start in range(100)]
        figures = {
            "prompts": _times(rules, list(texts) * options.rounds, clock),
            "long": _times(rules, long * options.rounds, clock),
            "changed": _changed(store, rules, texts[:20], clock),
        }
        store.close()
    return figures


def _fill(store: SqliteStore, words: Sequence[str], count: int) -> None:
    for number in range(count):
        pair = (words[2 * number % len(words)], words[(2 * number + 1) % len(words)])
        if number % _EVERY:
            store.lessons.add(Lesson("look twice", pair, priority=1 + number % 5))
        else:
            store.lessons.add(Lesson("look twice", pattern=rf"{pair[0]}.{{0,20}}{pair[1]}"))
    for number in range(_REMINDERS):
        store.lessons.remind(Reminder("look", words[-1 - number]))


def _times(rules: Rules, texts: Sequence[str], clock: Callable[[], float]) -> Figures:
    now = datetime.now(UTC)
    spent, told = [], 0
    for text in texts:
        started = clock()
        telling = rules.for_prompt(text, "/code/app", now)
        spent.append((clock() - started) * 1000)
        told += bool(telling)
    return {
        "p50": percentile(spent, 50),
        "p95": percentile(spent, 95),
        "max": max(spent),
        "told": told / len(texts),
    }


def _changed(store: SqliteStore, rules: Rules, texts: Sequence[str], clock: Callable[[], float]) -> Figures:
    """Return the times of prompts, each right after a lesson was added."""
    spent = []
    for number, text in enumerate(texts):
        store.lessons.add(Lesson("look twice", (f"word{number}",)))
        spent.append(_times(rules, [text], clock)["max"])
    return {"p50": percentile(spent, 50), "p95": percentile(spent, 95), "max": max(spent)}


def _text(figures: Figures) -> str:
    firing, false = figures["firing"], figures["false"]
    lines = [
        f"{firing['lessons']} lessons, {firing['prompts']} of their prompts: {firing['rate']:.1%} fire",
        f"prompts that only look like them: {firing['others']:.1%}",
        f"{false['prompts']} prompts without recall: {false['fired']:.1%}, wrongly {false['rate']:.1%}",
        *(f"  {text}" for text in false["texts"]),
    ]
    for name, times in figures["milliseconds"].items():
        shown = "  ".join(f"{key} {value:.3f}" for key, value in times.items())
        lines.append(f"{name}: {shown}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
