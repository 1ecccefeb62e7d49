"""`sui-memory sessions`: the archived conversations, newest first."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from sui_memory.cli.common import (
    iso,
    json_option,
    local_day,
    make_scope,
    open_archive,
    page_options,
    print_json,
    print_table,
    project_names,
    scope_options,
)

if TYPE_CHECKING:
    from sui_memory.store import SessionRow


_WIDE = 120
_SHORT_ID = 8
"""Characters of an id that a narrower terminal shows: a whole uuid would leave no room for the title."""


@click.command("sessions")
@scope_options("project", "since", "until", "all")
@page_options(50)
@json_option
def sessions_command(limit: int, offset: int, as_json: bool, **options: Any) -> None:
    """List the archived conversations, the newest first. Other commands take the beginning of an id."""
    with open_archive() as app:
        rows = app.store.sessions(make_scope(app, options), limit, offset)
    if as_json:
        print_json({"sessions": [_as_json(row) for row in rows]})
    elif rows:
        _print(rows)
    if not rows:
        click.echo("No session is found: run `sui-memory backfill`, or try --all.", err=True)


def _as_json(row: SessionRow) -> dict[str, Any]:
    return {
        "session": row.session,
        "project": row.project,
        "agent": row.agent,
        "first_at": iso(row.first_at),
        "last_at": iso(row.last_at),
        "exchanges": row.exchanges,
        "title": row.title,
    }


def _print(rows: Sequence[SessionRow]) -> None:
    names = project_names({row.project for row in rows})
    chars = _SHORT_ID if sys.stdout.isatty() and get_terminal_size().columns < _WIDE else None
    print_table(
        ("date", "session", "project", "exchanges", "title"),
        [
            (local_day(row.last_at), row.session[:chars], names[row.project], f"{row.exchanges:,}", row.title)
            for row in rows
        ],
        right=("exchanges",),
    )
