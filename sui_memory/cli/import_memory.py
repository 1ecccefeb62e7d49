"""`sui-memory import-memory PATH…`: take in what was kept or said elsewhere."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sui_memory.cli.common import find_project, json_option, print_json, printable

if TYPE_CHECKING:
    from sui_memory.app import App
    from sui_memory.foreign import Imported

_CATEGORIES = ["daily", "philosophical", "technical", "memory", "observation", "feeling", "conversation"]


@click.command("import-memory")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--project", metavar="NAME", help="Whose it is: a folder, or the end of an archived project's path."
)
@click.option(
    "--category",
    type=click.Choice(_CATEGORIES),
    default="memory",
    show_default=True,
    help="Of notes without one.",
)
@click.option("--dry-run", is_flag=True, help="Count what would be stored, and store nothing.")
@json_option
def import_memory_command(
    paths: tuple[Path, ...], project: str | None, category: str, dry_run: bool, as_json: bool
) -> None:
    """Take in memories from elsewhere: each PATH is a file, or a folder of notes.

    Markdown notes (a memory for each section), the exports of ChatGPT and Claude.ai (conversations.json, or
    the whole .zip), and the SQLite or Chroma file of a memory server. Files are only read, and secrets are
    masked. Importing twice adds nothing, and a changed section replaces the old one.
    """
    from sui_memory.app import open_app
    from sui_memory.cli.embedding import embed_changed
    from sui_memory.config import load_settings
    from sui_memory.foreign import import_memories, read_all
    from sui_memory.store.kept import Category, Note

    with open_app(load_settings()) as app:
        owner = _owner(app, project)
        result = import_memories(
            read_all(paths, Note(category=Category(category)), owner or None),
            store=app.store,
            analyzer=app.analyzer,
            project=owner,
            dry_run=dry_run,
        )
        if not dry_run:
            embed_changed(app)
    for problem in result.problems:
        click.echo(f"Left out: {printable(problem)}", err=True)
    if as_json:
        print_json({**asdict(result), "dry_run": dry_run})
    else:
        click.echo(_summary(result, dry_run=dry_run))
    if result.problems and not result.files:
        raise click.exceptions.Exit(1)


def _owner(app: App, name: str | None) -> str:
    """Return the project that a folder or the end of a path names; "" for none."""
    if name is None:
        return ""
    folder = Path(name).expanduser()
    return app.tools.project_of(str(folder.resolve())) if folder.is_dir() else find_project(app, name) or ""


def _summary(result: Imported, *, dry_run: bool) -> str:
    parts = [f"{result.new:,} new", f"{result.changed:,} changed", f"{result.existing:,} already there"]
    if result.forgotten:
        parts.append(f"{result.forgotten:,} left out because you had them forgotten")
    read = f"{result.notes:,} notes and {result.exchanges:,} exchanges of {result.files:,} files"
    if result.links or result.episodes:
        parts.append(f"{result.links:,} links and {result.episodes:,} episodes added")
    text = f"{'Would store of' if dry_run else 'Read'} {read}: {', '.join(parts)}."
    return text + (f" Secrets masked: {result.values:,}." if result.values else "")
