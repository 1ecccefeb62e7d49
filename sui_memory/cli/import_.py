"""`sui-memory import FILE`: read an export into the archive."""

from __future__ import annotations

from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from sui_memory.cli.common import json_option, print_json

if TYPE_CHECKING:
    from sui_memory.archive.importing import Imported


@click.command("import")
@click.argument("file", type=click.File("rb"))
@click.option("--revive", is_flag=True, help="Bring back what you had forgotten, too.")
@json_option
def import_command(file: BinaryIO, revive: bool, as_json: bool) -> None:
    """Store the memories of FILE (`-` for stdin) that are not there yet.

    Memories that exist are left as they are. Secrets are masked by today's rules. A file that is broken
    anywhere is refused as a whole.
    """
    from sui_memory.app import open_app
    from sui_memory.archive.importing import import_from
    from sui_memory.cli.embedding import embed_changed
    from sui_memory.cli.progress import progress
    from sui_memory.config import load_settings

    seekable = file if file.seekable() else BytesIO(file.read())
    with open_app(load_settings()) as app:
        with progress() as show:
            result = import_from(
                seekable,
                Path(file.name).name,
                store=app.store,
                tools=app.tools,
                revive=revive,
                on_progress=lambda done, total: show("Importing", done, total),
            )
        embed_changed(app)
    if as_json:
        print_json(asdict(result))
    else:
        click.echo(_summary(result))


def _summary(result: Imported) -> str:
    parts = [f"{result.new:,} new", f"{result.existing:,} already there"]
    if result.forgotten:
        parts.append(
            f"{result.forgotten:,} left out because you had them forgotten (--revive brings them back)"
        )
    text = f"Read {result.read:,} memories: {', '.join(parts)}."
    if result.links or result.episodes:
        text += f" Links: {result.links:,} new, episodes: {result.episodes:,} new."
    return text + (f" Secrets masked: {result.values:,}." if result.values else "")
