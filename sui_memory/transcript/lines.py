"""Physical lines of a growing file, in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

BLOCK = 1 << 20
LONG_LINE = 1 << 20
MAX_LINE = 16 << 20
"""A longer line (after its images were squeezed out) is skipped: no person types 16 MB."""

_PAYLOAD = re.compile(rb"[A-Za-z0-9+/=_-]{2048,}")
"""Base64 of an inline image, or padding: never words."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its newline. `stop` is the file offset behind it; an oversized one has no text."""

    text: bytes
    stop: int
    complete: bool
    oversized: bool = False


def read_lines(file: BinaryIO, offset: int) -> Iterator[Line]:
    """Yield the lines from `offset` on; the last one may be incomplete, still being written.

    Lines longer than `LONG_LINE` lose their base64 payloads while they are read, so that memory
    stays at a few times `MAX_LINE` whatever the file holds.
    """
    file.seek(offset)
    position = offset
    line = _Partial()
    while block := file.read(BLOCK):
        start = 0
        while (newline := block.find(b"\n", start)) >= 0:
            line.append(block[start:newline])
            start = newline + 1
            yield line.finish(position + start, complete=True)
            line = _Partial()
        line.append(block[start:])
        position += len(block)
    if line.seen:
        yield line.finish(position, complete=False)


class _Partial:
    """A line while it is being put together."""

    __slots__ = ("pieces", "seen", "size")

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.size = 0
        self.seen = 0

    def append(self, piece: bytes) -> None:
        self.seen += len(piece)
        if self.size > MAX_LINE:
            return
        if self.seen > LONG_LINE:
            piece = _PAYLOAD.sub(b"", piece)
        self.pieces.append(piece)
        self.size += len(piece)
        if self.size > MAX_LINE:
            self.pieces.clear()

    def finish(self, stop: int, *, complete: bool) -> Line:
        if self.size > MAX_LINE:
            return Line(b"", stop, complete, oversized=True)
        return Line(b"".join(self.pieces), stop, complete)
