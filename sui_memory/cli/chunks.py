"""`sui-memory chunks FILE…`: what would be stored of transcripts, without storing anything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sui_memory.cli.common import iso, json_option, local_day, print_json

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
        print_json([_as_json(exchange) for exchange in exchanges])
    else:
        for exchange in exchanges:
            click.echo(_as_text(exchange))


def _as_json(exchange: Exchange) -> dict[str, Any]:
    return {
        "question": exchange.question,
        "followups": list(exchange.followups),
        "answer": exchange.answer,
        "status": exchange.status.value,
        "branch": exchange.branch.value,
        "sidechain": exchange.sidechain,
        "auto": exchange.auto,
        "plan": exchange.plan,
        "asked_at": iso(exchange.asked_at),
        "session": exchange.session,
        "project": exchange.project,
        "files": list(exchange.files),
        "tools": list(exchange.tools),
    }


def _as_text(exchange: Exchange) -> str:
    marks = [
        name
        for name, is_set in (
            ("automated", exchange.auto),
            ("sub-agent", exchange.sidechain),
            ("plan", exchange.plan),
            ("abandoned", exchange.branch.value == "abandoned"),
            (exchange.status.value, exchange.status.value != "complete"),
        )
        if is_set
    ]
    head = " · ".join([local_day(exchange.asked_at), exchange.project, *marks])
    return f"── {head}\n❯ {exchange.human}\n\n{exchange.answer}\n"
