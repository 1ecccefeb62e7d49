"""The speed and size of the whole pipeline over a tree of transcripts, as a user meets them.

    python -m benchmarks.corpus /tmp/corpus --sessions 2000 --exchanges 7000
    python -m benchmarks.archive /tmp/corpus [--model NAME] [--workers N] [--queries N] [--json]

Backfill runs in a process of its own, so that its peak memory is its own. `fugashi` is the time that
the tokeniser alone needs for the same text on all cores, reading surface, part of speech and lemma.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sui_memory.archive import default_tools, sync
from sui_memory.config import Settings
from sui_memory.embedding import open_embedder
from sui_memory.recall import Query, recall
from sui_memory.store import SqliteStore, open_store
from sui_memory.types import Embedder, Scope

_SPAWN = get_context("spawn")
_EMBED_BATCH = 64
_EMBED_SECONDS = 20.0
_CUE_CHARS = 60


def main() -> None:
    """Measure and print."""
    options = _arguments()
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        settings = Settings(Path(scratch))
        figures: dict[str, Any] = {"backfill": _apart(_backfill, settings, options.corpus, options.workers)}
        figures["read, redact, chunk"] = _reading(options.corpus)
        texts = _apart(_texts, settings)
        figures["fugashi"] = _fugashi(texts)
        figures["size"] = _apart(_size, settings)
        figures["embedding"] = _apart(_embedding, settings, options.model, options.embed_all)
        figures["search"] = _apart(_search, settings, options.model, options.queries)
        figures["size with vectors"] = _apart(_size, settings)
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    for name, values in figures.items():
        print(name)
        for key, value in values.items():
            print(f"  {key:28} {value}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--model", default="use")
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--embed-all", action="store_true", help="embed everything, not for 20 seconds only")
    parser.add_argument("--scratch", default=None, help="where the archive is made")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _apart(measure: Callable[..., Any], *arguments: Any) -> Any:
    """Run one measurement in a fresh process."""
    with ProcessPoolExecutor(1, mp_context=_SPAWN) as pool:
        return pool.submit(measure, *arguments).result()


def _open(settings: Settings) -> SqliteStore:
    return open_store(settings.database, analyzer=default_tools().analyzer)


def _backfill(settings: Settings, corpus: Path, workers: int | None) -> dict[str, Any]:
    store = _open(settings)
    report = sync([corpus], store=store, tools=default_tools(), workers=workers)
    again = sync([corpus], store=store, tools=default_tools(), workers=workers)
    store.close()
    return {
        "files": report.files,
        "MB": round(report.bytes / 1e6, 1),
        "seconds": round(report.seconds, 2),
        "MB/s": round(report.bytes / 1e6 / report.seconds, 1),
        "sessions/s": round(report.files / report.seconds),
        "exchanges": report.new,
        "second run, seconds": round(again.seconds, 2),
        "second run, changes": again.new + again.updated,
        "peak MB, this process": _peak(resource.RUSAGE_SELF),
        "peak MB, largest worker": _peak(resource.RUSAGE_CHILDREN),
    }


def _reading(corpus: Path) -> dict[str, Any]:
    """Time the way from bytes to exchanges alone, on all cores, without words, index and database."""
    cores = os.cpu_count() or 1
    found = [item.path for item in default_tools().adapter.discover([corpus]) if item.reason is None]
    size = sum(path.stat().st_size for path in found)
    with ProcessPoolExecutor(cores, mp_context=_SPAWN) as pool:
        list(pool.map(_read, [found[:1]] * cores))
        started = time.perf_counter()
        turns = sum(pool.map(_read, [found[start::cores] for start in range(cores)]))
        seconds = time.perf_counter() - started
    return {"turns": turns, "seconds": round(seconds, 2), "MB/s": round(size / 1e6 / seconds, 1)}


def _read(paths: Sequence[Path]) -> int:
    tools, turns = default_tools(), 0
    for path in paths:
        with path.open("rb", buffering=0) as file:
            records = tools.adapter.read(file, 0, tools.new_redactor).records
        turns += len(tools.adapter.chunk([(str(path), records)]))
    return turns


def _peak(who: int) -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(who).ru_maxrss * unit / 1e6)


def _texts(settings: Settings) -> list[str]:
    store = _open(settings)
    try:
        return [memory.exchange.text for memory in store.scan(Scope(auto=True, sidechains=True))]
    finally:
        store.close()


def _fugashi(texts: Sequence[str]) -> dict[str, Any]:
    cores = os.cpu_count() or 1
    shares = [texts[start::cores] for start in range(cores)]
    with ProcessPoolExecutor(cores, mp_context=_SPAWN) as pool:
        list(pool.map(_tokenise, [["暖機"]] * cores))
        started = time.perf_counter()
        list(pool.map(_tokenise, shares))
        seconds = time.perf_counter() - started
    return {"MB": round(sum(len(text.encode()) for text in texts) / 1e6, 1), "seconds": round(seconds, 2)}


def _tokenise(texts: Sequence[str]) -> int:
    import fugashi

    tagger = fugashi.Tagger()
    return sum(
        len((word.surface, word.feature.pos1, word.feature.lemma)) for text in texts for word in tagger(text)
    )


def _size(settings: Settings) -> dict[str, Any]:
    store = _open(settings)
    stats = store.stats()
    exchanges, text = int(stats["exchanges"] or 0), int(stats["text_bytes"] or 0)
    store.close()
    size = settings.database.stat().st_size
    return {
        "exchanges": exchanges,
        "passages": stats["passages"],
        "database MB": round(size / 1e6, 1),
        "text MB": round(text / 1e6, 1),
        "raw MB": round(int(stats["raw_bytes"] or 0) / 1e6, 1),
        "bytes per exchange": round(size / max(1, exchanges)),
        "database / text": round(size / max(1, text), 2),
    }


def _embedding(settings: Settings, model: str, everything: bool) -> dict[str, Any]:
    embedder = open_embedder(model, models_dir=settings.models_dir)
    if embedder is None:
        return {"model": "none"}
    store = _open(settings)
    store.use_model(embedder.model_id, embedder.dim)
    done, started, cpu = 0, time.perf_counter(), time.process_time()
    while pending := store.pending(embedder.model_id, _EMBED_BATCH):
        vectors = embedder.embed_documents([passage.text for passage in pending])
        store.add_vectors(
            embedder.model_id, [(passage.rowid, v) for passage, v in zip(pending, vectors, strict=True)]
        )
        done += len(pending)
        if not everything and time.perf_counter() - started > _EMBED_SECONDS:
            break
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    if not everything:
        _fill_up(store, embedder)
    store.close()
    return {
        "model": embedder.model_id,
        "passages": done,
        "passages/s": round(done / seconds, 1),
        "CPU ms per passage": round(cpu * 1000 / max(1, done), 2),
        "peak MB": _peak(resource.RUSAGE_SELF),
    }


def _fill_up(store: SqliteStore, embedder: Embedder) -> None:
    """Give the remaining passages random vectors: sizes and scans do not depend on what is in them."""
    import numpy as np

    draw = np.random.default_rng(0)
    while pending := store.pending(embedder.model_id, 4096):
        vectors = draw.standard_normal((len(pending), embedder.dim)).astype("float32")
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        store.add_vectors(embedder.model_id, [(p.rowid, v) for p, v in zip(pending, vectors, strict=True)])


def _search(settings: Settings, model: str, count: int) -> dict[str, Any]:
    embedder = open_embedder(model, models_dir=settings.models_dir)
    tools = default_tools()
    store = _open(settings)
    store.warm()
    times: dict[str, list[float]] = {
        name: [] for name in ("terms", "words", "trigrams", "query", "vectors", "all")
    }
    for cue in _cues(store, count):
        terms = _timed(times["terms"], tools.analyzer.query_terms, cue)
        _timed(times["words"], store.search_words, terms, Scope(), 100)
        _timed(times["trigrams"], store.search_trigrams, cue, Scope(), 100)
        if embedder is not None:
            vector = _timed(times["query"], embedder.embed_query, cue)
            _timed(times["vectors"], store.search_vectors, vector, Scope(), 100)
        fixed = _Fixed(embedder, vector) if embedder is not None else None
        _timed(times["all"], _recall, cue, store, tools, fixed)
    store.close()
    return {name: _spread(values) for name, values in times.items() if values}


class _Fixed:
    """A model that knows the vector already: the search is timed without the model."""

    def __init__(self, embedder: Embedder, vector: Any) -> None:
        self.model_id = embedder.model_id
        self.dim = embedder.dim
        self._vector = vector

    def embed_query(self, text: str) -> Any:
        """Return the known vector."""
        return self._vector

    def embed_documents(self, texts: Sequence[str]) -> list[Any]:
        """Do nothing: nobody asks."""
        return []


def _recall(cue: str, store: SqliteStore, tools: Any, embedder: Any) -> None:
    recall(Query(cue, datetime.now(UTC)), store=store, analyzer=tools.analyzer, embedder=embedder)


def _cues(store: SqliteStore, count: int) -> list[str]:
    """Return questions that were really asked, cut to the length of a prompt, and words out of them."""
    draw = random.Random(1)
    questions = [memory.exchange.question for memory in store.scan(Scope())]
    chosen = draw.sample(questions, min(count, len(questions)))
    return [cue[:_CUE_CHARS] if draw.random() < 0.8 else cue[:2] for cue in chosen]


def _timed(times: list[float], call: Callable[..., Any], *arguments: Any) -> Any:
    started = time.perf_counter()
    result = call(*arguments)
    times.append((time.perf_counter() - started) * 1000)
    return result


def _spread(values: Sequence[float]) -> str:
    ordered = sorted(values)
    return f"p50 {statistics.median(ordered):.1f} ms, p95 {ordered[int(len(ordered) * 0.95)]:.1f} ms"


if __name__ == "__main__":
    main()
