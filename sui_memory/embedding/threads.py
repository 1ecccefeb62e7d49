"""How many cores a model may use: embedding is background work on somebody's desk."""

from __future__ import annotations

import os

MAX_THREADS = 4
"""More threads than this gain little on passages of some hundred tokens."""


def polite_threads() -> int:
    """Return half of the cores this process may use, from 1 to `MAX_THREADS`."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MAX_THREADS, cores // 2))
