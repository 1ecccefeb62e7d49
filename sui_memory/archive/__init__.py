"""The first use case: from transcripts to memories, and everything that keeps them true."""

from sui_memory.archive.report import Report
from sui_memory.archive.sync import Progress, sync
from sui_memory.archive.tools import Tools, default_tools

__all__ = ["Progress", "Report", "Tools", "default_tools", "sync"]
