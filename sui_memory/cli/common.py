"""What several commands share: options, the scope they make, and how data is printed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from sui_memory.app import App
    from sui_memory.types import Scope

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/json.md).")


def print_json(value: Any) -> None:
    """Print data for programs: one JSON document, in UTF-8."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def is_talkative() -> bool:
    """Say whether somebody looks at stderr, so that progress makes sense."""
    return sys.stderr.isatty()


def iso(moment: datetime | None) -> str | None:
    """Return a time as JSON has it: ISO 8601 in UTC."""
    return moment.isoformat().replace("+00:00", "Z") if moment else None


def local_day(moment: datetime | None) -> str:
    """Return a date as a person reads it, in the local time zone."""
    return moment.astimezone().strftime("%Y-%m-%d") if moment else "undated"


def parse_day(text: str | None, *, end: bool = False) -> datetime | None:
    """Return the start of a local day (`YYYY-MM-DD`, or `30d` for days ago), or with `end` of the next."""
    if text is None:
        return None
    try:
        if text.endswith("d") and text[:-1].isdigit():
            day = datetime.now().astimezone() - timedelta(days=int(text[:-1]))
        else:
            day = datetime.strptime(text, "%Y-%m-%d").astimezone()
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(f"{text!r} is no date: write YYYY-MM-DD, or 30d for 30 days ago.") from error
    day = day.replace(hour=0, minute=0, second=0, microsecond=0)
    return (day + timedelta(days=end)).astimezone(UTC)


def find_project(app: App, name: str | None) -> str | None:
    """Return the project that a path or the end of one names; none or several is an error."""
    if name is None:
        return None
    from sui_memory.errors import NotFoundError

    projects = app.store.projects()
    exact = str(Path(name).expanduser().absolute()) if name.startswith((".", "/", "~")) else name
    if exact in projects:
        return exact
    matches = [project for project in projects if project.endswith("/" + name.strip("/"))]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise NotFoundError(
            f"Several projects are called {name!r}: name one of {', '.join(sorted(matches))}."
        )
    raise NotFoundError(f"No project is called {name!r}: `sui-memory sessions` lists them.")


def find_memory(app: App, name: str) -> str:
    """Return the id that a prefix names; none or several is an error."""
    from sui_memory.errors import NotFoundError

    found = app.store.find(name.strip().lower())
    if len(found) == 1 or name in found:
        return name if name in found else found[0]
    if found:
        raise NotFoundError(f"Several memories start with {name!r}: {', '.join(found)}.")
    raise NotFoundError(f"No memory has the id {name!r}: `sui-memory search` shows ids.")


def scope_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that limit which memories are seen."""
    options = [
        click.option(
            "--project", metavar="NAME", help="Only this project: its folder, or the end of its path."
        ),
        click.option("--session", metavar="ID", help="Only this conversation."),
        click.option("--since", metavar="DATE", help="From this day on (YYYY-MM-DD, or 30d)."),
        click.option("--until", metavar="DATE", help="Up to this day, included."),
        click.option("--branch", metavar="NAME", help="Only what was said on this git branch."),
        click.option("--role", type=click.Choice(["question", "answer"]), help="Only this side of the talk."),
        click.option("--all", "everything", is_flag=True, help="Automated sessions and sub-agents, too."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def make_scope(app: App, options: dict[str, Any]) -> Scope:
    """Return the scope that `scope_options` describe."""
    from sui_memory.types import Role, Scope

    return Scope(
        project=find_project(app, options.get("project")),
        session=options.get("session"),
        since=parse_day(options.get("since")),
        until=parse_day(options.get("until"), end=True),
        git_branch=options.get("branch"),
        role=Role(options["role"]) if options.get("role") else None,
        auto=bool(options.get("everything")),
        sidechains=bool(options.get("everything")),
    )
