"""`sui-memory setup`: archive what there is, and have Claude Code call us from now on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sui_memory.app import App
    from sui_memory.config import Settings
    from sui_memory.setup import Edit, Launcher


@click.command("setup")
@click.option(
    "--dry-run", is_flag=True, help="Show the exact change and what else would be done; do nothing."
)
@click.option("--no-backfill", is_flag=True, help="Leave the past alone: archive nothing now.")
@click.option(
    "--project",
    "only_here",
    is_flag=True,
    help="Write the hooks for the project in this folder alone; the archive is of all.",
)
def setup_command(dry_run: bool, no_backfill: bool, only_here: bool) -> None:
    """Bring the memory into Claude Code: archive the past, write the hooks, show a recall.

    Everything else in the settings stays as it is, byte for byte. Run it as often as you like, also
    after an upgrade; `sui-memory uninstall` takes it back.
    """
    from sui_memory.config import load_settings
    from sui_memory.setup import check_platform, enabled_plugin, find_launcher

    check_platform()
    settings = load_settings()
    launcher = find_launcher(settings)
    # A plugin of one project does nothing for the others.
    plugin = enabled_plugin(Path.cwd() if only_here else None)

    def plan() -> Edit:
        return _planned(launcher, plugin, only_here=only_here)

    # Planned before anything is done, so that a file that cannot be changed stops us at once.
    edit = plan()
    if dry_run:
        _announce(settings, edit, plugin, backfill=not no_backfill)
    else:
        _carry_out(settings, plan, plugin, backfill=not no_backfill)
    for notice in _notices(launcher, edit, plugin):
        click.echo(f"\n{notice}", err=True)


def _planned(launcher: Launcher, plugin: str | None, *, only_here: bool) -> Edit:
    """Return the change of the settings: where the plugin brings the hooks, none may be in them."""
    from sui_memory.setup import installation, project_settings, removal, user_settings

    file = project_settings() if only_here else user_settings()
    return removal(file) if plugin else installation(file, *launcher.forms())


def _announce(settings: Settings, edit: Edit, plugin: str | None, *, backfill: bool) -> None:
    """Show what a run would do: the diff on stdout, the rest on stderr."""
    from sui_memory.setup import projects_folder

    click.echo(edit.diff(), nl=False)
    if edit.is_empty:
        click.echo(_outcome(edit, plugin), err=True)
    if not settings.home.exists():
        click.echo(f"Would make {settings.home}.", err=True)
    if backfill:
        click.echo(f"Would archive the transcripts in {projects_folder()}.", err=True)
    click.echo("Would start the daemon. Nothing was done.", err=True)


def _carry_out(settings: Settings, plan: Callable[[], Edit], plugin: str | None, *, backfill: bool) -> None:
    from sui_memory.app import open_app
    from sui_memory.cli.embedding import embed_or_leave
    from sui_memory.setup import install, make_home, remove

    if make_home(settings):
        click.echo(f"Made {settings.home}.")
    with open_app(settings) as app:
        if backfill:
            _backfill(app)
        edit = plan()
        (remove if plugin else install)(edit)
        click.echo(_outcome(edit, plugin))
        _start_daemon(settings)
        if backfill:  # when the daemon is there to take a long job
            embed_or_leave(app, wait=False)
        _show_recall(app)


def _start_daemon(settings: Settings) -> None:
    """Start the daemon; the hooks are in place by now, and start it again and again if need be."""
    from sui_memory.daemon import client
    from sui_memory.errors import DaemonError

    try:
        is_running = client.start(settings)
    except DaemonError as error:
        click.echo(f"{error} The hooks are in place all the same: see `sui-memory doctor`.", err=True)
        return
    if is_running:
        click.echo("The daemon is running.")
    else:
        click.echo("The daemon does not answer yet: `sui-memory doctor` tells why.", err=True)


def _outcome(edit: Edit, plugin: str | None) -> str:
    """Say how the settings stand after a run."""
    path = edit.file.path
    if plugin:
        done = "is left as it is" if edit.is_empty else "has them no more, or they would run twice"
        return f"The plugin {plugin} brings the hooks: {path} {done}."
    if edit.is_empty:
        return f"The hooks are in {path} already: nothing to change."
    kept = f" As it was, it is kept in {edit.file.backup.name}." if edit.file.backup.exists() else ""
    return f"Wrote the hooks into {path}.{kept} Sessions opened from now on have them."


def _backfill(app: App) -> None:
    """Archive what Claude Code has kept; when it was never used there is nothing, which is no error."""
    from sui_memory.cli.backfill import reading, summary
    from sui_memory.setup import projects_folder

    folder = projects_folder()
    if not folder.is_dir():
        click.echo(f"No transcripts yet: {folder} does not exist.")
        return
    with reading() as on_progress:
        report = app.sync(on_progress=on_progress)
    click.echo(summary(report))


def _show_recall(app: App) -> None:
    """Show what Claude Code would be given with a prompt that the archive knows."""
    from sui_memory.cli.common import for_stdout
    from sui_memory.setup import demonstrate

    shown = demonstrate(app)
    if shown is None:
        click.echo(
            "\nNothing to recall yet. From now on every conversation is archived, and what bears on a "
            "prompt comes back with it. Try it: talk with Claude Code, then ask about it in a new session."
        )
        return
    click.echo(f"\nAsked again in a new session:\n\n  ❯ {for_stdout(' '.join(shown.prompt.split()))}\n")
    click.echo(f"Claude Code would be given:\n\n{for_stdout(shown.block)}")


def _notices(launcher: Launcher, edit: Edit, plugin: str | None) -> Iterator[str]:
    from sui_memory.setup import notices

    if plugin:
        yield from notices(None)
        return
    if launcher.without_shell is None and not edit.is_empty:
        yield "Claude Code was not found: the hooks are written in the form that every version of it reads."
    yield from notices(launcher)
