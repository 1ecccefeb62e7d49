"""Learns what each ranking counts for when a model's vectors are among them, from sets with known answers.

    python -m benchmarks.learning --data DIR [--data DIR ...] --model NAME [--write] [--json]

Learns from the questions of each set's split `tune`, or from the half of its questions that a hash of their
ids chooses, and reports those and the rest. `held out` is what weights get that were learned from the other
four fifths of the tuning questions. `--model none` comes first: what it learns is what `--model fake`, the
weakest there is, is held against for the weights of models that were never measured. --write keeps the
weights in sui_memory/scoring/weights.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from benchmarks.evaluation.collecting import Asked, collected
from benchmarks.evaluation.learning import Tried, grid, harmless, held_out, learned, tried
from benchmarks.evaluation.sets import load_sets
from benchmarks.evaluation.table import aligned
from benchmarks.evaluation.weighing import RANKINGS
from sui_memory.config import Settings
from sui_memory.embedding import open_embedder
from sui_memory.errors import SuiMemoryError
from sui_memory.scoring import Weights, weights_of
from sui_memory.scoring.weights import NONE, UNMEASURED
from sui_memory.scoring.weights import learned as known

MODES = ("blend", "score", "rrf")

_WEAKEST = "fake"


def main() -> None:
    """Learn, print, and write the weights when they are wanted."""
    options = _arguments()
    try:
        embedder = open_embedder(options.model, models_dir=options.models_dir)
        settings = Settings(Path())  # of which the home is not used
        asked = {
            each.name: collected(each, settings, embedder)
            for place in options.data
            for each in load_sets(place)
        }
    except (OSError, SuiMemoryError) as error:
        sys.exit(f"{error}")
    model = embedder.model_id if embedder else NONE
    report = learn(asked, settings, model)
    print(json.dumps(report, indent=1) if options.json else _printed(report))
    if options.write:
        _write(report["writes"], report["weights"])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", required=True, metavar="DIR")
    parser.add_argument("--model", required=True, help="a name that `sui-memory model` lists, fake, or none")
    parser.add_argument("--models-dir", type=Path, default=Path("models"))
    parser.add_argument("--write", action="store_true", help="keep the weights for this model")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def learn(asked: Mapping[str, list[Asked]], settings: Settings, model: str) -> dict[str, Any]:
    """Return the weights learned for a model, whose they are to be, and what each set gets from them."""
    weightings = grid(with_vectors=model != NONE)
    modes = {
        mode: {name: tried(questions, mode, settings, weightings) for name, questions in asked.items()}
        for mode in MODES
    }
    sets = modes[settings.fusion]
    is_weakest = model == _WEAKEST
    weights = harmless(sets, weights_of(None)) if is_weakest else learned(sets, weightings)
    lines: dict[str, tuple[Mapping[str, Tried], Weights]] = {
        "as shipped": (sets, weights_of(None if model == NONE else model)),
        "learned": (sets, weights),
        "without vectors": (sets, weights_of(None)),
        **{f"{name} alone": (sets, {name: 1.0}) for name in RANKINGS},
        **{f"mode {mode}, learned for it": (modes[mode], learned(modes[mode], weightings)) for mode in MODES},
    }
    return {
        "model": model,
        "writes": UNMEASURED if is_weakest else model,
        "weights": weights,
        "sets": {name: _figures(name, lines) for name in sets},
        "held out": held_out(sets, weightings),
        "weights by mode": {mode: learned(modes[mode], weightings) for mode in MODES},
    }


def _figures(name: str, lines: Mapping[str, tuple[Mapping[str, Tried], Weights]]) -> dict[str, Any]:
    """Return line → MRR@10 of the tuning questions of a set, of the rest, and of all."""
    figures = {}
    for line, (sets, weights) in lines.items():
        of_set = sets[name]
        parts = {"tune": of_set.tuning, "rest": ~of_set.tuning, "all": of_set.tuning | True}
        figures[line] = {part: round(of_set.mrr(weights, it), 4) for part, it in parts.items() if it.any()}
    return figures


def _printed(report: Mapping[str, Any]) -> str:
    """Return a table of each set, and the weights below them."""
    tables = []
    for name, figures in report["sets"].items():
        rows = [(f"{name}, MRR@10", "tune", "rest", "all")]
        for line, parts in figures.items():
            rows.append((line, *(f"{parts[part]:.4f}" if part in parts else "" for part in rows[0][1:])))
        if name in report["held out"]:
            rows.append(("held out", f"{report['held out'][name]:.4f}", "", ""))
        tables.append(aligned(rows))
    chosen = {report["writes"]: report["weights"], **report["weights by mode"]}
    return "\n\n".join((*tables, *(f"{whose}: {json.dumps(weights)}" for whose, weights in chosen.items())))


def _write(model: str, weights: Weights) -> None:
    kept = {**known(), model: weights}
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(kept[name])}" for name in sorted(kept))
    place = Path(str(files("sui_memory.scoring").joinpath("weights.json")))
    place.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
