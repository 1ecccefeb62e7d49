"""Whether Claude Code runs our hooks already, as a plugin."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sui_memory.setup.settings_file import config_folder

_NAME = "sui-memory@"
"""What the id of the plugin begins with; the name of its marketplace follows."""


def enabled_plugin(project: Path | None = None) -> str | None:
    """Return the id of our plugin if it is installed and enabled: for the user, or in a project folder."""
    files = [config_folder() / "settings.json"]
    if project is not None:
        files += [project / ".claude" / name for name in ("settings.json", "settings.local.json")]
    chosen: dict[str, Any] = {}
    for file in files:  # the nearer one counts
        enabled = _read(file).get("enabledPlugins")
        chosen |= enabled if isinstance(enabled, dict) else {}
    installed = _read(config_folder() / "plugins" / "installed_plugins.json").get("plugins")
    return _ours(name for name in (installed if isinstance(installed, dict) else ()) if chosen.get(name))


def _ours(names: Iterable[str]) -> str | None:
    return next((name for name in names if name.startswith(_NAME)), None)


def _read(path: Path) -> dict[str, Any]:
    """Return a JSON object; nothing when it cannot be had, for then Claude Code cannot read it, either."""
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
