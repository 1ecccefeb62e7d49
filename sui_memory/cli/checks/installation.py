"""Checks of what sui-memory stands on: platform, packages, home folder, disk."""

from __future__ import annotations

import os
import platform
import shutil
import stat
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sui_memory.cli.checks.finding import Finding, State
from sui_memory.config import Settings

PACKAGES = {"apsw": "apsw", "sqlite-vec": "sqlite_vec", "fugashi": "fugashi", "unidic-lite": "unidic_lite"}
"""Distribution → module of what holds compiled code or data, and so may be broken though installed."""

_LEAST_FREE_BYTES = 200_000_000


def versions() -> dict[str, str | None]:
    """Return name → version of what runs here; None for what is not installed."""
    return {
        "sui-memory": _version("sui-memory"),
        "python": platform.python_version(),
        "sqlite": _sqlite_version(),
        **{name: _version(name) for name in PACKAGES},
        "platform": platform.platform(),
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _sqlite_version() -> str | None:
    try:
        import apsw
    except ImportError:
        return None
    return apsw.sqlite_lib_version()


def check_platform() -> Finding:
    """Say whether hooks and daemon can work here."""
    if platform.system() in {"Linux", "Darwin"}:
        return Finding("platform", State.OK, platform.system())
    advice = "use WSL, or expect only the command line to work."
    return Finding("platform", State.NOTE, f"{platform.system()} is not supported", advice)


def check_packages() -> Iterator[Finding]:
    """Yield what cannot be imported."""
    for name, module in PACKAGES.items():
        try:
            import_module(module)
        except ImportError as error:
            advice = f"run `pip install --force-reinstall {name}`."
            yield Finding("packages", State.PROBLEM, f"{name} cannot be imported ({error})", advice)


def check_home(settings: Settings) -> Iterator[Finding]:
    """Yield what keeps the home folder from being usable, or private."""
    home = settings.home
    if not home.exists():
        yield Finding("home", State.NOTE, f"{home} does not exist yet", "run `sui-memory setup`.")
        return
    if not home.is_dir():
        advice = "move it away, or set SUI_MEMORY_HOME to a folder."
        yield Finding("home", State.PROBLEM, f"{home} is no folder", advice)
        return
    faults = [*_too_open(home, 0o700)]
    for path in sorted(home.glob("memory.db*")):
        faults += _too_open(path, 0o600)
    if not os.access(home, os.W_OK | os.X_OK):
        faults.append(Finding("home", State.PROBLEM, f"{home} cannot be written", f"run `chmod 700 {home}`."))
    yield from faults or [Finding("home", State.OK, f"{home}, closed to others")]


def _too_open(path: Path, wanted: int) -> Iterator[Finding]:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        found = f"{path} is open to other users (mode {mode:04o})"
        yield Finding("permissions", State.PROBLEM, found, f"run `chmod {wanted:o} {path}`.")


def check_disk(settings: Settings) -> Finding:
    """Say whether there is room for what the archive may need."""
    from rich.filesize import decimal

    place = next(folder for folder in (settings.home, *settings.home.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    size = settings.database.stat().st_size if settings.database.exists() else 0
    # `rebuild` and the upgrade of a schema write the file a second time.
    if free < max(_LEAST_FREE_BYTES, size):
        return Finding("disk", State.PROBLEM, f"only {decimal(free)} are free", "free some space.")
    return Finding("disk", State.OK, f"{decimal(free)} are free")
