"""What is ours in the home folder, and how it goes."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sui_memory.config import Settings
from sui_memory.setup.failure import SetupError

_TRACES = ("daemon.sock", "daemon.lock", "daemon.log*")
_ARCHIVE = ("memory.db", "memory.db-wal", "memory.db-shm", "config.toml", "config.toml.partial", "models")


def make_home(settings: Settings) -> bool:
    """Make the home folder, closed to others; say whether it was new. `SetupError` if it cannot be made."""
    home = settings.home
    if home.is_dir():
        return False
    try:
        home.mkdir(mode=0o700, parents=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SetupError(
            f"{home} cannot be made ({reason}): set SUI_MEMORY_HOME to another folder."
        ) from error
    return True


def traces(settings: Settings) -> list[Path]:
    """Return what the daemon leaves in the home folder."""
    return _found(settings.home, _TRACES)


def belongings(settings: Settings) -> list[Path]:
    """Return all that is ours in the home folder: the archive, its settings, the models, the traces."""
    return [*_found(settings.home, _ARCHIVE), *traces(settings)]


def delete(paths: Sequence[Path], settings: Settings) -> None:
    """Delete files and folders for good, and the home folder if nothing is left in it."""
    for path in paths:
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise SetupError(f"{path} cannot be deleted ({reason}): delete it by hand.") from error
    with suppress(OSError):
        settings.home.rmdir()


def _found(home: Path, patterns: Sequence[str]) -> list[Path]:
    return [path for pattern in patterns for path in sorted(home.glob(pattern))]
