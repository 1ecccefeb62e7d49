"""`sui-memory stats`: what is archived, in numbers."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from sui_memory.cli.common import (
    iso,
    json_option,
    local_day,
    open_archive,
    print_json,
    print_table,
    project_names,
)

if TYPE_CHECKING:
    from sui_memory.app import App

_TOP_PROJECTS = 10
_COUNTED = (
    *("exchanges", "sessions", "projects", "sources", "passages"),
    *("pinned", "edited", "muted", "forgotten", "injections"),
    *("kept", "links", "episodes"),
)
_SIZES = ("text_bytes", "raw_bytes", "database_bytes")


@click.command("stats")
@json_option
def stats_command(as_json: bool) -> None:
    """Count memories, sessions, sizes, dates, models and projects."""
    with open_archive() as app:
        found = _collect(app)
    if as_json:
        print_json(found)
        return
    _print_numbers(found)
    _print_models(found["models"])
    _print_projects(found["by_project"])
    if not found["exchanges"]:
        click.echo("The archive is empty: run `sui-memory backfill` first.", err=True)


def _collect(app: App) -> dict[str, Any]:
    """Return the documented shape (docs/json.md)."""
    stored = app.store.stats()
    return {
        "database": str(app.settings.database),
        **{name: stored[name] for name in (*_COUNTED, *_SIZES)},
        "first_at": _as_utc(stored["first_at"]),
        "last_at": _as_utc(stored["last_at"]),
        "models": [
            {
                "model_id": row.model_id,
                "dim": row.dim,
                "active": row.active,
                "vectors": row.vectors,
                "pending": row.pending,
            }
            for row in app.store.models()
        ],
        "by_project": [
            {"project": project, "exchanges": count} for project, count in app.store.projects().items()
        ],
    }


def _as_utc(stored: int | str | None) -> str | None:
    return iso(datetime.fromisoformat(stored)) if isinstance(stored, str) else None


def _print_numbers(found: dict[str, Any]) -> None:
    from rich.filesize import decimal

    first, last = (
        local_day(datetime.fromisoformat(found[name]) if found[name] else None)
        for name in ("first_at", "last_at")
    )
    numbers = [(name, f"{found[name]:,}") for name in _COUNTED]
    sizes = [(name.removesuffix("_bytes"), decimal(found[name])) for name in _SIZES]
    for name, value in [*numbers, *sizes, ("first", first), ("last", last), ("file", found["database"])]:
        click.echo(f"{name:<10} {value}")


def _print_models(models: list[dict[str, Any]]) -> None:
    if not models:
        return
    click.echo()
    print_table(
        ("model", "vectors", "pending", "state"),
        [
            (
                model["model_id"],
                f"{model['vectors']:,}",
                f"{model['pending']:,}",
                "answers searches" if model["active"] else "being filled",
            )
            for model in models
        ],
        right=("vectors", "pending"),
    )


def _print_projects(projects: list[dict[str, Any]]) -> None:
    if not projects:
        return
    click.echo()
    names = project_names(project["project"] for project in projects)
    print_table(
        ("project", "exchanges"),
        [(names[each["project"]], f"{each['exchanges']:,}") for each in projects[:_TOP_PROJECTS]],
        right=("exchanges",),
    )
    if len(projects) > _TOP_PROJECTS:
        click.echo(f"and {len(projects) - _TOP_PROJECTS} more")
