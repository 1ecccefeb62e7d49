"""Retrieval quality of the real pipeline: every query against a real archive of its group.

    python -m benchmarks.quality --data DIR [--model NAME] [--fusion MODE] [--decay MODE] [--json]

DIR holds sets: `{"docs": [{"id", "text", "group", "session", "date"?}], "queries": [{"id", "text",
"gold": [doc ids], "group", "cat"}]}`. Recall@k, MRR@10 and nDCG@10 are means over the queries.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sui_memory.archive import Tools, default_tools
from sui_memory.embedding import open_embedder
from sui_memory.recall import Query, Ranking, recall
from sui_memory.store import SqliteStore, open_store
from sui_memory.types import Embedder, Exchange, Indexed, Memory

_DEPTH = 10
_BATCH = 256
_EMBED_BATCH = 64
_DATES = ("%I:%M %p on %d %B, %Y", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d")


def main() -> None:
    """Run every set in a folder and print one line for each, or JSON."""
    options = _arguments()
    ranking = Ranking(fusion=options.fusion, decay="off" if options.no_decay else options.decay)
    embedder = open_embedder(options.model, models_dir=Path(options.models_dir))
    results = {}
    for path in sorted(Path(options.data).glob("*.json")):
        results[path.stem] = evaluate(json.loads(path.read_text()), embedder, ranking)
        if not options.json:
            print(_row(path.stem, results[path.stem]), flush=True)
    if options.json:
        print(json.dumps({"model": options.model, "ranking": options.fusion, "sets": results}, indent=2))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--model", default="auto", help="a name that `sui-memory model` lists, or none")
    parser.add_argument("--models-dir", default="models")
    parser.add_argument("--fusion", default="blend", choices=("blend", "score", "rrf"))
    parser.add_argument("--decay", default="bonus", choices=("bonus", "factor", "off"))
    parser.add_argument("--no-decay", action="store_true", help="the same as --decay off")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def evaluate(data: dict[str, Any], embedder: Embedder | None, ranking: Ranking) -> dict[str, Any]:
    """Return the mean figures of one set, and the times in milliseconds."""
    tools = default_tools()
    figures: dict[str, list[float]] = defaultdict(list)
    embedding = 0.0
    for group in sorted({doc["group"] for doc in data["docs"]}):
        docs = [doc for doc in data["docs"] if doc["group"] == group]
        queries = [query for query in data["queries"] if query["group"] == group]
        with archive_of(docs, tools) as store:
            started = time.perf_counter()
            _embed(store, embedder)
            embedding += time.perf_counter() - started
            _ask(queries, docs, store, tools, embedder, ranking, figures)
    return {
        "queries": len(figures["mrr@10"]),
        **{name: round(statistics.mean(values), 4) for name, values in figures.items() if name != "ms"},
        "ms p50": round(statistics.median(figures["ms"]), 2),
        "ms per document": round(embedding * 1000 / len(data["docs"]), 2),
    }


@contextmanager
def archive_of(docs: Sequence[dict[str, Any]], tools: Tools) -> Iterator[SqliteStore]:
    """Give a real archive that holds each document as an exchange, keyed by its id."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "memory.db", analyzer=tools.analyzer)
        try:
            for start in range(0, len(docs), _BATCH):
                store.restore([_memory(doc, tools) for doc in docs[start : start + _BATCH]])
            yield store
        finally:
            store.close()


def _memory(doc: dict[str, Any], tools: Tools) -> tuple[Memory, Indexed]:
    exchange = Exchange(
        key=doc["id"],
        fingerprint=doc["id"],
        session=doc["session"],
        project=doc["group"],
        question=doc["text"],
        asked_at=_date(doc.get("date")),
    )
    return Memory(exchange), Indexed(exchange, tools.cut(exchange, tools.analyzer))


def _date(text: str | None) -> datetime | None:
    for form in _DATES if text else ():
        try:
            moment = datetime.strptime(str(text), form)
        except ValueError:
            continue
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None


def _embed(store: SqliteStore, embedder: Embedder | None) -> None:
    if embedder is None:
        return
    store.use_model(embedder.model_id, embedder.dim)
    while pending := store.pending(embedder.model_id, _EMBED_BATCH):
        vectors = embedder.embed_documents([passage.text for passage in pending])
        store.add_vectors(
            embedder.model_id, [(p.rowid, vector) for p, vector in zip(pending, vectors, strict=True)]
        )
    store.warm()


def _ask(
    queries: Sequence[dict[str, Any]],
    docs: Sequence[dict[str, Any]],
    store: SqliteStore,
    tools: Tools,
    embedder: Embedder | None,
    ranking: Ranking,
    figures: dict[str, list[float]],
) -> None:
    dates = [date for doc in docs if (date := _date(doc.get("date")))]
    now = max(dates, default=datetime.now(UTC))
    for query in queries:
        started = time.perf_counter()
        hits = recall(
            Query(query["text"], now, limit=_DEPTH),
            store=store,
            analyzer=tools.analyzer,
            embedder=embedder,
            ranking=ranking,
        )
        figures["ms"].append((time.perf_counter() - started) * 1000)
        for name, value in _figures([hit.memory.exchange.key for hit in hits], set(query["gold"])).items():
            figures[name].append(value)


def _figures(found: Sequence[str], gold: set[str]) -> dict[str, float]:
    """Return the figures of one query; a gold document counts once, wherever it ranks."""
    places = [place for place, key in enumerate(found) if key in gold]
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(gold), _DEPTH)))
    return {
        **{f"recall@{k}": sum(place < k for place in places) / len(gold) for k in (1, 3, 5, 10)},
        "mrr@10": 1 / (places[0] + 1) if places else 0.0,
        "ndcg@10": sum(1 / math.log2(place + 2) for place in places) / ideal,
    }


def _row(name: str, result: dict[str, Any]) -> str:
    return f"{name:10}" + "".join(f"  {key} {value}" for key, value in result.items())


if __name__ == "__main__":
    main()
