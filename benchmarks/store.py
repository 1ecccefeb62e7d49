"""Measures the SQLite store alone: time to insert, bytes by table, and search latency.

    python -m benchmarks.store --passages 7000 --passages 100000

The text is made of words drawn by Zipf's law, joined by particles, so that words and trigrams repeat as
those of Japanese prose do; every number is drawn from a fixed seed.
"""

from __future__ import annotations

import random
import re
import statistics
import tempfile
import time
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import apsw
import click
import numpy as np

from sui_memory.store import Change, Source, SourceChange, SqliteStore, open_store
from sui_memory.types import Exchange, Indexed, Passage, Scope

_START = datetime(2025, 1, 1, tzinfo=UTC)
_PARTICLES = ("の", "を", "に", "は", "が", "で", "と", "から", "して、", "します。", "している")
_DISTINCT_WORDS = 20_000
_KANJI = 2_000
_DIM = 512
_BATCH = 100  # exchanges of one commit, as a backfill does it
_QUERIES = 70


@dataclass(frozen=True)
class ParticleAnalyzer:
    """Takes what stands between hiragana for words: right for this text, and fast."""

    version: str = "particles-1"
    fts_tokenizer: str = "porter unicode61 tokenchars '_./-#@:~+'"

    def terms(self, text: str) -> str:
        """Return the words of a generated text."""
        return " ".join(re.findall(r"[^\u3041-\u309f、。\s]+", text))

    def query_terms(self, text: str) -> list[str]:
        """Return the distinct words of a query."""
        return list(dict.fromkeys(self.terms(text).split()))

    def fold(self, text: str) -> str:
        """Return the text as it is: it is made in its folded form."""
        return text

    def sounds(self, terms: Sequence[str]) -> list[str]:
        """Return how terms sound: nothing is known of made-up words."""
        return ["" for _ in terms]


class Writer:
    """Writes text of Zipf-distributed words; the same seed writes the same."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        kanji = [chr(0x4E00 + 7 * index) for index in range(_KANJI)]
        likely = list(accumulate(1 / (rank + 10) for rank in range(_KANJI)))
        self._words = [
            "".join(self._draw(kanji, likely) for _ in range(self._length())) for _ in range(_DISTINCT_WORDS)
        ]
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(_DISTINCT_WORDS)))

    def _draw(self, items: Sequence[str], cumulated: Sequence[float]) -> str:
        return items[bisect(cumulated, self._random.random() * cumulated[-1])]

    def _length(self) -> int:
        return self._random.choice((1, 2, 2, 2, 2, 3, 4))

    def words(self, count: int) -> list[str]:
        """Return words, the frequent ones often."""
        return [self._draw(self._words, self._weights) for _ in range(count)]

    def text(self, characters: int) -> str:
        """Return prose of about so many characters."""
        words = self.words(characters // 4)
        return "".join(word + self._random.choice(_PARTICLES) for word in words)


def exchanges(count: int, writer: Writer, analyzer: ParticleAnalyzer) -> Iterator[Indexed]:
    """Yield exchanges of one or two passages of some 600 characters, three to a session."""
    for number in range(count):
        exchange = Exchange(
            key=f"00000000-0000-4000-8000-{number:012d}",
            fingerprint=f"{number:032x}",
            session=f"00000000-0000-4000-9000-{number // 3:012d}",
            project=f"/code/project-{number // 3 % 20}",
            question=writer.text(120),
            answer=writer.text(480 if number % 2 else 1080),
            auto=number // 3 % 4 == 0,
            asked_at=_START + timedelta(minutes=number),
            answered_at=_START + timedelta(minutes=number, seconds=50),
            uuids=tuple(f"{part:08x}-0000-4000-8000-{number:012d}" for part in range(6)),
        )
        yield Indexed(exchange, tuple(_passages(exchange, analyzer)))


def _passages(exchange: Exchange, analyzer: ParticleAnalyzer) -> Iterator[Passage]:
    for ordinal, start in enumerate(range(0, len(exchange.text), 750)):
        stop = min(start + 750, len(exchange.text))
        question, answer = exchange.sides(start, stop)
        terms = analyzer.terms(question), analyzer.terms(answer)
        yield Passage(ordinal, start, stop, question, answer, *terms)


def fill(store: SqliteStore, passages: int, writer: Writer, analyzer: ParticleAnalyzer) -> None:
    """Store exchanges until there are about so many passages, and print what it cost."""
    count = passages * 2 // 3
    spent, batch = 0.0, []
    for number, indexed in enumerate(exchanges(count, writer, analyzer)):
        batch.append(_change(number, indexed))
        if len(batch) == _BATCH or number == count - 1:
            begun = time.process_time()
            store.commit(batch)
            spent += time.process_time() - begun
            batch = []
    print(f"insert: {spent / count * 1000:.2f} ms of CPU an exchange, {count} exchanges")


def _change(number: int, indexed: Indexed) -> Change:
    source = Source(f"/transcripts/{number}.jsonl", "claude-code", 1000, b"head" * 4, 1000, number)
    raw = random.Random(number).randbytes(len(indexed.exchange.text.encode()) // 3)
    return Change((SourceChange(None, source, (raw,)),), (indexed,))


def embed(store: SqliteStore) -> None:
    """Give every passage a random unit vector, and print what that cost."""
    generator = np.random.default_rng(0)
    store.use_model("random", _DIM)
    spent, stored = 0.0, 0
    while pending := store.pending("random", 500):
        vectors = generator.normal(size=(len(pending), _DIM)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        begun = time.process_time()
        store.add_vectors("random", [(item.rowid, row) for item, row in zip(pending, vectors, strict=True)])
        spent += time.process_time() - begun
        stored += len(pending)
    print(f"vectors: {spent / stored * 1000:.2f} ms of CPU a passage, {stored} of {_DIM} dimensions")


def sizes(path: Path) -> None:
    """Print the bytes of each table and its ratio to the text."""
    connection = apsw.Connection(str(path))
    text: Any = connection.execute("select sum(size) from exchanges").fetchall()[0][0]
    found: list[Any] = connection.execute(
        "select name, pgsize, payload from dbstat where aggregate = 1 order by pgsize desc"
    ).fetchall()
    total = sum(row[1] for row in found)
    print(f"text: {text / 1e6:.1f} MB; database: {total / 1e6:.1f} MB = {total / text:.2f} x text")
    for name, size, payload in found:
        if size > total / 500:
            print(f"  {name:42} {size / 1e6:8.2f} MB  {size / text:5.2f} x text  {payload / size:4.0%} full")
    connection.close()


def searches(store: SqliteStore, writer: Writer) -> None:
    """Print the latency of each ranking over the same queries."""
    generator = np.random.default_rng(1)
    cues = [writer.words(8) for _ in range(_QUERIES)]
    short = [word for cue in cues for word in cue if len(word) <= 2][:_QUERIES]
    vectors = generator.normal(size=(_QUERIES, _DIM)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    everything, project = Scope(auto=True), Scope(project="/code/project-3")
    for name, scope in (("default scope", Scope()), ("everything", everything), ("one project", project)):
        _time(f"words, {name}", partial(_words, store, scope), cues)
        _time(f"trigrams, {name}", partial(_trigrams, store, scope), cues)
    _time("substring of 1-2 characters", lambda word: store.search_substring(word, Scope(), 50), short)
    _time("vectors, sqlite-vec", lambda vector: store.search_vectors(vector, Scope(), 50), vectors[:20])
    begun = time.perf_counter()
    store.warm()
    print(f"  warm: {(time.perf_counter() - begun) * 1000:.0f} ms")
    _time("vectors, in memory", lambda vector: store.search_vectors(vector, Scope(), 50), vectors)
    _time(
        "vectors, in memory, one project", lambda vector: store.search_vectors(vector, project, 50), vectors
    )
    names = [match.memory_id for cue in cues for match in store.search_words(cue, everything, 10)]
    _time("get 10 memories", store.get, [names[at : at + 10] for at in range(0, 500, 10)])


def _words(store: SqliteStore, scope: Scope, cue: list[str]) -> None:
    store.search_words(cue, scope, 50)


def _trigrams(store: SqliteStore, scope: Scope, cue: list[str]) -> None:
    store.search_trigrams("の".join(cue), scope, 50)


def _time(name: str, search: Callable[[Any], object], queries: Iterable[Any]) -> None:
    took, spent = [], []
    for query in queries:
        begun, begun_cpu = time.perf_counter(), time.process_time()
        search(query)
        spent.append((time.process_time() - begun_cpu) * 1000)
        took.append((time.perf_counter() - begun) * 1000)
    median, late, cpu = (
        statistics.median(took),
        statistics.quantiles(took, n=20)[-1],
        statistics.median(spent),
    )
    print(f"  {name:36} p50 {median:7.2f} ms   p95 {late:7.2f} ms   CPU {cpu:7.2f} ms")


def changes(store: SqliteStore, analyzer: ParticleAnalyzer) -> None:
    """Print what it costs to let an exchange grow, to forget a session and to purge."""
    first, *_ = store.sources().values()
    grown = next(store.scan(Scope(auto=True))).exchange
    grown = replace(grown, answer=grown.answer + "追記")
    indexed = Indexed(grown, tuple(_passages(grown, analyzer)))
    step = SourceChange(first, replace(first, offset=first.offset + 1), ())
    _once("an exchange that grows", lambda: store.commit([Change((step,), (indexed,))]))
    keys = [memory.exchange.key for memory in store.scan(Scope(session=f"00000000-0000-4000-9000-{7:012d}"))]
    _once(f"forget {len(keys)} exchanges", lambda: store.forget(keys, {}))
    _once("purge", store.purge)


def _once(name: str, work: Callable[[], object]) -> None:
    begun, begun_cpu = time.perf_counter(), time.process_time()
    work()
    took, cpu = time.perf_counter() - begun, time.process_time() - begun_cpu
    print(f"  {name:36} {took * 1000:11.2f} ms {'':16} CPU {cpu * 1000:7.2f} ms")


@click.command()
@click.option(
    "--passages", multiple=True, type=int, default=(7_000,), help="Size of the archive; may be repeated."
)
def main(passages: tuple[int, ...]) -> None:
    """Fill an archive in a temporary folder and measure it."""
    analyzer = ParticleAnalyzer()
    for count in passages:
        print(f"\n{count} passages")
        writer = Writer(seed=count)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "memory.db"
            store = open_store(path, analyzer=analyzer)
            fill(store, count, writer, analyzer)
            embed(store)
            searches(store, writer)
            changes(store, analyzer)
            store.close()
            sizes(path)


if __name__ == "__main__":
    main()
