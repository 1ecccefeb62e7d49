"""Checks of the hooks: whether Claude Code has them, once, and whether they can run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sui_memory.cli.checks.finding import Finding, State
from sui_memory.config import Settings

if TYPE_CHECKING:
    from sui_memory.setup import Registration

_IMPORT_SECONDS = 20
_SETUP = "run `sui-memory setup`."


def check_claude() -> Finding:
    """Say whether Claude Code is on the search path; the form of the hooks goes by its version."""
    from sui_memory.setup.handlers import claude_version, find_claude

    program = find_claude()
    if program is None:
        advice = "nothing, if you use it in an editor; else put `claude` there, then " + _SETUP
        return Finding("claude", State.NOTE, "no Claude Code is on the search path", advice)
    version = claude_version()
    if version is None:
        what, advice = f"{program} does not tell its version", f"run `{program} --version`."
        return Finding("claude", State.NOTE, what, advice)
    return Finding("claude", State.OK, f"version {'.'.join(map(str, version))}, {program}")


def check_hooks(settings: Settings) -> Iterator[Finding]:
    """Yield whether each event is hooked once, what its hook lacks, and whether hooks are switched off."""
    from sui_memory.setup import SetupError, enabled_plugin, registrations

    plugin = enabled_plugin(Path.cwd())
    try:
        found = list(registrations(Path.cwd()))
    except SetupError as error:
        advice = "mend the settings of Claude Code, then run `sui-memory setup`."
        yield Finding("hooks", State.NOTE, str(error).rstrip("."), advice)
        return
    if not found and not plugin:
        yield Finding("hooks", State.NOTE, "they are not installed: nothing happens by itself", _SETUP)
        return
    faults = [
        *_doubled(found, plugin),
        *_missing(found),
        *_mismatched(found, settings),
        *_unfit(found),
        *_elsewhere(found, settings),
    ]
    where = sorted({str(each.file) for each in found}) or [f"the plugin {plugin}"]
    yield from faults or [Finding("hooks", State.OK, f"all events, in {where[0]}")]
    yield from _switched_off()


def _doubled(found: Sequence[Registration], plugin: str | None) -> Iterator[Finding]:
    """Yield what makes one event run two hooks of ours."""
    if plugin and found:
        what = f"they are in {found[0].file} and in the plugin {plugin}, so every event runs two hooks"
        yield Finding("hooks", State.PROBLEM, what, "run `sui-memory uninstall`, which leaves the plugin.")
        return
    places: dict[tuple[Path, ...], list[str]] = {}
    for event in dict.fromkeys(each.event for each in found):
        files = [each.file for each in found if each.event == event]
        if len(files) > 1:
            places.setdefault(tuple(sorted(set(files))), []).append(event)
    yield from (_twice(events, where) for where, events in places.items())


def _twice(events: Sequence[str], where: Sequence[Path]) -> Finding:
    """Return that events have several hooks of ours, all in the same files."""
    from sui_memory.setup.handlers import SCRIPTS

    names = "every event" if set(SCRIPTS) <= set(events) else ", ".join(events)
    what = f"there are several for {names}, in {' and '.join(map(str, where))}"
    there = "run `sui-memory uninstall --project` in this folder, or take one out by hand."
    return Finding("hooks", State.PROBLEM, what, _SETUP if len(where) == 1 else there)


def _missing(found: Sequence[Registration]) -> Iterator[Finding]:
    from sui_memory.setup.handlers import SCRIPTS

    missing = [event for event in SCRIPTS if event not in {each.event for each in found}]
    if found and missing:
        yield Finding("hooks", State.PROBLEM, f"there is none for {', '.join(missing)}", _SETUP)


def _mismatched(found: Sequence[Registration], settings: Settings) -> Iterator[Finding]:
    """Yield where the hook before tools is not before those that the lessons of the archive name."""
    from sui_memory.setup.handlers import TOOL_EVENT
    from sui_memory.store.sqlite.lessons import tools_in

    own = [each for each in found if each.home == settings.home]
    hooked = {tool for each in own if each.event == TOOL_EVENT for tool in each.tools}
    named = set(tools_in(settings.database))
    if own and named - hooked:
        what = f"lessons wait for {' and '.join(sorted(named - hooked))}, and no hook is before it"
        yield Finding("hooks", State.PROBLEM, what, _SETUP)
    elif own and hooked - named:
        what = f"the hook before {' and '.join(sorted(hooked - named))} has no lesson to tell"
        yield Finding("hooks", State.NOTE, what, _SETUP)


def _unfit(found: Sequence[Registration]) -> Iterator[Finding]:
    """Yield what the hooks would run and cannot."""
    programs = [each for each in dict.fromkeys(each.python for each in found) if not os.access(each, os.X_OK)]
    scripts = [each for each in dict.fromkeys(each.script for each in found) if not os.access(each, os.R_OK)]
    if programs or scripts:
        gone = ", ".join([*programs, *_by_folder(scripts)])
        yield Finding("hooks", State.PROBLEM, f"what they run is gone: {gone}", _SETUP)
    for program in dict.fromkeys(each.starter for each in found):
        if os.access(program, os.X_OK) and not _can_import(program):
            what = f"{program} cannot import sui_memory, so the daemon does not start"
            yield Finding("hooks", State.PROBLEM, what, _SETUP)


def _by_folder(scripts: Sequence[str]) -> Iterator[str]:
    """Yield the scripts, those of one folder together."""
    folders: dict[str, list[str]] = {}
    for script in scripts:
        folder, _, name = script.rpartition("/")
        folders.setdefault(folder, []).append(name)
    for folder, names in folders.items():
        yield f"{folder}/{names[0]}" if len(names) == 1 else f"{len(names)} scripts in {folder}"


def _elsewhere(found: Sequence[Registration], settings: Settings) -> Iterator[Finding]:
    """Note hooks whose archive is not the one that is looked at here."""
    for home in dict.fromkeys(each.home for each in found):
        if home != settings.home:
            what = f"they use the archive in {home}, and here it is {settings.home}"
            yield Finding("hooks", State.NOTE, what, f"set SUI_MEMORY_HOME to {home}, or {_SETUP}")


def _can_import(program: str) -> bool:
    try:
        done = subprocess.run(  # noqa: S603 - an interpreter that Claude Code starts at every prompt
            [program, "-P", "-c", "import sui_memory.daemon"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_IMPORT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def _switched_off() -> Iterator[Finding]:
    from sui_memory.setup.notices import user_options
    from sui_memory.setup.settings_file import config_folder

    if user_options().get("disableAllHooks") is True:
        advice = f"take `disableAllHooks` out of {config_folder() / 'settings.json'}."
        yield Finding("hooks", State.PROBLEM, "Claude Code runs no hooks at all", advice)
