"""`sui-memory pin ID…` and `sui-memory unpin ID…`: what a resync never drops."""

from __future__ import annotations

import click

from sui_memory.cli.common import find_memory, open_archive


@click.command("pin")
@click.argument("memories", metavar="ID...", nargs=-1, required=True)
def pin_command(memories: tuple[str, ...]) -> None:
    """Mark the memories called ID as yours: a resync never drops them, whatever becomes of the transcript."""
    click.echo(f"Pinned: {_mark(memories, pinned=True)}.")


@click.command("unpin")
@click.argument("memories", metavar="ID...", nargs=-1, required=True)
def unpin_command(memories: tuple[str, ...]) -> None:
    """Take the mark from the memories called ID."""
    click.echo(f"Unpinned: {_mark(memories, pinned=False)}.")


def _mark(names: tuple[str, ...], *, pinned: bool) -> str:
    """Set or take the mark of all memories, or of none when one cannot be found, and return their ids."""
    with open_archive() as app:
        found = [find_memory(app, name) for name in names]
        for memory_id in found:
            app.store.pin(memory_id, pinned=pinned)
    return ", ".join(found)
