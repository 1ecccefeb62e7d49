"""Markdown notes, such as a `memo/` folder or Claude Code's own MEMORY.md: a memory for each section."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from sui_memory.errors import SuiMemoryError
from sui_memory.foreign.findings import Remembered, moment
from sui_memory.store.kept import Note

_LIMIT = 10_000_000  # bytes: a note is written by hand
_BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_HEADING = re.compile(r"(#{1,2})[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_./]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")
_MOST_TAGS = 20

_IMPORTANCE = 4
"""Somebody took the trouble to write it down, and the file is still there: sleep is not to let go of it."""


@dataclass(frozen=True, slots=True)
class _Section:
    """A heading with those above it, and what stands below it."""

    headings: tuple[str, ...]
    body: str


def read_markdown(path: Path, note: Note) -> list[Remembered]:
    """Return the sections of a file as memories like `note`; a file that is no text is a `SuiMemoryError`.

    They are cut at headings of the first and second level. The date is the heading's, else that of the front
    matter, of the file's name, or of its last change.
    """
    front, text = _front_matter(_text(path))
    day = _day_of_file(path, front)
    note = replace(note, importance=_IMPORTANCE, tags=tuple(dict.fromkeys((*note.tags, *_tags(front)))))
    seen: Counter[tuple[str, ...]] = Counter()
    found = []
    for section in _sections(text):
        seen[section.headings] += 1
        place = "\n".join((str(path), *section.headings, str(seen[section.headings])))
        at = (_day(section.headings[-1]) if section.headings else None) or day
        title = " › ".join(section.headings) or path.stem
        found.append(Remembered(place, f"{title}\n\n{section.body}", note, at, str(path)))
    return found


def _text(path: Path) -> str:
    data = path.read_bytes() if path.stat().st_size <= _LIMIT else None
    if data is None:
        raise SuiMemoryError(f"{path} has more than {_LIMIT // 1_000_000} MB: that is no note; left out.")
    encodings = [name for bom, name in _BOMS.items() if data.startswith(bom)] or ["utf-8", "cp932"]
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text.replace("\r\n", "\n").replace("\r", "\n")
    raise SuiMemoryError(f"{path} is no text in UTF-8, UTF-16 or Shift JIS; left out.")


def _sections(text: str) -> Iterator[_Section]:
    """Yield what stands below each heading, and before the first; `#` in code is no heading."""
    headings: tuple[str, ...] = ()
    title: tuple[str, ...] = ()
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        fence = _fence_after(line, fence)
        heading = None if fence else _HEADING.fullmatch(line)
        if heading is None:
            lines.append(line)
            continue
        yield from _filled(headings, lines)
        title = (heading[2],) if len(heading[1]) == 1 else title
        headings = title if len(heading[1]) == 1 else (*title, heading[2])
        lines = []
    yield from _filled(headings, lines)


def _filled(headings: tuple[str, ...], lines: list[str]) -> Iterator[_Section]:
    body = "\n".join(lines).strip()
    if body:
        yield _Section(headings, body)


def _fence_after(line: str, fence: str) -> str:
    """Return the fence that is open after a line, if any; only one as long closes it (CommonMark 4.5)."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    if not fence:
        return found[1]
    closes = found[1].startswith(fence) and not line[found.end() :].strip()
    return "" if closes else fence


def _front_matter(text: str) -> tuple[dict[str, list[str]], str]:
    """Return name → values of what stands between two `---` at the beginning, and the text after it.

    Of YAML only what notes use: `name: value`, `name: [a, b]`, and a list below its name.
    """
    head, closing, rest = text.removeprefix("---\n").partition("\n---\n")
    if not text.startswith("---\n") or not closing:
        return {}, text
    found: dict[str, list[str]] = {}
    name = ""
    for line in head.split("\n"):
        before, colon, after = line.partition(":")
        if line.lstrip().startswith("- "):
            found.setdefault(name, []).append(line.lstrip()[2:])
        elif colon and before.strip() == before:
            name = before.lower()
            found[name] = [part for part in after.strip().strip("[]").split(",") if part.strip()]
    return {key: [value.strip().strip("'\"") for value in values] for key, values in found.items()}, rest


def _tags(front: dict[str, list[str]]) -> list[str]:
    tags = [tag.lstrip("#") for name in ("tags", "tag", "keywords") for tag in front.get(name, [])]
    return [tag for tag in tags if tag][:_MOST_TAGS]


def _day_of_file(path: Path, front: dict[str, list[str]]) -> datetime | None:
    named = [value for name in ("date", "created", "updated") for value in front.get(name, [])]
    for value in named:
        if found := moment(value) or _day(value):
            return found
    return _day(path.stem) or moment(path.stat().st_mtime)


def _day(text: str) -> datetime | None:
    """Return the start of the local day that a text names as 2026-11-30 or 20261130, if it names one."""
    found = _DAY.search(text)
    if found is None:
        return None
    try:
        return datetime(int(found[1]), int(found[3]), int(found[4])).astimezone().astimezone(UTC)
    except (ValueError, OverflowError):
        return None
