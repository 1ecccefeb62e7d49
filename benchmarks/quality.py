"""Retrieval quality of the real pipeline: every query against a real archive of its group.

    python -m benchmarks.quality --data DIR [--json] [--no-decay] [--model NAME] [--config FILE]
    python -m benchmarks.quality --data DIR --ablate [--json]
    python -m benchmarks.quality --data DIR --baselines [--json]
    python -m benchmarks.quality --data DIR --compare BEFORE.json
    python -m benchmarks.quality --compare BEFORE.json AFTER.json

DIR holds sets: `{"docs": [{"id", "text", "group", "session", "date"?}], "queries": [{"id", "text",
"gold": [doc ids], "group", "cat"}]}`, and what benchmarks/sets/README.md adds. Recall@k, MRR@10 and
nDCG@10 are means over the queries; of sets that tell answers, prompts are answered as a hook does it,
without its deadline. `--baselines` sets the searches beside those of each single ranking, of character
bigrams and of stemmed English words. Intervals are of 95 %, by a seeded bootstrap. What --json prints,
--compare reads.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from benchmarks.evaluation.comparing import differences, paired
from benchmarks.evaluation.running import run
from benchmarks.evaluation.sets import EvaluationSet, load_sets
from benchmarks.evaluation.singles import beside_singles
from benchmarks.evaluation.stages import STAGES, WHOLE
from benchmarks.evaluation.summary import Figures, summary
from benchmarks.evaluation.table import difference_table, set_table, single_table
from sui_memory.config import Settings, load_settings
from sui_memory.embedding import open_embedder
from sui_memory.errors import SuiMemoryError
from sui_memory.types import Embedder

_RANKING = ("fusion", "decay", "half_life_days", "memories", "characters")
"""Settings that bear on what is found, as a report names them."""


def main() -> None:
    """Run every set in a folder and print its tables, or JSON; or compare two runs."""
    parser = _parser()
    options = parser.parse_args()
    if not options.data and len(options.compare) != 2:
        parser.error("--data DIR is needed, or --compare with two files")
    try:
        _report(options)
    except (OSError, SuiMemoryError) as error:
        sys.exit(f"{error}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="DIR", help="a folder of sets, or one of them")
    parser.add_argument("--model", help="a name that `sui-memory model` lists, or none; default: auto")
    parser.add_argument("--models-dir", type=Path, default=Path("models"))
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="settings, as a config.toml of sui-memory"
    )
    parser.add_argument("--fusion", choices=("blend", "score", "rrf"))
    parser.add_argument("--decay", choices=("bonus", "factor", "off"))
    parser.add_argument("--no-decay", action="store_const", const="off", dest="decay", help="--decay off")
    parser.add_argument(
        "--split", default="test", choices=("tune", "test", "all"), help="of sets that have any"
    )
    parser.add_argument("--ablate", action="store_true", help="switch each stage off in turn")
    parser.add_argument("--baselines", action="store_true", help="searches beside single methods")
    parser.add_argument("--compare", nargs="+", type=Path, default=[], metavar="FILE", help="one or two runs")
    parser.add_argument("--json", action="store_true")
    return parser


def _report(options: argparse.Namespace) -> None:
    runs = [_kept(path) for path in options.compare[:2]]
    if len(runs) == 2:
        _show_differences(runs[0], runs[1], as_json=options.json)
        return
    settings = settings_of(options)
    embedder = open_embedder(settings.model, models_dir=options.models_dir)
    chosen = (each.half(options.split) for each in load_sets(options.data))
    result = _head(settings, embedder, options.split)
    if options.ablate:
        _show(result | {"ablation": ablation(chosen, settings, embedder, shown=not options.json)}, options)
        return
    if options.baselines:
        _show(result | {"baselines": singles(chosen, settings, embedder, shown=not options.json)}, options)
        return
    result["sets"] = evaluated(chosen, settings, embedder, shown=not (options.json or runs))
    if runs:
        _show_differences(runs[0], result, as_json=options.json)
    else:
        _show(result, options)


def _kept(path: Path) -> dict[str, Any]:
    """Return a run that --json has printed."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        kept = None
    if not isinstance(kept, dict) or "sets" not in kept:
        sys.exit(f"{path} holds no run of this command: keep what --json prints.")
    return kept


def settings_of(options: argparse.Namespace) -> Settings:
    """Return the settings of the file, if one is named, with what the command line says over them."""
    with tempfile.TemporaryDirectory() as home:
        if options.config:
            shutil.copy(options.config, Path(home) / "config.toml")
        settings = load_settings({"SUI_MEMORY_HOME": home})
    said = {name: getattr(options, name) for name in ("model", "fusion", "decay") if getattr(options, name)}
    return replace(settings, **said)


def _head(settings: Settings, embedder: Embedder | None, split: str) -> dict[str, Any]:
    known = asdict(settings)
    return {
        "model": embedder.model_id if embedder else "none",
        "settings": {name: known[name] for name in _RANKING},
        "split": split,
    }


def evaluated(
    sets: Iterable[EvaluationSet], settings: Settings, embedder: Embedder | None, *, shown: bool
) -> dict[str, Figures]:
    """Return set → its figures; each is printed as soon as it is there when `shown`."""
    results = {}
    for each in sets:
        outcomes, embedding = run(each, settings, embedder)
        figures = summary(outcomes[WHOLE])
        figures["ms per document"] = round(embedding * 1000 / max(1, len(each.documents)), 2)
        results[each.name] = figures
        if shown:
            print(set_table(each.name, figures), flush=True)
    return results


def ablation(
    sets: Iterable[EvaluationSet], settings: Settings, embedder: Embedder | None, *, shown: bool
) -> dict[str, dict[str, Figures]]:
    """Return set → stage → what its absence changes; printed as soon as it is there when `shown`."""
    stages = [stage for stage in STAGES if embedder or stage not in ("vectors",)]
    results = {}
    for each in sets:
        outcomes, _ = run(each, settings, embedder, (WHOLE, *stages))
        figures = {stage: summary(found)["each"] for stage, found in outcomes.items()}
        changes = {stage: paired(figures[WHOLE], figures[stage]) for stage in stages}
        results[each.name] = {stage: change for stage, change in changes.items() if change}
        if shown:
            print(difference_table(f"{each.name} without", results[each.name]) + "\n", flush=True)
    return results


def singles(
    sets: Iterable[EvaluationSet], settings: Settings, embedder: Embedder | None, *, shown: bool
) -> dict[str, Figures]:
    """Return set → the whole beside single methods; printed as soon as it is there when `shown`."""
    results = {}
    for each in sets:
        results[each.name] = beside_singles(each, settings, embedder)
        if shown:
            print(single_table(each.name, results[each.name]), flush=True)
    return results


def _show(result: Mapping[str, Any], options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(result, indent=1, ensure_ascii=False))


def _show_differences(before: Mapping[str, Any], after: Mapping[str, Any], *, as_json: bool) -> None:
    changes = differences(before, after)
    print(json.dumps(changes, indent=1) if as_json else difference_table("set", changes))


if __name__ == "__main__":
    main()
