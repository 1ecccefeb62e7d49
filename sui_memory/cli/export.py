"""`sui-memory export [FILE]`: the archive as JSON lines or Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sui_memory.cli.common import (
    for_stdout,
    json_for_stdout,
    make_scope,
    memory_count,
    open_archive,
    scope_options,
)

if TYPE_CHECKING:
    from sui_memory.app import App
    from sui_memory.types import Scope

_STDOUT = Path("-")
_ALL = 2**31


@click.command("export")
@click.argument("file", default=_STDOUT, type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "markdown"]),
    default="jsonl",
    show_default=True,
    help="Everything that is stored, to be imported again, or something to read.",
)
@scope_options("project", "session", "since", "until", "branch")
@click.option("--all", "everything", is_flag=True, help="Markdown: automated sessions and sub-agents, too.")
def export_command(file: Path, form: str, **options: Any) -> None:
    """Write memories to FILE, readable by you alone, or to stdout.

    JSON lines hold all that is stored of them (docs/json.md), automated sessions and sub-agents included.
    """
    from sui_memory.archive.exporting import write_whole

    with open_archive() as app:
        scope = make_scope(app, options)
        lines = _lines(app, form, scope)
        if file != _STDOUT:
            tally = _Tally()
            write_whole(file, tally.of(lines))
            count = _markdown_count(app, scope) if form == "markdown" else tally.memories
            click.echo(f"Wrote {memory_count(count)} to {file}.", err=True)
            return
        shown = for_stdout if form == "markdown" else json_for_stdout
        for line in lines:
            click.echo(shown(line).encode())


class _Tally:
    """Counts the memories among the lines of an export that pass by."""

    memories = 0

    def of(self, lines: Iterator[str]) -> Iterator[str]:
        """Yield the lines as they are."""
        from sui_memory.archive.exporting import is_memory

        for line in lines:
            self.memories += is_memory(line)
            yield line


def _lines(app: App, form: str, scope: Scope) -> Iterator[str]:
    from sui_memory.archive.exporting import export_lines
    from sui_memory.archive.markdown import markdown_lines

    if form == "markdown":
        return markdown_lines(scope, store=app.store)
    return export_lines(replace(scope, auto=True, sidechains=True, rest=True), store=app.store)


def _markdown_count(app: App, scope: Scope) -> int:
    """Return how many memories a Markdown export holds: it goes by session."""
    return sum(row.exchanges for row in app.store.sessions(scope, _ALL))
