"""`sui-memory scrub`: apply today's redaction rules to what is stored."""

from __future__ import annotations

from dataclasses import asdict

import click

from sui_memory.cli.common import json_option, open_archive, print_json


@click.command("scrub")
@click.option("--dry-run", is_flag=True, help="Count what would be masked, and change nothing.")
@json_option
def scrub_command(dry_run: bool, as_json: bool) -> None:
    """Mask every secret in the archive that today's rules know, and leave no byte of it behind."""
    from sui_memory.archive.scrubbing import scrub
    from sui_memory.cli.progress import progress

    with open_archive() as app, progress() as show:
        found = scrub(
            store=app.store,
            tools=app.tools,
            dry_run=dry_run,
            on_progress=lambda done, total: show("Scrubbing", done, total),
        )
    if as_json:
        print_json({**asdict(found), "dry_run": dry_run})
        return
    verb = "Would mask" if dry_run else "Masked"
    values = "1 value" if found.values == 1 else f"{found.values:,} values"
    exchanges = "1 exchange" if found.exchanges == 1 else f"{found.exchanges:,} exchanges"
    records = "1 raw record" if found.records == 1 else f"{found.records:,} raw records"
    click.echo(f"{verb} {values} in {exchanges}, and {records}.")
