"""What `sui-memory doctor` looks at: each check says what it found and, if need be, what to do."""

from __future__ import annotations

import json
import os
import platform
import shutil
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from sui_memory.config import Settings
from sui_memory.errors import ModelError, StoreError, TranscriptError

if TYPE_CHECKING:
    from sui_memory.app import App
    from sui_memory.embedding import ModelInfo
    from sui_memory.store import ModelRow

PACKAGES = {"apsw": "apsw", "sqlite-vec": "sqlite_vec", "fugashi": "fugashi", "unidic-lite": "unidic_lite"}
"""Distribution → module of what holds compiled code or data, and so may be broken though installed."""

_DEFAULT_RETENTION_DAYS = 30
"""Claude Code's own, when its settings do not say."""

_ENOUGH_RETENTION_DAYS = 365
_LEAST_FREE_BYTES = 200_000_000


class State(StrEnum):
    """How a check came out. A note is no fault, but may want doing something about."""

    OK = "ok"
    NOTE = "note"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check: what was found, and what to do about it unless it is fine."""

    check: str
    state: State
    found: str
    advice: str = ""


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


def examine(settings: Settings) -> Iterator[Finding]:
    """Yield the findings of every check. Whatever is wrong is found, not raised."""
    yield _platform()
    broken = list(_packages())
    yield from broken or [Finding("packages", State.OK, "all are there")]
    yield from _home(settings)
    yield _disk(settings)
    if broken:
        return
    yield from _transcripts()
    yield from _archive(settings)


def _platform() -> Finding:
    if platform.system() in {"Linux", "Darwin"}:
        return Finding("platform", State.OK, platform.system())
    advice = "use WSL, or expect only the command line to work."
    return Finding("platform", State.NOTE, f"{platform.system()} is not supported", advice)


def _packages() -> Iterator[Finding]:
    for name, module in PACKAGES.items():
        try:
            import_module(module)
        except ImportError as error:
            advice = f"run `pip install --force-reinstall {name}`."
            yield Finding("packages", State.PROBLEM, f"{name} cannot be imported ({error})", advice)


def _home(settings: Settings) -> Iterator[Finding]:
    home = settings.home
    if not home.exists():
        yield Finding("home", State.NOTE, f"{home} does not exist yet", "run `sui-memory backfill`.")
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


def _disk(settings: Settings) -> Finding:
    from rich.filesize import decimal

    place = next(folder for folder in (settings.home, *settings.home.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    size = settings.database.stat().st_size if settings.database.exists() else 0
    # `rebuild` and the upgrade of a schema write the file a second time.
    if free < max(_LEAST_FREE_BYTES, size):
        return Finding("disk", State.PROBLEM, f"only {decimal(free)} are free", "free some space.")
    return Finding("disk", State.OK, f"{decimal(free)} are free")


def _transcripts() -> Iterator[Finding]:
    from sui_memory.archive import default_tools

    adapter = default_tools().adapter
    folder = adapter.home()
    if not folder.exists():
        advice = "start Claude Code once, or set CLAUDE_CONFIG_DIR to its folder."
        yield Finding("transcripts", State.PROBLEM, f"{folder} does not exist", advice)
        return
    try:
        found = list(adapter.discover([folder]))
    except TranscriptError as error:
        yield Finding("transcripts", State.PROBLEM, str(error))
        return
    unreadable = [each.path for each in found if not os.access(each.path, os.R_OK)]
    if unreadable:
        advice = "make them readable for this user."
        what = f"{len(unreadable):,} files cannot be read, the first is {unreadable[0]}"
        yield Finding("transcripts", State.PROBLEM, what, advice)
    count = sum(each.reason is None for each in found)
    if count:
        yield Finding("transcripts", State.OK, f"{count:,} in {folder}")
    else:
        yield Finding("transcripts", State.NOTE, f"none in {folder} yet", "use Claude Code once.")
    yield _retention(folder.parent / "settings.json")


def _retention(path: Path) -> Finding:
    """Say when Claude Code deletes transcripts: https://docs.anthropic.com/en/docs/claude-code/settings."""
    try:
        chosen = json.loads(path.read_bytes()).get("cleanupPeriodDays")
    except FileNotFoundError:
        chosen = None
    except (OSError, ValueError, AttributeError) as error:
        return Finding("retention", State.NOTE, f"{path} cannot be read ({error})", "mend it.")
    days = chosen if isinstance(chosen, int) else _DEFAULT_RETENTION_DAYS
    found = f"Claude Code deletes transcripts after {days} days" + (
        "" if isinstance(chosen, int) else ", its default"
    )
    if days >= _ENOUGH_RETENTION_DAYS:
        return Finding("retention", State.OK, found)
    advice = f"run `sui-memory backfill` more often than that, or raise cleanupPeriodDays in {path}."
    return Finding("retention", State.NOTE, found, advice)


def _archive(settings: Settings) -> Iterator[Finding]:
    """Yield what is wrong with the database and the model, as far as the database can be opened."""
    from sui_memory.app import open_app

    path = settings.database
    if not path.exists():
        yield Finding("database", State.NOTE, f"there is none at {path} yet", "run `sui-memory backfill`.")
        yield from _model(settings, ())
        return
    try:
        with open_app(settings) as app:
            yield from _soundness(app)
            yield from _backlog(app)
            yield from _model(settings, app.store.models())
    except StoreError as error:
        yield Finding("database", State.PROBLEM, str(error))
        yield from _model(settings, ())


def _soundness(app: App) -> Iterator[Finding]:
    faults = app.store.check()
    for fault in faults:
        advice = "" if "`" in fault else "put a backup in its place, or export what can be read."
        yield Finding("database", State.PROBLEM, fault, advice)
    if not faults:
        count = app.store.stats()["exchanges"]
        yield Finding("database", State.OK, f"{app.settings.database} is sound, {count:,} exchanges")
    if app.store.index_is_current():
        yield Finding("index", State.OK, f"made by this analysis ({app.analyzer.version})")


def _backlog(app: App) -> Iterator[Finding]:
    """Count the transcripts that are not archived, or not to their end."""
    known = app.store.sources()
    try:
        found = [
            each.path for each in app.tools.adapter.discover([app.tools.adapter.home()]) if not each.reason
        ]
    except TranscriptError:
        return
    waiting = sum(str(path) not in known or path.stat().st_size > known[str(path)].size for path in found)
    if waiting:
        what = f"{waiting:,} transcripts have grown or are not archived yet"
        yield Finding("backlog", State.NOTE, what, "run `sui-memory backfill`.")


def _model(settings: Settings, rows: Sequence[ModelRow]) -> Iterator[Finding]:
    from sui_memory.embedding import open_embedder, resolve

    try:
        info = resolve(settings.model, models_dir=settings.models_dir)
        if info is not None:
            open_embedder(info.model_id, models_dir=settings.models_dir, threads=settings.threads)
    except ModelError as error:
        yield Finding("model", State.PROBLEM, str(error))
        return
    if info is None:
        yield from _no_model(settings)
        return
    yield Finding("model", State.OK, f"{settings.model} is chosen, here {info.model_id}, and it works")
    if rows:
        yield _vectors(info, rows)


def _no_model(settings: Settings) -> Iterator[Finding]:
    if settings.model == "none":
        yield Finding("model", State.OK, "none is chosen: memories are found by words and parts of words")
        return
    advice = "run `sui-memory model` and choose one, or `sui-memory model use none`."
    yield Finding("model", State.PROBLEM, f"{settings.model} is chosen, but no model is here", advice)


def _vectors(info: ModelInfo, rows: Sequence[ModelRow]) -> Finding:
    row = next((row for row in rows if row.model_id == info.model_id), None)
    if row is None:
        others = ", ".join(other.model_id for other in rows)
        advice = f"run `sui-memory model use {info.name}` to make its own."
        return Finding("vectors", State.NOTE, f"those of {others} are still used", advice)
    if row.pending:
        what = f"{row.pending:,} of {row.vectors + row.pending:,} passages wait for one"
        return Finding("vectors", State.NOTE, what, "run `sui-memory backfill` to go on.")
    return Finding("vectors", State.OK, f"all {row.vectors:,} passages have one")
