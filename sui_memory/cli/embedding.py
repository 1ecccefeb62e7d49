"""Giving the archive its vectors, with progress and an estimate for whoever waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sui_memory.cli.progress import progress

if TYPE_CHECKING:
    from sui_memory.app import App
    from sui_memory.embedding import ModelInfo

_WORTH_TELLING_SECONDS = 10
_MINUTE, _HOUR = 60, 3600


def embed_archive(app: App) -> int:
    """Give every passage a vector of the chosen model and return how many were made; may raise `ModelError`.

    Stopping it loses nothing: the next run goes on.
    """
    with progress() as show:
        return app.embed(lambda done, total: show("Embedding", done, total))


def tell_estimate(app: App, model: ModelInfo) -> None:
    """Say how long this machine needs to embed the archive with a model, if that is worth saying."""
    from sui_memory.embedding import throughput

    waiting = passages_without(app, model.model_id)
    embedder = app.embedder(model.model_id) if waiting else None
    if embedder is None:
        return
    seconds = waiting / throughput(embedder)
    if seconds >= _WORTH_TELLING_SECONDS:
        click.echo(
            f"Embedding {waiting:,} passages with {model.name} takes {about(seconds)} on this machine.",
            err=True,
        )


def passages_without(app: App, model_id: str) -> int:
    """Return how many passages of the archive have no vector of a model, known to it or not."""
    for row in app.store.models():
        if row.model_id == model_id:
            return row.pending
    passages = app.store.stats()["passages"]
    return passages if isinstance(passages, int) else 0


def about(seconds: float) -> str:
    """Return a duration as a person says it."""
    if seconds < 2 * _MINUTE:
        return f"about {seconds:.0f} seconds"
    if seconds < 2 * _HOUR:
        return f"about {seconds / _MINUTE:.0f} minutes"
    return f"about {seconds / _HOUR:.0f} hours"
