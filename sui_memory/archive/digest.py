"""One transcript read further: from what is stored of it and what is new to a change of the archive.

A digest is a pure function of the file and the stored state, so that any process may compute it and
the same bytes give the same archive however they arrived.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from sui_memory.archive.family import Cutting, changed, cut_family, indexed
from sui_memory.archive.segments import append, split, unpack
from sui_memory.archive.tools import Tools
from sui_memory.errors import TranscriptError
from sui_memory.store.base import Change, Source, SourceChange
from sui_memory.transcript.foreign import SNIFF
from sui_memory.transcript.reader import Reading, head_hash, open_transcript


@dataclass(frozen=True, slots=True)
class Stored:
    """What the archive holds of a file."""

    source: Source
    segments: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """A file to digest, and what the archive knows of it.

    `hashes` are the stored exchanges of the file's family; `forgotten` are keys and fingerprints that
    must not come back; `family` are the other files that share exchanges with it.
    """

    path: str
    stored: Stored | None = None
    hashes: Mapping[str, bytes] = field(default_factory=dict)
    forgotten: frozenset[str] = frozenset()
    family: tuple[Stored, ...] = ()


@dataclass(slots=True)
class Digest:
    """What came of a job: a change to commit, or the reason (or error) why there is none.

    `keys` and `fingerprints` are all exchanges now in the family, `created` and `changed` those to be
    written; `bytes`, `used`, `skipped` and `redactions` count what was read.
    """

    path: str
    change: Change | None = None
    keys: tuple[str, ...] = ()
    fingerprints: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    bytes: int = 0
    used: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    redactions: int = 0
    reason: str | None = None
    error: str | None = None


def digest(job: Job, tools: Tools) -> Digest:
    """Read what is new in a file and cut its family anew; trouble with the file is told, never raised."""
    try:
        with open_transcript(Path(job.path)) as file:
            return _digest(job, file, tools)
    except TranscriptError as error:
        return Digest(job.path, error=str(error))
    except OSError as error:
        return Digest(job.path, error=f"{job.path}: {(error.strerror or str(error)).lower()}; it was skipped")


def _digest(job: Job, file: BinaryIO, tools: Tools) -> Digest:
    source = job.stored.source if job.stored else None
    status = os.fstat(file.fileno())
    offset = _offset(source, file, status.st_size)
    if source is None and (foreign := tools.adapter.foreign(_peek(file))) is not None:
        return Digest(job.path, bytes=status.st_size, reason=foreign)
    reading = tools.adapter.read(file, offset, tools.new_redactor)
    after = Source(
        path=job.path,
        agent=tools.adapter.agent,
        offset=reading.offset,
        head=head_hash(file, reading.offset),
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
    )
    is_resumed = source is not None and offset == source.offset
    return _result(job, reading, after, tools, is_resumed=is_resumed)


def _offset(source: Source | None, file: BinaryIO, size: int) -> int:
    """Return where to read on: the stored offset, or the beginning of a file that was rewritten or shrunk."""
    if source is None or source.offset > size or head_hash(file, source.offset) != source.head:
        return 0
    return source.offset


def _peek(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read(SNIFF)


def _result(job: Job, reading: Reading, after: Source, tools: Tools, *, is_resumed: bool) -> Digest:
    old = unpack(job.stored.segments) if job.stored else []
    fresh = reading.records if is_resumed else _unknown(reading.records, old)
    lines = {job.path: [*old, *fresh]}
    lines.update((stored.source.path, unpack(stored.segments)) for stored in job.family)
    cutting = cut_family(lines, job.forgotten, tools)
    sources = (_grown(job.stored, after, fresh, cutting), *_relatives(job.family, cutting))
    # A large file's records are let go of before its words are counted: both at once would be too much.
    lines.clear()
    old, fresh, reading.records = [], [], []
    upserts = changed(cutting.exchanges, job.hashes)
    keys = tuple(exchange.key for exchange in cutting.exchanges)
    return Digest(
        path=job.path,
        change=Change(
            sources=sources,
            upserts=indexed(upserts, tools),
            deletes=tuple(sorted(job.hashes.keys() - set(keys))),
        ),
        keys=keys,
        fingerprints=tuple(exchange.fingerprint for exchange in cutting.exchanges),
        created=tuple(exchange.key for exchange in upserts if exchange.key not in job.hashes),
        changed=tuple(exchange.key for exchange in upserts if exchange.key in job.hashes),
        bytes=reading.bytes,
        used=reading.used,
        skipped=reading.skipped,
        redactions=reading.redactions,
    )


def _unknown(lines: Sequence[bytes], old: Sequence[bytes]) -> list[bytes]:
    """Return the lines of a rewritten file that were not archived before; of equal lines each one counts."""
    left = Counter(old)
    fresh = []
    for line in lines:
        if left[line]:
            left[line] -= 1
        else:
            fresh.append(line)
    return fresh


def _grown(stored: Stored | None, after: Source, fresh: Sequence[bytes], cutting: Cutting) -> SourceChange:
    before = stored.source if stored else None
    if after.path in cutting.silenced:
        return SourceChange(before, after, split(cutting.silenced[after.path]))
    keep, segments = append(stored.segments if stored else (), fresh)
    return SourceChange(before, after, segments, keep)


def _relatives(family: Sequence[Stored], cutting: Cutting) -> list[SourceChange]:
    """Return the other files of the family: as they are, unless a forgotten turn was copied to them."""
    return [
        SourceChange(stored.source, stored.source, split(cutting.silenced[stored.source.path]))
        if stored.source.path in cutting.silenced
        else SourceChange(stored.source, stored.source, (), keep=len(stored.segments))
        for stored in family
    ]
