"""What a run of the archive did, as it is shown and as `backfill --json` prints it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sui_memory.archive.digest import Digest


@dataclass(slots=True)
class Tally:
    """Keys of exchanges by what became of them: each counts once, however often its files were read."""

    seen: set[str] = field(default_factory=set)
    created: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)

    def add(self, digest: Digest) -> None:
        """Note what a digest wrote. What the same run wrote and took back again is nothing."""
        gone = set(digest.change.deletes) if digest.change else set()
        self.deleted |= gone - self.created
        self.changed |= set(digest.changed) - self.created
        self.created |= set(digest.created)
        self.seen |= set(digest.keys)
        for keys in (self.created, self.changed, self.seen):
            keys.difference_update(gone)


_EXAMPLES = 3
"""Files without a conversation that are named; the others are only counted."""


@dataclass(slots=True)
class Report:
    """Sums over files. Every record read is used or skipped for a named reason; seconds are wall time."""

    files: int = 0
    bytes: int = 0
    seconds: float = 0.0
    used: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    passed_over: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    redactions: int = 0
    exchanges: Tally = field(default_factory=Tally)

    @property
    def new(self) -> int:
        """Exchanges that were not there before."""
        return len(self.exchanges.created)

    @property
    def updated(self) -> int:
        """Exchanges that were there in another form."""
        return len(self.exchanges.changed)

    @property
    def deleted(self) -> int:
        """Exchanges that turned out to be part of others."""
        return len(self.exchanges.deleted)

    @property
    def unchanged(self) -> int:
        """Exchanges of the files found that stayed as they were."""
        return len(self.exchanges.seen - self.exchanges.created - self.exchanges.changed)

    @property
    def is_empty(self) -> bool:
        """Whether no transcript was found at all: nothing that was read, and nothing that is known."""
        return not (self.used or self.exchanges.seen or self.passed_over["unchanged"])

    def pass_over(self, path: str, reason: str) -> None:
        """Count a file that is not read; the first few are named."""
        self.passed_over[reason] += 1
        self._name(path, reason)

    def _name(self, path: str, reason: str) -> None:
        if len(self.examples) < _EXAMPLES:
            self.examples.append(f"{Path(path).name} ({reason})")

    def add(self, digest: Digest) -> None:
        """Count what was read of one file; what came of it is counted when it is committed."""
        self.bytes += digest.bytes if digest.change else 0
        self.used += digest.used
        self.skipped += digest.skipped
        self.redactions += digest.redactions
        if digest.error:
            self.problems.append(digest.error)
        elif digest.reason:
            self.pass_over(digest.path, digest.reason)
        else:
            self.files += 1
            if not digest.used:
                self._name(digest.path, "no record of a conversation")

    def to_json(self) -> dict[str, Any]:
        """Return the documented shape (docs/json.md)."""
        return {
            "files": self.files,
            "bytes": self.bytes,
            "seconds": round(self.seconds, 3),
            "records": {
                "read": self.used + self.skipped.total(),
                "used": self.used,
                "skipped": dict(sorted(self.skipped.items())),
            },
            "exchanges": {"new": self.new, "updated": self.updated, "unchanged": self.unchanged},
            "passed_over": dict(sorted(self.passed_over.items())),
            "redactions": self.redactions,
            "problems": self.problems,
        }
