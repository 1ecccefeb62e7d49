"""What `sui-memory doctor` looks at: each check says what it found and, if need be, what to do."""

from __future__ import annotations

from collections.abc import Iterator

from sui_memory.cli.checks.archive import check_archive, check_reranker
from sui_memory.cli.checks.daemon import check_daemon
from sui_memory.cli.checks.finding import Finding, State
from sui_memory.cli.checks.hooks import check_claude, check_hooks
from sui_memory.cli.checks.installation import (
    check_disk,
    check_home,
    check_packages,
    check_platform,
    versions,
)
from sui_memory.cli.checks.transcripts import check_transcripts
from sui_memory.config import Settings

__all__ = ["Finding", "State", "examine", "versions"]


def examine(settings: Settings) -> Iterator[Finding]:
    """Yield the findings of every check. Whatever is wrong is found, not raised."""
    yield check_platform()
    broken = list(check_packages())
    yield from broken or [Finding("packages", State.OK, "all are there")]
    yield from check_home(settings)
    yield check_disk(settings)
    if broken:
        return
    yield check_claude()
    yield from check_transcripts()
    yield from check_hooks(settings)
    yield from check_daemon(settings)
    yield from check_archive(settings)
    yield from check_reranker(settings)
