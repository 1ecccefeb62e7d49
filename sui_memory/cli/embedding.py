"""Giving the archive its vectors: at once, with progress, or in the background."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import click

from sui_memory.cli.progress import progress

if TYPE_CHECKING:
    from sui_memory.app import App
    from sui_memory.embedding import ModelInfo

_WORTH_TELLING_SECONDS = 10
_MINUTE, _HOUR = 60, 3600
_AT_ONCE = 200
"""Passages that are embedded before a command returns: some two seconds with the default model."""


def embed_archive(app: App) -> int:
    """Give every passage a vector of the chosen model and return how many were made; may raise `ModelError`.

    Waits for another process that embeds. Stopping it loses nothing: the next run goes on.
    """
    from sui_memory.config import load_settings

    with progress() as show:
        made = app.embed(
            lambda done, total: show("Embedding", done, total),
            latest=load_settings,
            on_busy=lambda: click.echo("Waiting for another process that makes vectors.", err=True),
        )
    if load_settings().model != app.settings.model:
        click.echo("Another model was chosen meanwhile: its vectors are made instead.", err=True)
    return made


def embed_or_leave(app: App, *, wait: bool) -> int:
    """Embed what little there is and return how much; leave a long job to the daemon or another process.

    Words can be searched all the while, so trouble with a model is told and nothing more. With `wait`
    even a long job is done here, after that of another process.
    """
    from sui_memory.errors import ModelError

    try:
        waiting = app.backlog()
        if wait or (waiting <= _AT_ONCE and not app.is_embedding()):
            return embed_archive(app)
        app.require_model()
    except ModelError as error:
        click.echo(f"{error} Until then memories are found by their words.", err=True)
        return 0
    if waiting:
        if not _has_daemon_embed(app):
            start_in_background()
        click.echo(
            f"Vectors for {waiting:,} passages are being made in the background; words can be searched now. "
            "`sui-memory model` shows how far it is.",
            err=True,
        )
    return 0


def _has_daemon_embed(app: App) -> bool:
    """Leave a long job to the daemon; False when none can take it."""
    from sui_memory.daemon import client
    from sui_memory.errors import DaemonError

    try:
        return client.embed(app.settings)
    except DaemonError:  # its program is gone, perhaps
        return False


def embed_changed(app: App) -> None:
    """Give changed memories their vectors, in an archive that has some."""
    if app.store.models():
        embed_or_leave(app, wait=False)


def start_in_background() -> None:
    """Start `sui-memory model embed` as a process that outlives this one and yields to everything else.

    It waits for one that is at work already. Several may wait: the later ones find nothing to do.
    """
    subprocess.Popen(
        [sys.executable, "-m", "sui_memory", "model", "embed", "--background"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def tell_estimate(app: App, model: ModelInfo) -> None:
    """Say how long this machine needs to embed the archive with a model, if that is worth saying."""
    from sui_memory.embedding import throughput

    waiting = app.backlog(model.model_id)
    embedder = app.embedder(model.model_id) if waiting else None
    if embedder is None:
        return
    seconds = waiting / throughput(embedder)
    if seconds >= _WORTH_TELLING_SECONDS:
        click.echo(
            f"Embedding {waiting:,} passages with {model.name} takes {about(seconds)} on this machine.",
            err=True,
        )


def about(seconds: float) -> str:
    """Return a duration as a person says it."""
    if seconds < 2 * _MINUTE:
        return f"about {seconds:.0f} seconds"
    if seconds < 2 * _HOUR:
        return f"about {seconds / _MINUTE:.0f} minutes"
    return f"about {seconds / _HOUR:.0f} hours"
