"""`sui-memory log`: what was put before which session, and why nothing was."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from sui_memory.cli.common import (
    iso,
    json_option,
    local_minute,
    open_archive,
    page_options,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from sui_memory.store.ledger import Injection, Ledger, Shown

_WIDE = 120
_SHORT_ID = 8
"""Characters of a session's id that a narrower terminal shows."""

_EVERY = 1_000_000


@click.command("log")
@click.option("--session", metavar="ID", help="Only this conversation, or the one ID begins.")
@click.option("--all", "everything", is_flag=True, help="Also when nothing was shown, and why.")
@page_options(20)
@json_option
def log_command(session: str | None, everything: bool, limit: int, offset: int, as_json: bool) -> None:
    """List what was put before Claude, the newest first. `sui-memory why` explains one of them."""
    with open_archive() as app:
        ledger = app.store.ledger
        whose = _find_session(ledger, session)
        rows = ledger.injections(limit, offset, session=whose, silent=everything)
    if as_json:
        print_json({"injections": [injection_json(row) for row in rows]})
    elif rows:
        _print(rows)
    if not rows:
        click.echo(_why_nothing(everything=everything, offset=offset), err=True)


def _find_session(ledger: Ledger, name: str | None) -> str | None:
    """Return the session that a name begins; one that runs is in the ledger before it is in the archive."""
    from sui_memory.errors import NotFoundError

    if name is None or ledger.injections(1, session=name):
        return name
    found = sorted({row.session for row in ledger.injections(_EVERY) if row.session.startswith(name)})
    if len(found) == 1:
        return found[0]
    if found:
        raise NotFoundError(f"Several sessions start with {name!r}: {', '.join(found[:10])}.")
    raise NotFoundError(f"No session {name!r} was answered yet: `sui-memory log --all` lists them.")


def injection_json(injection: Injection) -> dict[str, Any]:
    """Return an injection as `log --json` and `why --json` print it."""
    return {
        "id": injection.id,
        "at": iso(injection.at),
        "session": injection.session,
        "event": injection.event,
        "prompt_hash": injection.prompt_hash,
        "silence": injection.silence,
        "memories": [_shown_json(shown) for shown in injection.memories],
        "refused": [_shown_json(shown) for shown in injection.refused],
        "forgotten": injection.forgotten,
        "characters": injection.characters,
        "milliseconds": round(injection.milliseconds, 3),
        "model": injection.model,
        "late": injection.late,
    }


def _shown_json(shown: Shown) -> dict[str, Any]:
    return {
        "id": shown.memory_id,
        "score": round(shown.score, 6),
        "trace": [[stage, round(value, 6)] for stage, value in shown.trace],
    }


def outcome(injection: Injection) -> str:
    """Return what was shown, or why nothing was."""
    shown = [memory.memory_id for memory in injection.memories]
    if injection.forgotten:
        shown.append(f"{injection.forgotten} forgotten since")
    if not shown and injection.characters:
        return "a lesson or a reminder"
    return ", ".join(shown) or f"nothing: {injection.silence or 'no reason was noted'}"


def _print(rows: Sequence[Injection]) -> None:
    chars = _SHORT_ID if sys.stdout.isatty() and get_terminal_size().columns < _WIDE else None
    print_table(
        ("number", "time", "session", "event", "characters", "ms", "shown"),
        [
            (
                str(row.id),
                local_minute(row.at),
                row.session[:chars],
                row.event,
                f"{row.characters:,}",
                f"{row.milliseconds:.0f}",
                outcome(row),
            )
            for row in rows
        ],
        right=("number", "characters", "ms"),
    )


def _why_nothing(*, everything: bool, offset: int) -> str:
    if offset:
        return "Nothing more is found."
    if everything:
        return "No prompt was answered yet: `sui-memory doctor` tells whether the hooks are in place."
    return "Nothing was shown to a session yet: `sui-memory log --all` lists when and why not."
