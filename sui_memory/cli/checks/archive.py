"""Checks of the database, the index, the vectors, and of when they were last used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from sui_memory.cli.checks.finding import Finding, State
from sui_memory.config import Settings
from sui_memory.errors import ModelError, StoreError, TranscriptError

if TYPE_CHECKING:
    from sui_memory.app import App
    from sui_memory.embedding import ModelInfo
    from sui_memory.store import ModelRow


def check_archive(settings: Settings) -> Iterator[Finding]:
    """Yield what is wrong with the database and the model, as far as the database can be opened."""
    from sui_memory.app import open_app

    path = settings.database
    if not path.exists():
        yield Finding("database", State.NOTE, f"there is none at {path} yet", "run `sui-memory setup`.")
        yield from _model(settings, ())
        return
    try:
        with open_app(settings) as app:
            yield from _soundness(app)
            yield from _backlog(app)
            yield from _model(settings, app.store.models())
            yield from _activity(app)
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


def check_reranker(settings: Settings) -> Iterator[Finding]:
    """Say whether the chosen reranker is at hand, without loading it; nothing when none is chosen."""
    from sui_memory.embedding.reranker import find_reranker

    try:
        folder = find_reranker(settings.reranker, models_dir=settings.models_dir)
    except ModelError as error:
        yield Finding("reranker", State.PROBLEM, f"searches do without one. {error}")
        return
    if folder is not None:
        yield Finding("reranker", State.OK, f"{settings.reranker} is chosen, in {folder}")


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


def _activity(app: App) -> Iterator[Finding]:
    """Say when a conversation was last archived, and when a prompt was last answered."""
    from sui_memory.cli.common import local_minute

    newest = max((source.mtime_ns for source in app.store.sources().values()), default=None)
    if newest is not None:
        written = local_minute(datetime.fromtimestamp(newest / 1e9).astimezone())
        yield Finding("last archive", State.OK, f"up to what was said at {written}")
    recalled = app.store.ledger.latest(["UserPromptSubmit"])
    if recalled:
        yield Finding("last recall", State.OK, f"a prompt was answered at {local_minute(recalled)}")
    else:
        advice = "type a prompt in a new session of Claude Code."
        yield Finding("last recall", State.NOTE, "no prompt was answered yet", advice)
