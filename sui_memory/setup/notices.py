"""What a user should know about their settings, but what we do not change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sui_memory.setup.handlers import Launcher, checkout_of, will_vanish
from sui_memory.setup.settings_file import config_folder

DEFAULT_RETENTION_DAYS = 30
"""After which Claude Code deletes transcripts when its settings do not say."""

ENOUGH_RETENTION_DAYS = 365
_SUGGESTED_DAYS = 3650


def user_options() -> dict[str, Any]:
    """Return the user's settings of Claude Code; none when they cannot be read."""
    try:
        value = json.loads((config_folder() / "settings.json").read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def retention_days(options: dict[str, Any]) -> int:
    """Return after how many days Claude Code deletes transcripts."""
    chosen = options.get("cleanupPeriodDays")
    return chosen if isinstance(chosen, int) else DEFAULT_RETENTION_DAYS


def notices(launcher: Launcher | None) -> Iterator[str]:
    """Yield one sentence for each thing that may keep the hooks from working as they should.

    Without a launcher they are the plugin's, which runs what it brings itself.
    """
    if launcher:
        yield from _origin(launcher)
    options = user_options()
    path = config_folder() / "settings.json"
    if options.get("disableAllHooks") is True:
        yield f"Hooks are switched off in {path}: take `disableAllHooks` out, or nothing will happen."
    days = retention_days(options)
    if days < ENOUGH_RETENTION_DAYS:
        yield (
            f"Claude Code deletes its transcripts after {days} days; the archive keeps what was said. "
            f'To keep the files, too, add `"cleanupPeriodDays": {_SUGGESTED_DAYS}` to {path}.'
        )


def _origin(launcher: Launcher) -> Iterator[str]:
    """Say when what the hooks run may go away."""
    checkout = checkout_of(launcher.scripts)
    if will_vanish(launcher.python):
        yield (
            f"{launcher.python} is in a place that is cleaned up, and then the hooks stop working: "
            "install for good with `uv tool install .` in a checkout, then run `sui-memory setup` again."
        )
    elif checkout:
        yield (
            f"The hooks run from the checkout at {checkout}: after moving or deleting it, run "
            "`sui-memory setup` again. To install for good, run `uv tool install .` there, then "
            "`sui-memory setup`."
        )


def projects_folder() -> Path:
    """Return where Claude Code keeps its transcripts."""
    return config_folder() / "projects"
