"""Checks of what Claude Code keeps: its transcripts, and for how long."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from sui_memory.cli.checks.finding import Finding, State
from sui_memory.errors import TranscriptError


def check_transcripts() -> Iterator[Finding]:
    """Yield whether transcripts can be read, and when they are deleted."""
    from sui_memory.archive import default_tools

    adapter = default_tools().adapter
    folder = adapter.home()
    if not folder.exists():
        advice = "start Claude Code once, or set CLAUDE_CONFIG_DIR to its folder."
        yield Finding("transcripts", State.PROBLEM, f"{folder} does not exist", advice)
        return
    try:
        found = list(adapter.discover([folder]))
    except TranscriptError as error:
        yield Finding("transcripts", State.PROBLEM, str(error))
        return
    unreadable = [each.path for each in found if not os.access(each.path, os.R_OK)]
    if unreadable:
        advice = "make them readable for this user."
        what = f"{len(unreadable):,} files cannot be read, the first is {unreadable[0]}"
        yield Finding("transcripts", State.PROBLEM, what, advice)
    count = sum(each.reason is None for each in found)
    if count:
        yield Finding("transcripts", State.OK, f"{count:,} in {folder}")
    else:
        yield Finding("transcripts", State.NOTE, f"none in {folder} yet", "use Claude Code once.")
    yield _retention(folder.parent / "settings.json", is_archived=_has_hooks())


def _retention(path: Path, *, is_archived: bool) -> Finding:
    """Say when Claude Code deletes transcripts: https://docs.anthropic.com/en/docs/claude-code/settings."""
    from sui_memory.setup.notices import ENOUGH_RETENTION_DAYS, retention_days

    try:
        options = json.loads(path.read_bytes())
        chosen = options.get("cleanupPeriodDays")
    except FileNotFoundError:
        options, chosen = {}, None
    except (OSError, ValueError, AttributeError) as error:
        return Finding("retention", State.NOTE, f"{path} cannot be read ({error})", "mend it.")
    days = retention_days(options)
    found = f"Claude Code deletes transcripts after {days} days" + (
        "" if isinstance(chosen, int) else ", its default"
    )
    if days >= ENOUGH_RETENTION_DAYS:
        return Finding("retention", State.OK, found)
    kept = "nothing: the archive keeps what was said. To keep the files, too,"
    advice = kept if is_archived else "run `sui-memory backfill` more often than that, or"
    return Finding("retention", State.NOTE, found, f"{advice} raise cleanupPeriodDays in {path}.")


def _has_hooks() -> bool:
    """Say whether hooks are in place, so that what is said is archived long before its file goes."""
    from sui_memory.setup import SetupError, enabled_plugin, registrations

    try:
        return enabled_plugin(Path.cwd()) is not None or any(registrations(Path.cwd()))
    except SetupError:
        return False
