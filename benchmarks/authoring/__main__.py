"""Writes `benchmarks/sets/talk.json` from the sources, the same bytes every time.

python -m benchmarks.authoring            write the set
python -m benchmarks.authoring --counts   print how many queries there are of each kind
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.authoring.sessions import NOW, Turn, turns
from benchmarks.authoring.sources import Ask, Written, exchanges, nothing, pick, projects

SET = Path(__file__).parent.parent / "sets" / "talk.json"
GROUP = "talk"
_ELSEWHERE = 8
"""One of so many queries is asked from another project, if it is of a kind whose words tell enough."""
_TELLING = frozenset({"identifier", "error", "decision", "paraphrase", "code"})


def main() -> None:
    """Write the set, or print its counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--counts", action="store_true")
    if parser.parse_args().counts:
        print(counts(assembled()))
        return
    SET.write_text(dumped(assembled()), encoding="utf-8")


def assembled() -> dict[str, Any]:
    """Return the set: `docs`, `queries` with gold, and `nothing`, the prompts that should recall none."""
    return {
        "name": "talk",
        "now": NOW.isoformat(),
        "docs": [_document(turn) for turn in turns()],
        "queries": list(_queries()),
        "nothing": list(_nothing()),
    }


def dumped(data: Mapping[str, Any]) -> str:
    """Return the set as JSON, a row to the line."""
    parts = [f"{json.dumps(key)}: {_lines(value)}" for key, value in data.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def counts(data: Mapping[str, Any]) -> str:
    """Return the number of queries of each kind, by language and by half, as a Markdown table."""
    rows = [*data["queries"], *data["nothing"]]
    columns = ("ja", "en", "mixed", "tune", "test")
    lines = [f"| kind | {' | '.join(columns)} | all |", "|---" * (len(columns) + 2) + "|"]
    for kind in sorted({row["cat"] for row in rows}):
        found = [row for row in rows if row["cat"] == kind]
        tally = Counter(value for row in found for value in (row["language"], row["split"]))
        lines.append(f"| {kind} | {' | '.join(str(tally[column]) for column in columns)} | {len(found)} |")
    return "\n".join(lines)


def _lines(value: object) -> str:
    if not isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in value) + "\n]"


def _document(turn: Turn) -> dict[str, Any]:
    return {
        "id": turn.id,
        "text": f"{turn.question}\n\n{turn.answer}",
        "question": turn.question,
        "answer": turn.answer,
        "group": GROUP,
        "project": turn.project,
        "session": turn.session,
        "date": turn.at.isoformat(),
        "origin": turn.origin,
    }


def _queries() -> Iterator[dict[str, Any]]:
    for written in exchanges():
        for place, ask in enumerate(written.asks, 1):
            name = f"{written.id}/{place}"
            yield {
                "id": name,
                "text": ask.text,
                "gold": [written.id],
                "answer": ask.answer,
                "older": [written.older] if written.older and ask.kind == "newer" else [],
                "group": GROUP,
                "project": _asker(name, ask, written),
                "cat": ask.kind,
                "language": ask.language,
                "split": _half(name),
            }


def _nothing() -> Iterator[dict[str, Any]]:
    for prompt in nothing():
        yield {
            "id": prompt.id,
            "text": prompt.text,
            "gold": [],
            "group": GROUP,
            "project": _one_of(_speaking(prompt.language), f"{prompt.id}/project"),
            "cat": prompt.kind,
            "language": prompt.language,
            "split": _half(prompt.id),
        }


def _asker(name: str, ask: Ask, written: Written) -> str:
    """Return the project that a query is asked from: its exchange's, seldom another."""
    if ask.kind not in _TELLING or pick(f"{name}/elsewhere", _ELSEWHERE):
        return written.project
    return _one_of((other for other in projects() if other != written.project), f"{name}/asker")


def _speaking(language: str) -> Iterator[str]:
    """Give the projects whose people would write a prompt in a language; in two, the Japanese ones."""
    return (name for name, project in projects().items() if (project.language == "en") == (language == "en"))


def _one_of(names: Iterable[str], key: str) -> str:
    candidates = sorted(names)
    return candidates[pick(key, len(candidates))]


def _half(name: str) -> str:
    """Return "tune" or "test", by the id alone, so that a query never changes sides as the set grows."""
    return ("tune", "test")[pick(name, 2)]


if __name__ == "__main__":
    main()
