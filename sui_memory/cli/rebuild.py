"""`sui-memory rebuild`: exchanges and indexes anew from the raw archive."""

from __future__ import annotations

from dataclasses import asdict

import click

from sui_memory.cli.common import json_option, open_archive, print_json


@click.command("rebuild")
@json_option
def rebuild_command(as_json: bool) -> None:
    """Cut the archived records into exchanges anew, and mend the indexes where they need it.

    The transcripts themselves are not read, so they may be gone. Pins, edits and imports stay.
    """
    from sui_memory.archive.rebuilding import rebuild
    from sui_memory.cli.embedding import embed_changed
    from sui_memory.cli.progress import progress

    with open_archive() as app:
        with progress() as show:
            result = rebuild(store=app.store, tools=app.tools, on_progress=show)
        embed_changed(app)
    if as_json:
        print_json(asdict(result))
        return
    click.echo(
        f"Exchanges: {result.new:,} new, {result.updated:,} updated, {result.deleted:,} deleted, "
        f"{result.unchanged:,} unchanged."
    )
    if result.indexed:
        click.echo(f"Index made anew: {result.indexed:,} passages.")
