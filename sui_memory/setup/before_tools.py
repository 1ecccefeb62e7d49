"""The hook before tools: put in when the first lesson names a tool, and taken out with the last."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sui_memory.setup.edit import Edit, adjustment, install
from sui_memory.setup.handlers import TOOL_EVENT, is_tool_hook, serves, tool_groups
from sui_memory.setup.registration import registrations
from sui_memory.setup.settings_file import project_settings, user_settings
from sui_memory.setup.splice import own_groups, with_hooks, without_hooks


def hook_tools(tools: Sequence[str], home: Path, project: Path | None = None) -> list[Edit]:
    """Have these tools alone hooked wherever hooks of a home folder are, and return the changes it took.

    That is in the user's settings and in those of the project folder; hooks that serve another archive stay
    as they are. `SetupError` when a file cannot be changed; those before it are.
    """
    files = {file.path: file for file in (user_settings(), project_settings(project))}
    edits = [adjustment(file, lambda text: with_tools(text, tools, home)) for file in files.values()]
    changes = [edit for edit in edits if not edit.is_empty]
    for edit in changes:
        install(edit)
    return changes


def with_tools(text: str, tools: Sequence[str], home: Path) -> str:
    """Return settings with the hook of a home folder before these tools, like its other hooks."""
    prompts = own_groups(text, lambda handler: serves(handler, home)).get("UserPromptSubmit", {"hooks": []})
    ours = [handler for handler in prompts["hooks"] if serves(handler, home)]
    groups = tool_groups({"hooks": ours[:1]}, tools) if ours else {}
    if groups:
        return with_hooks(text, groups, lambda handler: is_tool_hook(handler) and serves(handler, home))
    return without_hooks(text, lambda handler: is_tool_hook(handler) and serves(handler, home))


def hooks_tools(home: Path, project: Path | None = None) -> bool:
    """Say whether a hook of a home folder before tools holds in a project folder."""
    found = registrations(project or Path.cwd())
    return any(each.event == TOOL_EVENT and each.home == home for each in found)


def other_home(home: Path, project: Path | None = None) -> Path | None:
    """Return whose archive the hooks serve that hold in a project folder; None where some serve `home`."""
    homes = [each.home for each in registrations(project or Path.cwd())]
    return None if home in homes else next(iter(homes), None)
