"""The one error of setting up."""

from __future__ import annotations

from sui_memory.errors import SuiMemoryError


class SetupError(SuiMemoryError):
    """Hooks that cannot be put into, or taken out of, Claude Code's settings; nothing was changed."""
