"""The command line: one file for each command, imported only when it is called.

Data goes to stdout, talk to stderr; exit code 1 is trouble, 2 a wrong call.
"""

from __future__ import annotations

import importlib
import os
import sys
from io import TextIOWrapper

import click

from sui_memory.errors import SuiMemoryError

COMMANDS = {
    "setup": "Bring the memory into Claude Code.",
    "backfill": "Archive every transcript of Claude Code.",
    "search": "Find memories by words, parts of words and meaning.",
    "show": "Show a memory and what was said around it.",
    "sessions": "List the archived conversations.",
    "stats": "Count what is archived.",
    "chunks": "Show what would be stored of transcript files.",
    "edit": "Replace the text of a memory.",
    "pin": "Mark a memory as yours: a resync never drops it.",
    "unpin": "Take the mark away.",
    "log": "List what was shown to which session.",
    "why": "Explain why memories were shown to a session.",
    "lesson": "Keep rules that are told when they come up: if this, then that.",
    "remind": "Have something told when a word comes up, or at a time.",
    "never": "Keep a memory from being shown again.",
    "forget": "Delete memories for good.",
    "scrub": "Apply today's redaction rules to what is stored.",
    "export": "Write the archive as JSON lines or Markdown.",
    "import": "Read an export into the archive.",
    "import-memory": "Take in notes, chats and memories from elsewhere.",
    "sleep": "Merge, fade and let go of what was kept on purpose.",
    "rebuild": "Make exchanges and indexes anew from the raw archive.",
    "model": "Show, choose, download or export the embedding model.",
    "mcp": "Serve the memory to any client of the Model Context Protocol.",
    "daemon": "Run, start, stop or watch the resident process.",
    "uninstall": "Take the hooks out again; the archive stays.",
    "doctor": "Check the installation and say what to do.",
    "demo": "See it work on example sessions, without touching your home.",
}
"""Name and one line of help of every command: the list must not import them."""


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import `cli/<name>_.py` where the name is a Python word, else `cli/<name>.py`; a hyphen is `_`."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        module = {"import": "import_", "unpin": "pin"}.get(name, name)
        command = getattr(importlib.import_module(f"sui_memory.cli.{module}"), f"{name}_command")
        assert isinstance(command, click.Command)  # noqa: S101 - the table and the modules are ours
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names; one that is none is told which it is like."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"No such command {args[0]!r}.{_suggestion(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _suggestion(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


@click.group(
    cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="sui-memory", prog_name="sui-memory")
@click.pass_context
def cli(context: click.Context) -> None:
    """Keep and find everything you said with Claude Code, in one local file."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> None:
    """Run the command line; every error becomes one sentence on stderr."""
    _print_anything()
    try:
        code = cli.main(prog_name="sui-memory", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except SuiMemoryError as error:
        from sui_memory.cli.common import printable

        click.echo(f"Error: {printable(str(error))}", err=True)
        sys.exit(1)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped. What was stored is kept; run the command again to go on.", err=True)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        click.echo(f"Error: {error.strerror or error}: what was asked for could not be written.", err=True)
        _give_up_stdout()
        sys.exit(1)


def _give_up_stdout() -> None:
    """Keep the interpreter from flushing once more, and failing once more, at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _print_anything() -> None:
    """Let a terminal of a poorer encoding show a question mark, and a closed stream nothing."""
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - it lives as long as we
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
