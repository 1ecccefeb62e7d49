"""How much memory this process holds."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path


def resident_bytes() -> int:
    """Return the resident memory of this process; its highest so far where the system tells no more."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
