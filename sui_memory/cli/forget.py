"""`sui-memory forget`: delete memories for good."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from sui_memory.cli.common import (
    find_memory,
    find_project,
    find_session,
    iso,
    json_option,
    local_day,
    memory_count,
    open_archive,
    parse_day,
    print_json,
    printable,
)

if TYPE_CHECKING:
    from sui_memory.app import App
    from sui_memory.types import Memory

_SHOWN = 15
_QUESTION_CHARS = 70


class _Refusal(click.ClickException):
    """A call that would delete without anybody having agreed."""

    exit_code = 2


@click.command("forget")
@click.argument("memories", metavar="[ID]...", nargs=-1)
@click.option("--session", metavar="ID", help="Everything said in this conversation so far.")
@click.option("--project", metavar="NAME", help="Everything of this project: its folder, or the path's end.")
@click.option("--before", metavar="DATE", help="What was asked before this day (YYYY-MM-DD, or 30d).")
@click.option("--match", metavar="TEXT", help="What contains this text, whatever its case or width.")
@click.option("--yes", "-y", is_flag=True, help="Delete without asking.")
@click.option("--dry-run", is_flag=True, help="Show what would be deleted, and delete nothing.")
@json_option
def forget_command(memories: tuple[str, ...], **options: Any) -> None:
    """Delete memories for good: by ID, or all that meet every option given.

    They are gone from the texts, the indexes, the vectors and the raw records, and do not come back with
    a later backfill. What is said in the same conversation afterwards is archived again.
    """
    from sui_memory.errors import NotFoundError

    _check(memories, options)
    with open_archive() as app:
        doomed = _find(app, memories, options)
        if not doomed:
            # An earlier call may have been stopped right before its last step.
            if not options["dry_run"]:
                app.store.purge()
            raise NotFoundError("No memory matches: nothing was deleted.")
        if not options["as_json"]:
            click.echo(_listing(doomed) + _told_elsewhere(app, doomed), err=not options["dry_run"])
        gone = 0 if options["dry_run"] else _delete(app, doomed, is_agreed=options["yes"])
    if options["as_json"]:
        print_json({"deleted": gone, "dry_run": options["dry_run"], "memories": list(map(_as_json, doomed))})
    elif not options["dry_run"]:
        click.echo(f"Forgotten: {memory_count(gone)}.")


def _check(names: Sequence[str], options: dict[str, Any]) -> None:
    chosen = [name for name in ("session", "project", "before", "match") if options[name] is not None]
    if bool(names) == bool(chosen):
        raise click.UsageError(
            "Name what to forget: either IDs, or some of --session, --project, --before and --match."
        )
    if any(not options[name].strip() for name in chosen):
        raise click.UsageError("An empty text would match everything: say what to forget.")
    if not options["yes"] and not options["dry_run"] and not sys.stdin.isatty():
        raise _Refusal("Nobody can be asked here: add --yes to delete, or --dry-run to see what would go.")


def _find(app: App, names: Sequence[str], options: dict[str, Any]) -> list[Memory]:
    from sui_memory.archive.forgetting import find_matches
    from sui_memory.types import Scope

    if names:
        return app.store.get(list(dict.fromkeys(find_memory(app, name) for name in names)))
    scope = Scope(
        project=find_project(app, options["project"]),
        session=find_session(app, options["session"]),
        until=parse_day(options["before"]),
        auto=True,
        sidechains=True,
        rest=True,
    )
    found = find_matches(options["match"], scope, store=app.store, tools=app.tools)
    # Nobody knows whether what has no date is older.
    return [memory for memory in found if memory.exchange.asked_at or not options["before"]]


def _delete(app: App, doomed: Sequence[Memory], *, is_agreed: bool) -> int:
    from sui_memory.archive.forgetting import forget
    from sui_memory.cli.progress import progress

    if not is_agreed and not click.confirm(f"Delete {memory_count(len(doomed))} for good?", err=True):
        click.echo("Nothing was deleted.", err=True)
        raise click.exceptions.Exit(1)
    with progress() as show:
        return forget(
            [memory.exchange for memory in doomed],
            store=app.store,
            tools=app.tools,
            on_progress=lambda done, total: show("Forgetting", done, total),
        )


def _listing(doomed: Sequence[Memory]) -> str:
    """Return how many memories from when are meant, and the first questions: a screenful at most."""
    days = [local_day(at) for memory in doomed if (at := memory.exchange.asked_at)]
    span = (days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}") if days else "undated"
    pinned = sum(memory.pinned for memory in doomed)
    head = f"{memory_count(len(doomed))}, {span}" + (f", {pinned} of them pinned:" if pinned else ":")
    lines = [_line(memory) for memory in doomed[:_SHOWN]]
    rest = len(doomed) - len(lines)
    return "\n".join([head, *lines, *([f"  … and {rest} more"] if rest else [])])


def _told_elsewhere(app: App, doomed: Sequence[Memory]) -> str:
    """Return a remark on summaries that stay and may hold words of what is deleted; empty without any."""
    ids = [memory.id for memory in doomed]
    told = sorted(app.store.kept.summaries(ids) - set(ids))
    return f"\nSummed up in {', '.join(told)}: look whether that should go, too." if told else ""


def _line(memory: Memory) -> str:
    question = " ".join(printable(memory.exchange.human).split())
    short = question if len(question) <= _QUESTION_CHARS else question[:_QUESTION_CHARS] + "…"
    return f"  {memory.id}  {local_day(memory.exchange.asked_at)}  {short}"


def _as_json(memory: Memory) -> dict[str, Any]:
    exchange = memory.exchange
    return {
        "id": memory.id,
        "project": exchange.project,
        "session": exchange.session,
        "asked_at": iso(exchange.asked_at),
        "question": exchange.question,
        "pinned": memory.pinned,
    }
