"""`sui-memory never ID…`: what is never to be put before a session again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from sui_memory.cli.common import (
    find_memory,
    json_option,
    local_day,
    open_archive,
    print_json,
    print_table,
    project_names,
)
from sui_memory.cli.why import brief_json

if TYPE_CHECKING:
    from sui_memory.types import Memory


@click.command("never")
@click.argument("memories", metavar="[ID]...", nargs=-1)
@click.option("--undo", is_flag=True, help="Let them be shown again.")
@json_option
def never_command(memories: tuple[str, ...], undo: bool, as_json: bool) -> None:
    """Keep the memories called ID from being shown to a session again; without ID, list those kept so.

    Searches find them all the same.
    """
    if undo and not memories:
        raise click.UsageError("Write which memories may be shown again: `sui-memory never` lists them.")
    with open_archive() as app:
        found = list(dict.fromkeys(find_memory(app, name) for name in memories))
        for memory_id in found:
            app.store.mute(memory_id, muted=not undo)
        concerned = app.store.get(found) if found else app.store.muted()
    if as_json:
        print_json({"memories": [brief_json(memory) for memory in concerned]})
    elif found:
        click.echo(f"{'May be shown again' if undo else 'Never shown again'}: {', '.join(found)}.")
    elif concerned:
        _print(concerned)
    else:
        click.echo("Every memory may be shown: `sui-memory never ID` keeps one from it.", err=True)


def _print(memories: Sequence[Memory]) -> None:
    from sui_memory.context import short_question

    names = project_names({memory.exchange.project for memory in memories})
    print_table(
        ("date", "id", "project", "question"),
        [
            (
                local_day(memory.exchange.asked_at),
                memory.id,
                names[memory.exchange.project],
                short_question(memory.exchange),
            )
            for memory in memories
        ],
    )
