"""`sui-memory uninstall`: take the hooks out of Claude Code, and with `--purge` the archive away."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sui_memory.config import Settings
    from sui_memory.setup import Edit

_SESSIONS = "Sessions that are open may run them until they end."


@click.command("uninstall")
@click.option("--purge", is_flag=True, help="Delete the archive, its settings and the models, too.")
@click.option("--yes", is_flag=True, help="Do not ask before --purge.")
@click.option(
    "--dry-run", is_flag=True, help="Show the exact change and what else would be done; do nothing."
)
@click.option("--project", "only_here", is_flag=True, help="Only what `setup --project` did in this folder.")
def uninstall_command(purge: bool, yes: bool, dry_run: bool, only_here: bool) -> None:
    """Take the hooks out of Claude Code's settings, stop the daemon, and keep the archive.

    The settings become what they were before `setup`, byte for byte; if they were changed since, only the
    hooks go.
    """
    import os

    from sui_memory.config import Settings, home_folder
    from sui_memory.setup import project_settings, removal, remove, user_settings

    if only_here and purge:
        raise click.UsageError("--purge deletes the archive of all projects: leave --project away.")
    # Only the place matters, so that a broken config.toml does not keep anyone from leaving.
    settings = Settings(home_folder(os.environ))
    edit = removal(project_settings() if only_here else user_settings())
    if dry_run:
        _announce(settings, edit, purge=purge, only_here=only_here)
        return
    if purge and not yes and not _is_agreed(settings):
        click.echo("Nothing was changed: hooks and archive are as they were.", err=True)
        raise click.exceptions.Exit(1)
    remove(edit)
    click.echo(_done(edit))
    if not only_here:
        _leave_home(settings, purge=purge)
    _tell_of_plugin()


def _announce(settings: Settings, edit: Edit, *, purge: bool, only_here: bool) -> None:
    """Show what a run would do: the diff on stdout, the rest on stderr."""
    click.echo(edit.diff(), nl=False)
    if edit.is_empty:
        click.echo(_done(edit), err=True)
    if not only_here:
        click.echo("Would stop the daemon, if it runs.", err=True)
        for path in _doomed(settings, purge=purge):
            click.echo(f"Would delete {path}.", err=True)
    click.echo("Nothing was done.", err=True)


def _doomed(settings: Settings, *, purge: bool) -> list[Path]:
    from sui_memory.setup import belongings, traces

    return belongings(settings) if purge else traces(settings)


def _is_agreed(settings: Settings) -> bool:
    """Ask whether the archive is to go; whoever ends the question does not agree."""
    from rich.filesize import decimal

    size = settings.database.stat().st_size if settings.database.exists() else 0
    click.echo(f"This deletes the archive in {settings.home} ({decimal(size)}) for good.", err=True)
    try:
        return click.confirm("Delete it?", err=True)
    except click.Abort:
        click.echo(err=True)  # the cursor is still behind the question
        return False


def _done(edit: Edit) -> str:
    if edit.before is None:
        return f"There is no {edit.file.path}, so there are no hooks of ours."
    if edit.is_empty:
        return f"There are no hooks of ours in {edit.file.path}."
    if edit.after is None:
        return f"Deleted {edit.file.path}, which was made for the hooks. {_SESSIONS}"
    return f"Took the hooks out of {edit.file.path}. {_SESSIONS}"


def _leave_home(settings: Settings, *, purge: bool) -> None:
    """Stop the daemon and delete what it leaves, and with `purge` all that is ours."""
    from sui_memory.daemon import client
    from sui_memory.setup import delete

    was_there = settings.home.exists()
    if client.stop(settings):
        click.echo("Stopped the daemon.")
    delete(_doomed(settings, purge=purge), settings)
    if settings.database.exists():
        click.echo(f"The archive stays in {settings.home}: `sui-memory uninstall --purge` deletes it.")
    elif purge and settings.home.exists():
        left = ", ".join(sorted(path.name for path in settings.home.iterdir()))
        click.echo(f"Deleted the archive; {settings.home} holds other files ({left}) and stays.")
    elif purge and was_there:
        click.echo(f"Deleted {settings.home}.")
    elif purge:
        click.echo(f"There is no {settings.home}: nothing had to be deleted.")


def _tell_of_plugin() -> None:
    from sui_memory.setup import enabled_plugin

    plugin = enabled_plugin(Path.cwd())
    if plugin:
        click.echo(f"The plugin stays: `claude plugin uninstall {plugin}` removes it.", err=True)
