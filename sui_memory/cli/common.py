"""What several commands share: options, the scope they make, and how data is printed."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

    from sui_memory.app import App
    from sui_memory.types import Exchange, Memory, Scope

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/json.md).")


_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""C0 and C1 controls but tab and newline, and what turns the direction of text (CVE-2021-42574)."""

_LEAST_COLUMNS = 8
_ALL = 1_000_000
_PIPE_COLUMNS = 100_000
"""Wide enough that nothing is cut or wrapped for a program that reads."""


@contextmanager
def open_archive() -> Iterator[App]:
    """Open the archive that the settings name, for what makes none: no archive is a `NotFoundError`."""
    from sui_memory.app import open_app
    from sui_memory.config import load_settings
    from sui_memory.errors import NotFoundError

    settings = load_settings()
    if not settings.database.exists():
        raise NotFoundError(f"There is no archive at {settings.database} yet: run `sui-memory setup`.")
    with open_app(settings) as app:
        yield app


def print_json(value: Any) -> None:
    """Print data for programs: one JSON document, in UTF-8 whatever the locale."""
    click.echo(json_for_stdout(json.dumps(value, ensure_ascii=False, indent=2)).encode())


def exchange_json(exchange: Exchange) -> dict[str, Any]:
    """Return an exchange as `chunks --json` prints it."""
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


def memory_json(memory: Memory) -> dict[str, Any]:
    """Return a memory as `show --json` prints it: everything that is stored of it but the record ids."""
    exchange = memory.exchange
    return {
        "id": memory.id,
        **exchange_json(exchange),
        "answered_at": iso(exchange.answered_at),
        "pinned": memory.pinned,
        "edited": memory.edited,
        "muted": memory.muted,
        "cwd": exchange.cwd,
        "git_branch": exchange.git_branch,
        "agent": exchange.agent,
        "version": exchange.version,
    }


def printable(text: str) -> str:
    """Return stored text without anything that would steer a terminal."""
    from sui_memory.text import strip_ansi

    return _STEERING.sub("", strip_ansi(text))


def for_stdout(text: str) -> str:
    """Return stored text as it is for a file or a program, and `printable` for a terminal."""
    return printable(text) if sys.stdout.isatty() else text


def json_for_stdout(text: str) -> str:
    r"""Return JSON as it is for a file or a program; a terminal gets what would steer it as `\uXXXX`."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text) if sys.stdout.isatty() else text


def console() -> Console:
    """Return a console on stdout: wrapped and coloured for a person, unless NO_COLOR; plain for a program."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _PIPE_COLUMNS
    return Console(width=width, highlight=False, markup=False, emoji=False)


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> None:
    """Print aligned columns, those named in `right` to the right; a narrow terminal cuts the last."""
    from rich.cells import cell_len
    from rich.text import Text

    lines = [list(head), *([printable(cell) for cell in row] for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    if sys.stdout.isatty():
        widths[-1] = max(_LEAST_COLUMNS, get_terminal_size().columns - sum(widths[:-1]) - 2 * len(widths))
    for line in lines:
        cells = [Text(cell) for cell in line]
        cells[-1].truncate(widths[-1], overflow="ellipsis")
        for name, cell, width in zip(head, cells, widths, strict=True):
            cell.align("right" if name in right else "left", width)
        click.echo("  ".join(cell.plain for cell in cells).rstrip())


def project_names(projects: Iterable[str]) -> dict[str, str]:
    """Return project → the shortest end of its path that no other of these has."""
    names = {project: _ends(project) for project in projects}
    return {
        project: next((end for end in ends if sum(end in others for others in names.values()) == 1), project)
        for project, ends in names.items()
    }


def _ends(path: str) -> list[str]:
    """Return `c`, `b/c`, `a/b/c` of `/a/b/c`, without what is too short to be a name (worktrees called 1)."""
    parts = [part for part in path.split("/") if part]
    ends = ["/".join(parts[start:]) for start in range(len(parts) - 1, -1, -1)]
    return [end for end in ends if len(end) > 2] or ends


def memory_count(number: int) -> str:
    """Return a number of memories as a person says it."""
    return "1 memory" if number == 1 else f"{number:,} memories"


def is_talkative() -> bool:
    """Say whether somebody looks at stderr, so that progress makes sense."""
    return sys.stderr.isatty()


def iso(moment: datetime | None) -> str | None:
    """Return a time as JSON has it: ISO 8601 in UTC."""
    return moment.isoformat().replace("+00:00", "Z") if moment else None


def local_day(moment: datetime | None) -> str:
    """Return a date as a person reads it, in the local time zone."""
    return _local(moment).strftime("%Y-%m-%d") if moment else "undated"


def local_minute(moment: datetime | None) -> str:
    """Return a date and time as a person reads it, in the local time zone."""
    return _local(moment).strftime("%Y-%m-%d %H:%M") if moment else "undated"


def _local(moment: datetime) -> datetime:
    """Return a time in the local zone; at the end of the calendar, where there is none, as it is."""
    try:
        return moment.astimezone()
    except (OverflowError, ValueError):
        return moment


def parse_day(text: str | None, *, end: bool = False) -> datetime | None:
    """Return the start of a local day (`YYYY-MM-DD`, or `30d` for days ago), or with `end` of the next."""
    if text is None:
        return None
    try:
        if text.endswith("d") and text[:-1].isdigit():
            day = datetime.now().astimezone() - timedelta(days=int(text[:-1]))
        else:
            day = datetime.strptime(text, "%Y-%m-%d").astimezone()
        day = day.replace(hour=0, minute=0, second=0, microsecond=0)
        return (day + timedelta(days=end)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(f"{text!r} is no date: write YYYY-MM-DD, or 30d for 30 days ago.") from error


def find_project(app: App, name: str | None) -> str | None:
    """Return the project that a path or the end of one names; none or several is an error."""
    if name is None:
        return None
    from sui_memory.errors import NotFoundError

    projects = app.store.projects()
    exact = str(Path(name).expanduser().absolute()) if name.startswith((".", "/", "~")) else name
    if exact in projects:
        return exact
    resolved = str(Path(exact).resolve())
    if resolved in projects:
        return resolved
    matches = [project for project in projects if project.endswith("/" + name.strip("/"))]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise NotFoundError(
            f"Several projects are called {name!r}: name one of {', '.join(sorted(matches))}."
        )
    raise NotFoundError(f"No project is called {name!r}: `sui-memory sessions` lists them.")


def find_session(app: App, name: str | None) -> str | None:
    """Return the session whose id is or starts with a name; none or several is an error."""
    if name is None:
        return None
    from sui_memory.errors import NotFoundError
    from sui_memory.text import scrub_surrogates
    from sui_memory.types import Scope

    name = scrub_surrogates(name)
    if app.store.sessions(Scope(session=name, auto=True, sidechains=True), 1):
        return name
    rows = app.store.sessions(Scope(auto=True, sidechains=True), _ALL)
    found = [row.session for row in rows if row.session.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise NotFoundError(f"Several sessions start with {name!r}: {', '.join(sorted(found)[:10])}.")
    raise NotFoundError(f"No session has the id {name!r}: `sui-memory sessions --all` lists them.")


def find_memory(app: App, name: str) -> str:
    """Return the id that a prefix names; none or several is an error."""
    from sui_memory.errors import NotFoundError
    from sui_memory.text import scrub_surrogates

    name = scrub_surrogates(name)
    found = app.store.find(name.strip().lower())
    if len(found) == 1 or name in found:
        return name if name in found else found[0]
    if found:
        raise NotFoundError(f"Several memories start with {name!r}: {', '.join(found)}.")
    raise NotFoundError(f"No memory has the id {name!r}: `sui-memory search` shows ids.")


def page_options(limit: int) -> Decorator:
    """Return the decorator that adds `--limit` and `--offset`."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        function = click.option(
            "--offset", type=click.IntRange(0), default=0, help="Leave out the first ones, to page on."
        )(function)
        return click.option(
            "--limit", type=click.IntRange(1), default=limit, show_default=True, help="At most this many."
        )(function)

    return add


_SCOPE_OPTIONS = {
    "project": click.option(
        "--project", metavar="NAME", help="Only this project: its folder, or the end of its path."
    ),
    "session": click.option("--session", metavar="ID", help="Only this conversation, or the one ID begins."),
    "since": click.option("--since", metavar="DATE", help="From this day on (YYYY-MM-DD, or 30d)."),
    "until": click.option("--until", metavar="DATE", help="Up to this day, included."),
    "branch": click.option("--branch", metavar="NAME", help="Only what was said on this git branch."),
    "role": click.option(
        "--role", type=click.Choice(["question", "answer"]), help="Only this side of the talk."
    ),
    "all": click.option("--all", "everything", is_flag=True, help="Automated sessions and sub-agents, too."),
}


def scope_options(*names: str) -> Decorator:
    """Return the decorator that adds options that limit which memories are seen: those named, or all."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names or tuple(_SCOPE_OPTIONS)):
            function = _SCOPE_OPTIONS[name](function)
        return function

    return add


def make_scope(app: App, options: dict[str, Any]) -> Scope:
    """Return the scope that `scope_options` describe."""
    from sui_memory.types import Role, Scope

    return Scope(
        project=find_project(app, options.get("project")),
        session=find_session(app, options.get("session")),
        since=parse_day(options.get("since")),
        until=parse_day(options.get("until"), end=True),
        git_branch=options.get("branch"),
        role=Role(options["role"]) if options.get("role") else None,
        auto=bool(options.get("everything")),
        sidechains=bool(options.get("everything")),
    )
