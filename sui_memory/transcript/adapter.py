"""The seam between agents: what the archive needs to know of any agent's transcripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from sui_memory.transcript.reader import Reading
from sui_memory.transcript.slim import NewRedactor
from sui_memory.transcript.turns import Turn


@dataclass(frozen=True, slots=True)
class Found:
    """A file in a folder of transcripts; `reason` says why it is not one, or is not to be read."""

    path: Path
    reason: str | None = None


class Adapter(Protocol):
    """Reads one agent's transcripts."""

    @property
    def agent(self) -> str:
        """Name stored with every exchange."""

    def home(self) -> Path:
        """Return the folder where the agent keeps its transcripts."""

    def discover(self, roots: Iterable[Path]) -> Iterator[Found]:
        """Yield the files below the roots, in a stable order, with those that are no transcripts named."""

    def foreign(self, head: bytes) -> str | None:
        """Name another format by the first `SNIFF` bytes of a file, as in "a Codex rollout"; else None."""

    def read(self, file: BinaryIO, offset: int, new_redactor: NewRedactor) -> Reading:
        """Read the new records of an open file as slim records."""

    def chunk(self, files: Sequence[tuple[str, Sequence[bytes]]]) -> list[Turn]:
        """Cut a family of files, as (path, slim records), into turns; forgotten ones are among them."""
