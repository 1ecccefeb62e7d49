"""`sui-memory daemon run|start|stop|status|logs`: the resident process."""

from __future__ import annotations

from collections import deque
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from sui_memory.cli.common import json_option, print_json

if TYPE_CHECKING:
    from sui_memory.config import Settings


@click.group("daemon")
def daemon_command() -> None:
    """Run, start, stop or watch the resident process that answers the hooks.

    The hooks start it when it is missing, and it ends by itself when nobody has asked for a while.
    """


@daemon_command.command("run")
def run_command() -> None:
    """Be the daemon, in the foreground, until the end."""
    from sui_memory.config import load_settings
    from sui_memory.daemon.run import run

    settings = load_settings()
    if not run(settings):
        click.echo(f"A daemon is running for {settings.home} already.", err=True)


@daemon_command.command("start")
def start_command() -> None:
    """Start the daemon in the background, unless it runs."""
    from sui_memory.daemon import client
    from sui_memory.errors import DaemonError

    settings = _settings()
    if not client.start(settings):
        raise DaemonError(
            f"The daemon did not come up: `sui-memory daemon run` shows why, or {settings.home}/daemon.log."
        )
    click.echo("The daemon is running.")


@daemon_command.command("stop")
def stop_command() -> None:
    """End the daemon. The next hook starts it again."""
    from sui_memory.daemon import client

    click.echo("The daemon has ended." if client.stop(_settings()) else "No daemon was running.")


@daemon_command.command("status")
@json_option
def status_command(as_json: bool) -> None:
    """Show whether the daemon runs and what it is doing. Exit code 1 when it does not."""
    from sui_memory.daemon import client

    settings = _settings()
    status = client.status(settings)
    if as_json:
        print_json(status or {"running": False})
    elif status is None:
        click.echo("No daemon is running; the next hook starts it.")
    else:
        click.echo(_described(status))
    if status is None:
        raise click.exceptions.Exit(1)


@daemon_command.command("logs")
@click.option("--lines", type=click.IntRange(1), default=50, show_default=True, help="At most this many.")
def logs_command(lines: int) -> None:
    """Show the end of the daemon's log. It never holds what was said."""
    from sui_memory.daemon.place import LOG_NAME

    path = _settings().home / LOG_NAME
    if not path.exists():
        click.echo(f"There is no log at {path} yet.", err=True)
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        click.echo("".join(deque(file, maxlen=lines)), nl=False)


def _settings() -> Settings:
    from sui_memory.config import load_settings

    return load_settings()


def _described(status: dict[str, Any]) -> str:
    """Return a daemon's status for a person."""
    uptime = timedelta(seconds=int(status["uptime_seconds"]))
    models = ", ".join(status["models"]) or "none loaded yet"
    return (
        f"Running as process {status['pid']} for {uptime}, version {status['version']}, "
        f"{status['resident_bytes'] / 1e6:.0f} MB; model: {models}.\n"
        f"Doing {status['doing']}; {status['waiting']} things wait."
    )
