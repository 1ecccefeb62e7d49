"""The hook before tools: put in when the first lesson names a tool, and taken out with the last."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sui_memory.setup.edit import Edit, adjustment, install
from sui_memory.setup.handlers import TOOL_EVENT, is_ours, is_tool_hook, tool_groups
from sui_memory.setup.registration import registrations
from sui_memory.setup.settings_file import project_settings, user_settings
from sui_memory.setup.splice import own_groups, with_hooks, without_hooks


def hook_tools(tools: Sequence[str], project: Path | None = None) -> list[Edit]:
    """Have these tools alone hooked wherever hooks of ours are, and return the changes that this took.

    That is in the user's settings and in those of the project folder. `SetupError` when a file cannot be
    changed; those before it are.
    """
    files = {file.path: file for file in (user_settings(), project_settings(project))}
    edits = [adjustment(file, lambda text: with_tools(text, tools)) for file in files.values()]
    changes = [edit for edit in edits if not edit.is_empty]
    for edit in changes:
        install(edit)
    return changes


def with_tools(text: str, tools: Sequence[str]) -> str:
    """Return settings with our hook before these tools, like our other hooks; without those, as they are."""
    prompts = own_groups(text, is_ours).get("UserPromptSubmit", {"hooks": []})
    ours = [handler for handler in prompts["hooks"] if is_ours(handler)]
    groups = tool_groups({"hooks": ours[:1]}, tools) if ours else {}
    if groups:
        return with_hooks(text, groups, is_tool_hook)
    return without_hooks(text, is_tool_hook)


def hooks_tools(project: Path | None = None) -> bool:
    """Say whether a hook of ours before tools holds in a project folder."""
    found = registrations(project or Path.cwd())
    return any(each.event == TOOL_EVENT for each in found)
