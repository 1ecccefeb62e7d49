"""`sui-memory chunks FILE…`: what would be stored of transcripts, without storing anything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sui_memory.cli.common import exchange_json, json_option, local_day, print_json, printable

if TYPE_CHECKING:
    from sui_memory.types import Exchange


@click.command("chunks")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, readable=False))
@json_option
def chunks_command(files: tuple[Path, ...], as_json: bool) -> None:
    """Show the exchanges in transcript FILES, redacted, as one archive would hold them."""
    from sui_memory.archive.preview import preview

    exchanges, problems = preview(files)
    for problem in problems:
        click.echo(problem, err=True)
    if as_json:
        print_json([exchange_json(exchange) for exchange in exchanges])
    else:
        for exchange in exchanges:
            click.echo(_as_text(exchange))


def _as_text(exchange: Exchange) -> str:
    head = " · ".join([local_day(exchange.asked_at), exchange.project, *exchange.marks])
    return printable(f"── {head}\n❯ {exchange.human}\n\n{exchange.answer}\n")
