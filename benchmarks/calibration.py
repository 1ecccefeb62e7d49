"""What speaks for a memory, learnt from prompts with known answers: the weighing in scoring/evidence.py.

    python -m benchmarks.calibration --data DIR [--data DIR …] [--model NAME …] [--json]

Prompts are asked of real archives through the real pipeline up to the bar: those with an answer, those that
should recall nothing, and questions of another set, whose archive is foreign to them. Beside whole archives
small ones are asked, as a user has in the first days. Of sets with halves only `tune` is used, of others the
half of their queries whose ids hash even. A logistic regression is fitted to the hits, each of them right or
wrong; hits of prompts without an answer count thrice, since one memory too many costs more than one too few.
The shares of prompts that are printed below it are cross-validated.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from benchmarks.evaluation.evidence import (
    BARS,
    Judged,
    ask,
    cross_validated,
    fitted,
    learnt_from,
    passing,
    trials,
)
from benchmarks.evaluation.sets import load_sets
from benchmarks.evaluation.table import aligned
from sui_memory.embedding import open_embedder


def main() -> None:
    """Ask, fit, and print the weighing and what each bar lets through."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", required=True, metavar="DIR")
    parser.add_argument("--model", action="append", help="asked one after the other; default: auto and none")
    parser.add_argument("--models-dir", type=Path, default=Path("models"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sets = [learnt_from(each) for folder in options.data for each in load_sets(folder)]
    judged: list[Judged] = []
    for name in options.model or ("auto", "none"):
        embedder = open_embedder(name, models_dir=options.models_dir)
        judged += [one for trial in trials(sets) for one in ask(trial, embedder)]
    weighing = asdict(fitted(judged))
    shares = passing(judged, cross_validated(judged))
    if options.json:
        print(json.dumps({"weighing": weighing, "shares": shares}, indent=1))
    else:
        print("  ".join(f"{name} {value:.2f}" for name, value in weighing.items()), end="\n\n")
        print(_table(shares))


def _table(shares: Mapping[str, Mapping[str, float]]) -> str:
    rows = [("share that passes", *(f"bar {bar}" for bar in BARS))]
    for name, by_bar in sorted(shares.items()):
        rows.append((name, *(f"{share:.3f}" for share in by_bar.values())))
    return aligned(rows)


if __name__ == "__main__":
    main()
