"""What a run of the archive did, as it is shown and as `backfill --json` prints it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sui_memory.archive.digest import Digest
from sui_memory.store.base import Committed


@dataclass(slots=True)
class Report:
    """Sums over files. Every record read is used or skipped for a named reason; seconds are wall time."""

    files: int = 0
    bytes: int = 0
    seconds: float = 0.0
    used: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    passed_over: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    redactions: int = 0
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    deleted: int = 0

    def add(self, digest: Digest) -> None:
        """Count what was read of one file; what came of it is counted when it is committed."""
        self.bytes += digest.bytes if digest.change else 0
        self.used += digest.used
        self.skipped += digest.skipped
        self.redactions += digest.redactions
        self.unchanged += digest.unchanged
        if digest.error:
            self.problems.append(digest.error)
        elif digest.reason:
            self.passed_over[digest.reason] += 1
        else:
            self.files += 1

    def settle(self, committed: Committed) -> None:
        """Count what a commit did."""
        self.new += committed.new
        self.updated += committed.updated
        self.deleted += committed.deleted

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
