"""Claude Code's settings on disk: read, replaced in one step, and kept as they were beside it."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sui_memory.setup.failure import SetupError

_BACKUP_SUFFIX = ".before-sui-memory"


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A settings file at the path where Claude Code looks for it; a link stays a link."""

    path: Path

    @property
    def backup(self) -> Path:
        """Where the file is kept as it was before the hooks came in."""
        return self.path.with_name(self.path.name + _BACKUP_SUFFIX)

    def read(self) -> bytes | None:
        """Return what is in it, None if there is no such file; what is no file is a `SetupError`."""
        return _read(self.path)

    def read_text(self) -> str | None:
        """Return what is in it as text, None if there is no such file; `SetupError` if it is none."""
        content = self.read()
        return None if content is None else as_text(self.path, content)

    def read_backup(self) -> bytes | None:
        """Return what was in it before the hooks came in, None if that is not known."""
        return _read(self.backup)

    def keep(self, content: bytes | None) -> None:
        """Store what was in it before the hooks came in: nothing, if there was no file."""
        if content is None:
            self.backup.unlink(missing_ok=True)
        else:
            _write(self.backup, content, _mode(self.path))

    def replace(self, before: bytes | None, after: bytes | None) -> None:
        """Put other content (None: no file) in its place, unless it is no longer as it was `before`."""
        target = Path(os.path.realpath(self.path))
        if before is not None and not os.access(target, os.W_OK):
            raise SetupError(f"{target} may not be written: change its permissions, then run this again.")
        if after is None:
            self._check_unchanged(before)
            target.unlink(missing_ok=True)
            return
        partial = _partial(target, after, _mode(target))
        try:
            self._check_unchanged(before)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        _sync(target.parent)

    def _check_unchanged(self, before: bytes | None) -> None:
        if self.read() != before:
            raise SetupError(f"{self.path} has just been changed by another program: run this again.")


def as_text(path: Path, content: bytes) -> str:
    """Return bytes of a file as text with its very line ends; `SetupError` if they are not UTF-8."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SetupError(
            f"{path} is not UTF-8 (line {line}): save it as UTF-8, then run this again."
        ) from error


def config_folder() -> Path:
    """Return `$CLAUDE_CONFIG_DIR`, else `~/.claude`."""
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude").absolute()


def user_settings() -> SettingsFile:
    """Return the settings that hold in all projects."""
    return SettingsFile(config_folder() / "settings.json")


def project_settings(folder: Path | None = None) -> SettingsFile:
    """Return the settings of a project (by default the folder we are in) that are shared with nobody."""
    return SettingsFile((folder or Path.cwd()) / ".claude" / "settings.local.json")


def _read(path: Path) -> bytes | None:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SetupError(f"{path} is not a regular file: move it away, then run this again.")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SetupError(f"{path} cannot be read ({reason}): change that, then run this again.") from error


def _mode(path: Path) -> int:
    """Return the permissions of a file, or those for a new one: settings may hold keys."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return 0o600


def _write(path: Path, content: bytes, mode: int) -> None:
    _partial(path, content, mode).replace(path)


def _partial(path: Path, content: bytes, mode: int) -> Path:
    """Write a new file beside `path`, safe on the disk, to be moved into its place."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".partial", dir=path.parent)
        try:
            with os.fdopen(number, "wb") as file:
                os.fchmod(number, mode)
                file.write(content)
                file.flush()
                os.fsync(number)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SetupError(f"{path} cannot be written ({reason}): change that, then run this again.") from error
    return Path(name)


def _sync(folder: Path) -> None:
    """Make the new name of a file safe on the disk, where the file system can."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
