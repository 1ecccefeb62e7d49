"""Where other memories lie: tells what a file is by what is in it, and what of a folder is worth reading."""

from __future__ import annotations

import json
import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sui_memory.errors import SuiMemoryError
from sui_memory.foreign.findings import BYTES_LIMIT, Finding
from sui_memory.foreign.markdown import read_markdown
from sui_memory.foreign.servers import SQLITE_MAGIC, read_server
from sui_memory.foreign.talk import agent_of, exchanges
from sui_memory.store.kept import Note

_NOTES = (".md", ".markdown", ".mdx", ".txt")
_UNPACKING = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError)
_CONVERSATIONS = re.compile(r"(?:.*/)?conversations(?:[-_]\d+)?\.json")
_IN_FOLDERS = re.compile(r".+\.(?:md|markdown)|conversations(?:[-_]\d+)?\.json|chroma\.sqlite3")
_PASSED_OVER = {"node_modules", "__pycache__"}  # and what begins with a dot
_KNOWN = (
    "known are Markdown notes (.md), conversations.json or the whole .zip of ChatGPT and Claude.ai, and the "
    "SQLite or Chroma file of a memory server"
)


@dataclass(frozen=True, slots=True)
class Found:
    """What one file holds, or one sentence that says why nothing of it is taken."""

    file: Path
    findings: tuple[Finding, ...] = ()
    problem: str = ""


def read_all(paths: Sequence[Path], note: Note, project: str | None = None) -> Iterator[Found]:
    """Yield what each file holds, those in folders included; what tells nothing of itself is as in `note`.

    Files are only read, and links within a folder are not followed. A path that is not there is an error
    at once; whatever else is wrong with a file is told in its place.
    """
    for path in paths:
        if not path.exists():
            raise SuiMemoryError(f"There is no {path}.")
    for path in map(Path.resolve, paths):
        files = _below(path) if path.is_dir() else [path]
        for file in files:
            yield _found(file, note, project)
        if not files:
            yield Found(path, problem=f"Nothing in {path} is a memory: {_KNOWN}.")


def _below(folder: Path) -> list[Path]:
    found = []
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _PASSED_OVER)
        files = [Path(parent, name) for name in sorted(names) if _IN_FOLDERS.fullmatch(name.lower())]
        found += [file for file in files if file.is_file() and not file.is_symlink()]
    return found


def _found(file: Path, note: Note, project: str | None) -> Found:
    try:
        return Found(file, tuple(_findings(file, note, project)))
    except SuiMemoryError as error:
        return Found(file, problem=str(error))
    except OSError as error:
        return Found(file, problem=f"{file} cannot be read ({error.strerror or error}).")


def _findings(file: Path, note: Note, project: str | None) -> Iterator[Finding]:
    if not file.is_file():
        raise SuiMemoryError(f"{file} is no ordinary file.")
    _refuse_huge(file.stat().st_size, str(file))
    with file.open("rb") as opened:
        head = opened.read(len(SQLITE_MAGIC))
    if head == SQLITE_MAGIC:
        yield from read_server(file, note)
    elif head.startswith(b"PK\x03\x04"):
        yield from _zipped(file, project)
    elif file.suffix.lower() in _NOTES:
        yield from read_markdown(file, note)
    elif file.suffix.lower() == ".json":
        with file.open("rb") as opened:
            yield from _talk(opened, str(file), project)
    else:
        raise SuiMemoryError(f"{file} is of no format that can be imported: {_KNOWN}.")


def _zipped(file: Path, project: str | None) -> Iterator[Finding]:
    """Yield what the conversations of a packed export hold."""
    try:
        with zipfile.ZipFile(file) as packed:
            names = [name for name in packed.namelist() if _CONVERSATIONS.fullmatch(name)]
            if not names:
                raise SuiMemoryError(f"{file} holds no conversations.json: {_KNOWN}.")
            for name in names:
                with packed.open(name) as opened:
                    yield from _talk(opened, f"{name} of {file}", project)
    except _UNPACKING as error:
        raise SuiMemoryError(f"{file} cannot be unpacked ({error}).") from error


def _talk(opened: IO[bytes], name: str, project: str | None) -> Iterator[Finding]:
    conversations = _parsed(opened, name)
    agent = agent_of(conversations)
    if agent is None and conversations:
        raise SuiMemoryError(f"{name} is no export of ChatGPT or Claude.ai: it has no list of conversations.")
    yield from exchanges(conversations, agent or "", project)


def _parsed(opened: IO[bytes], name: str) -> list[Any]:
    data = opened.read(BYTES_LIMIT + 1)  # what an archive says of its size need not be true
    _refuse_huge(len(data), name)
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SuiMemoryError(f"{name} is no whole JSON.") from error
    if isinstance(found, dict):
        found = found.get("conversations", [found])
    return found if isinstance(found, list) else [found]


def _refuse_huge(size: int, name: str) -> None:
    if size > BYTES_LIMIT:
        raise SuiMemoryError(
            f"{name} has more than {BYTES_LIMIT // 1_000_000} MB, more than can be read at once: split it."
        )
