"""Notices that the program or the settings on disk are no longer those that this process runs with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import sui_memory
from sui_memory.config import Settings

_Stamp = tuple[int, int] | None


class Origin:
    """The files this process came from, as they were when it started."""

    def __init__(self, settings: Settings) -> None:
        self._config = settings.config_file
        self._settings_stamp = _stamp(self._config)
        self._program_stamp = _program()

    def has_other_settings(self) -> bool:
        """Say whether `config.toml` was changed, made or removed: one stat."""
        return _stamp(self._config) != self._settings_stamp

    def has_lost_program(self) -> bool:
        """Say whether the package was moved or deleted: one stat."""
        return not os.path.exists(sui_memory.__file__)

    def has_other_program(self) -> bool:
        """Say whether a file of the package was changed, made or removed: a stat for each."""
        return _program() != self._program_stamp


def _program() -> dict[str, _Stamp]:
    return {path: _stamp(path) for path in _sources(Path(sui_memory.__file__).parent)}


def _sources(package: Path) -> Iterator[str]:
    for folder, names, files in os.walk(package):
        names[:] = [name for name in names if name != "__pycache__"]
        yield from (os.path.join(folder, name) for name in files)


def _stamp(path: Path | str) -> _Stamp:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
