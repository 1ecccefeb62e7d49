"""Claude Code's transcripts: where they are, which files are none, how they become turns."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from sui_memory.errors import TranscriptError
from sui_memory.transcript.adapter import Found
from sui_memory.transcript.chain import Stream
from sui_memory.transcript.chunker import chunk
from sui_memory.transcript.foreign import foreign_format
from sui_memory.transcript.models import parse_record
from sui_memory.transcript.reader import Reading, read
from sui_memory.transcript.slim import NewRedactor, Slimmer
from sui_memory.transcript.turns import Turn

_NOISE = ("agent-acompact-", "agent-aside_question-", "agent-aprompt_suggestion-")
"""Agents of the client's own: compaction, side questions, suggestions. Nobody talked to them."""

_FOREIGN_FOLDERS = ("tool-results", "memory", "file-history", "shell-snapshots", "todos")


class ClaudeCode:
    """The adapter for Claude Code."""

    agent = "claude-code"

    def home(self) -> Path:
        """Return `$CLAUDE_CONFIG_DIR/projects`, else `~/.claude/projects`."""
        return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude") / "projects"

    def discover(self, roots: Iterable[Path]) -> Iterator[Found]:
        """Yield files, sorted within each folder; a folder that cannot be listed is a `TranscriptError`."""
        seen: set[tuple[int, int]] = set()
        for root in roots:
            yield from _walk(root, seen, chosen=True)

    def foreign(self, head: bytes) -> str | None:
        """Name another program's format by the head of a file."""
        return foreign_format(head)

    def read(self, file: BinaryIO, offset: int, new_redactor: NewRedactor) -> Reading:
        """Read new records as slim ones."""
        return read(file, offset, Slimmer(new_redactor))

    def chunk(self, files: Sequence[tuple[str, Sequence[bytes]]]) -> list[Turn]:
        """Cut a family of files into turns; the original comes before its copies."""
        streams = [_stream(path, lines) for path, lines in files]
        return chunk(sorted(streams, key=_seniority))


def _stream(path: str, lines: Sequence[bytes]) -> Stream:
    records = [record for line in lines if (record := parse_record(line)) is not None]
    name = Path(path)
    return Stream(path, records, sidechain=name.name.startswith("agent-") or "subagents" in name.parts)


def _seniority(stream: Stream) -> tuple[bool, str, str]:
    """Order a family: a fork's copies name where they come from, so the original comes first."""
    forked = any(record.forked_from for record in stream.records[:1])
    first = next((at for record in stream.records if (at := record.utc)), None)
    return forked, first.isoformat() if first else "", stream.name


def _walk(path: Path, seen: set[tuple[int, int]], *, chosen: bool = False) -> Iterator[Found]:
    try:
        status = path.stat()
    except OSError as error:
        if chosen:
            raise TranscriptError(
                f"{path}: {(error.strerror or str(error)).lower()}; name a folder or file that exists"
            ) from error
        yield Found(path, "broken link" if path.is_symlink() else "vanished")
        return
    if (identity := (status.st_dev, status.st_ino)) in seen:
        return
    seen.add(identity)
    if stat.S_ISDIR(status.st_mode):
        yield from _walk_folder(path, seen, chosen=chosen)
    elif path.suffix == ".jsonl" or chosen:
        yield Found(path, _why_not(path, status))


def _walk_folder(folder: Path, seen: set[tuple[int, int]], *, chosen: bool) -> Iterator[Found]:
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        if chosen:
            raise TranscriptError(
                f"{folder}: {(error.strerror or str(error)).lower()}; check its permissions"
            ) from error
        yield Found(folder, "unreadable folder")
        return
    for name in names:
        if name not in _FOREIGN_FOLDERS:
            yield from _walk(folder / name, seen)


def _why_not(path: Path, status: os.stat_result) -> str | None:
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file"
    if not _is_text(str(path)):
        return "a name that is not UTF-8"
    if path.name.startswith(_NOISE):
        return "the client's own agent"
    if path.name == "journal.jsonl":
        return "a workflow journal"
    return None


def _is_text(name: str) -> bool:
    """Say whether a path can be stored and shown: file names may hold any bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
