"""What would be archived of a few files, without an archive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sui_memory.archive.family import cut_family
from sui_memory.archive.tools import default_tools
from sui_memory.errors import TranscriptError
from sui_memory.transcript.foreign import SNIFF
from sui_memory.transcript.reader import open_transcript
from sui_memory.types import Exchange


def preview(files: Sequence[Path]) -> tuple[list[Exchange], list[str]]:
    """Return the exchanges of the files as one family, and one sentence on each file that was passed over.

    A file that cannot be read is a `TranscriptError`, and so is it when all of them were passed over.
    """
    tools = default_tools()
    lines: dict[str, list[bytes]] = {}
    problems = []
    for found in tools.adapter.discover(files):
        if found.reason is not None:
            problems.append(f"{found.path}: {found.reason}; passed over")
            continue
        with open_transcript(found.path) as file:
            foreign = tools.adapter.foreign(file.read(SNIFF))
            if foreign is not None:
                problems.append(f"{found.path}: {foreign}, not a transcript of Claude Code; passed over")
                continue
            lines[str(found.path)] = tools.adapter.read(file, 0, tools.new_redactor).records
    if not lines and problems:
        raise TranscriptError("\n".join(problems))
    if not lines:
        raise TranscriptError("No transcript there: name .jsonl files of Claude Code, or a folder of them.")
    return list(cut_family(lines, (), tools).exchanges), problems
