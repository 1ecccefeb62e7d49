"""What archiving needs from the layers below, chosen once and handed to every worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sui_memory.language import JapaneseAnalyzer, cut
from sui_memory.redaction import Redactor
from sui_memory.transcript.adapter import Adapter
from sui_memory.transcript.claude_code import ClaudeCode
from sui_memory.transcript.project import project_of
from sui_memory.transcript.slim import NewRedactor
from sui_memory.types import Analyzer, Exchange, Passage

Cut = Callable[[Exchange, Analyzer], tuple[Passage, ...]]


@dataclass(frozen=True, slots=True)
class Tools:
    """The ports of the archive."""

    adapter: Adapter
    new_redactor: NewRedactor
    analyzer: Analyzer
    cut: Cut
    project_of: Callable[[str | None], str]


def default_tools() -> Tools:
    """Return the tools for Claude Code's transcripts."""
    return Tools(ClaudeCode(), Redactor, JapaneseAnalyzer(), cut, project_of)
