"""Bring the archive up to date with the transcripts: idempotent, resumable, safe to run twice at once."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sui_memory.archive.digest import Digest, Job, Stored, digest
from sui_memory.archive.report import Report
from sui_memory.archive.tools import Tools
from sui_memory.archive.workers import digester
from sui_memory.store.base import MemoryStore, Source
from sui_memory.transcript.adapter import Found

_BATCH_BYTES = 1 << 20
_BATCH_FILES = 32
"""Files handed to a worker at once: enough to hide what handing over costs, few enough to keep all busy."""

_COMMIT_EXCHANGES = 64
"""Exchanges written in one transaction: some 50 ms, so that another writer never waits long."""

_WORTH_A_POOL = 8 << 20
"""Bytes to read from which starting processes (half a second) pays."""

_FEW_FILES = 64
"""Files that are looked up one by one: 20 microseconds each, where 3,000 sources take 10 ms to list."""

_MOST_GENTLE = 4
"""Processes of a gentle sync at most: it runs behind somebody's work."""

_MAX_TRIES = 5
"""How often a file is read again because another process archived it in between."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sync is: files and bytes done of all, exchanges stored."""

    files: int
    all_files: int
    bytes: int
    all_bytes: int
    exchanges: int


def sync(
    roots: Iterable[Path],
    *,
    store: MemoryStore,
    tools: Tools,
    workers: int | None = None,
    gentle: bool = False,
    dry_run: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Report:
    """Archive what is new below the roots; files that did not change are not opened.

    `workers` is a number of processes, by default one for each core when there is much to read; a
    `gentle` sync leaves one core to others and has the processes yield to everything else. With
    `dry_run` nothing is written and the report tells what would be.
    """
    started = time.monotonic()
    report = Report()
    waiting = _changed_files(roots, store, tools, report)
    run = _Run(store, tools, report, dry_run=dry_run)
    total = sum(size for _, size in waiting)
    if workers is None:
        workers = _processes(gentle=gentle) if total > _WORTH_A_POOL else 0
    done = 0
    with digester(tools, workers, gentle=gentle) as digest_all:
        for batch in digest_all(run.batches(waiting)):
            for result in batch:
                done += run.sizes[result.path]
                run.take(result)
                on_progress(Progress(run.files, len(waiting), done, total, report.new + report.updated))
        run.flush()
    report.seconds = time.monotonic() - started
    return report


def _processes(*, gentle: bool) -> int:
    cores = os.cpu_count() or 1
    return max(1, min(_MOST_GENTLE, cores - 1)) if gentle else cores


def _changed_files(
    roots: Iterable[Path], store: MemoryStore, tools: Tools, report: Report
) -> list[tuple[str, int]]:
    """Return path and unread bytes of the files that changed, the newest first."""
    discovered = list(tools.adapter.discover(roots))
    known = _known(store, discovered)
    found: list[tuple[int, str, int]] = []
    same: list[str] = []
    for item in discovered:
        path = str(item.path.resolve()) if item.reason is None else str(item.path)
        if item.reason is not None:
            report.pass_over(path, item.reason)
            continue
        try:
            status = os.stat(path)
        except OSError:
            report.pass_over(path, "vanished")
            continue
        source = known.get(path)
        if source is not None and (source.size, source.mtime_ns) == (status.st_size, status.st_mtime_ns):
            same.append(path)
        else:
            found.append((-status.st_mtime_ns, path, status.st_size - (source.offset if source else 0)))
    report.passed_over["unchanged"] += len(same)
    report.exchanges.seen |= store.hashes(same).keys()
    return [(path, max(0, size)) for _, path, size in sorted(found)]


def _known(store: MemoryStore, discovered: Sequence[Found]) -> Mapping[str, Source]:
    """Return what is stored of files: of few, those alone, since there may be tens of thousands."""
    if len(discovered) > _FEW_FILES:
        return store.sources()
    paths = (str(item.path.resolve()) for item in discovered if item.reason is None)
    return {path: source for path in paths if (source := store.source(path)) is not None}


class _Run:
    """One sync: hands out jobs, takes digests, and commits them in small transactions."""

    def __init__(self, store: MemoryStore, tools: Tools, report: Report, *, dry_run: bool) -> None:
        self._store = store
        self._tools = tools
        self._report = report
        self._dry_run = dry_run
        self._ready: list[Digest] = []
        self.sizes: dict[str, int] = {}
        self.files = 0

    def batches(self, waiting: Sequence[tuple[str, int]]) -> Iterator[list[Job]]:
        """Yield jobs in batches of about equal size, reading the stored state only when it is needed."""
        known = self._store.sources() if len(waiting) > _FEW_FILES else None
        batch: list[Job] = []
        size = 0
        for path, unread in waiting:
            self.sizes[path] = unread
            batch.append(self._job(path, self._store.source(path) if known is None else known.get(path)))
            size += unread
            if size >= _BATCH_BYTES or len(batch) >= _BATCH_FILES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _job(self, path: str, source: Source | None) -> Job:
        if source is None:
            return Job(path)
        relatives = self._store.family(path, (), ())
        return Job(
            path,
            stored=Stored(source, tuple(self._store.segments(path))),
            hashes=self._store.hashes([path]),
            family=tuple(self._stored(relative) for relative in relatives),
        )

    def _stored(self, source: Source) -> Stored:
        return Stored(source, tuple(self._store.segments(source.path)))

    def take(self, result: Digest) -> None:
        """Count a digest and commit it soon."""
        self.files += 1
        self._report.add(result)
        if result.change is None:
            return
        if self._dry_run:
            self._report.exchanges.add(result)
            return
        self._ready.append(result)
        if sum(len(ready.change.upserts) for ready in self._ready if ready.change) >= _COMMIT_EXCHANGES:
            self.flush()

    def flush(self) -> None:
        """Commit what is ready: strangers together, relatives one after the other."""
        ready, self._ready = self._ready, []
        alone: list[Digest] = []
        related: list[Digest] = []
        claimed: set[str] = set()
        for result in ready:
            marks = {*result.keys, *result.fingerprints}
            is_alone = claimed.isdisjoint(marks) and not self._is_entangled(result)
            (alone if is_alone else related).append(result)
            claimed |= marks
        stale = self._commit(alone)
        for path in [*(result.path for result in related), *stale]:
            self._commit_again(path)

    def _is_entangled(self, result: Digest) -> bool:
        """Say whether other files hold the same exchanges, or the user had some of them forgotten."""
        if self._store.tombstones(result.keys, result.fingerprints):
            return True
        assert result.change is not None  # noqa: S101 - only changes are ready
        together = {change.after.path for change in result.change.sources}
        family = self._store.family(result.path, result.keys, result.fingerprints)
        return any(source.path not in together for source in family)

    def _commit(self, results: Sequence[Digest]) -> tuple[str, ...]:
        changes = [result.change for result in results if result.change is not None]
        if not changes:
            return ()
        stale = self._store.commit(changes).stale
        for result in results:
            if result.path not in stale:
                self._report.exchanges.add(result)
        return stale

    def _commit_again(self, path: str) -> None:
        """Digest a file anew with everything that is entangled with it, until nobody gets in between."""
        job = self._job(path, self._store.source(path))
        for _ in range(_MAX_TRIES):
            result = digest(job, self._tools)
            if result.change is None:
                return
            wider = self._widened(job, result)
            if wider is not None:
                job = wider
            elif not self._commit([result]):
                return
            else:
                job = self._job(path, self._store.source(path))
        self._report.problems.append(f"{path}: another process keeps archiving it; run the command again")

    def _widened(self, job: Job, result: Digest) -> Job | None:
        """Return the job with relatives and tombstones it did not know of, or None when it knew all."""
        family = self._store.family(job.path, result.keys, result.fingerprints)
        forgotten = job.forgotten | self._store.tombstones(result.keys, result.fingerprints)
        known = {stored.source.path for stored in job.family}
        if known >= {source.path for source in family} and forgotten == job.forgotten:
            return None
        paths = [*([job.path] if job.stored else []), *(source.path for source in family)]
        return replace(
            job,
            family=tuple(self._stored(source) for source in family),
            hashes=self._store.hashes(paths),
            forgotten=frozenset(forgotten),
        )
