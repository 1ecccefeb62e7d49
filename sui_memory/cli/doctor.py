"""`sui-memory doctor`: check the installation, and say what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from sui_memory.cli.common import console, is_talkative, json_option, print_json

if TYPE_CHECKING:
    from sui_memory.cli.checks import Finding
    from sui_memory.config import Settings

_SIGNS = {"ok": ("✓", "green"), "note": ("•", "yellow"), "problem": ("✗", "bold red")}


@click.command("doctor")
@json_option
def doctor_command(as_json: bool) -> None:
    """Check versions, permissions, database, model and transcripts. Exit code 1 tells of a problem."""
    from sui_memory.cli.checks import State, examine, versions

    if is_talkative():
        click.echo("Looking at everything; a large archive takes a while.", err=True)
    settings, findings = _settings()
    findings += examine(settings)
    sound = all(finding.state is not State.PROBLEM for finding in findings)
    if as_json:
        print_json(_as_json(sound, settings, versions(), findings))
    else:
        _print(versions(), findings)
    if not sound:
        raise click.exceptions.Exit(1)


def _settings() -> tuple[Settings, list[Finding]]:
    """Return the settings; when they cannot be understood, the defaults and what is wrong."""
    import os

    from sui_memory.cli.checks import Finding, State
    from sui_memory.config import Settings, home_folder, load_settings
    from sui_memory.errors import SettingsError

    try:
        settings = load_settings()
    except SettingsError as error:
        return Settings(home_folder(os.environ)), [Finding("settings", State.PROBLEM, str(error))]
    where = str(settings.config_file) if settings.config_file.exists() else "the defaults"
    return settings, [Finding("settings", State.OK, f"from {where}")]


def _as_json(
    sound: bool, settings: Settings, versions: dict[str, str | None], findings: Sequence[Finding]
) -> dict[str, Any]:
    from sui_memory.archive import default_tools

    return {
        "sound": sound,
        "versions": versions,
        "paths": {
            "home": str(settings.home),
            "database": str(settings.database),
            "config": str(settings.config_file),
            "models": str(settings.models_dir),
            "transcripts": str(default_tools().adapter.home()),
        },
        "checks": [
            {
                "check": finding.check,
                "state": finding.state.value,
                "found": finding.found,
                "advice": finding.advice or None,
            }
            for finding in findings
        ],
    }


def _print(versions: dict[str, str | None], findings: Sequence[Finding]) -> None:
    from rich.text import Text

    shown = console()
    shown.print(", ".join(f"{name} {version or 'missing'}" for name, version in versions.items()))
    width = max(len(finding.check) for finding in findings)
    for finding in findings:
        sign, style = _SIGNS[finding.state.value]
        shown.print(Text.assemble((sign, style), f" {finding.check:<{width}}  {finding.found}"))
        if finding.advice:
            shown.print(Text(" " * (width + 4) + "→ " + finding.advice))
