"""What would be archived of a few files, without an archive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sui_memory.archive.family import cut_family
from sui_memory.archive.tools import default_tools
from sui_memory.errors import TranscriptError
from sui_memory.transcript.claude_code import foreign_format
from sui_memory.transcript.reader import open_transcript
from sui_memory.types import Exchange

_SNIFF = 65536


def preview(files: Sequence[Path]) -> tuple[list[Exchange], list[str]]:
    """Return the exchanges of the files as one family, and one sentence on each file that was passed over.

    A file that cannot be read is a `TranscriptError`.
    """
    tools = default_tools()
    lines: dict[str, list[bytes]] = {}
    problems = []
    for found in tools.adapter.discover(files):
        if found.reason is not None:
            problems.append(f"{found.path}: {found.reason}; passed over")
            continue
        with open_transcript(found.path) as file:
            foreign = foreign_format(file.read(_SNIFF))
            if foreign is not None:
                problems.append(f"{found.path}: {foreign}, not a transcript of Claude Code; passed over")
                continue
            lines[str(found.path)] = tools.adapter.read(file, 0, tools.new_redactor).records
    if not lines and not problems:
        raise TranscriptError("No transcript there: name .jsonl files of Claude Code, or a folder of them.")
    return list(cut_family(lines, (), tools).exchanges), problems
