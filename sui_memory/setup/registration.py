"""Which of our hooks Claude Code will run, as its settings files have them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sui_memory.setup.handlers import home_of, is_ours, script_index, words_of
from sui_memory.setup.settings_file import SettingsFile, project_settings, user_settings
from sui_memory.setup.splice import matched_handlers_in, read_settings


@dataclass(frozen=True, slots=True)
class Registration:
    """A handler of ours in a settings file: its event, and what it runs.

    `starter` is the interpreter that starts the daemon, `home` the archive's folder, `tools` are those that
    it is limited to.
    """

    file: Path
    event: str
    python: str
    script: str
    starter: str
    home: Path
    tools: tuple[str, ...] = ()


def registrations(project: Path) -> Iterator[Registration]:
    """Yield the handlers of ours that hold in a project folder; `SetupError` if a file cannot be read."""
    shared = SettingsFile(project / ".claude" / "settings.json")
    # In a home folder that is a project, too, its shared settings are the user's.
    paths = {file.path: file for file in (user_settings(), shared, project_settings(project))}
    for file in paths.values():
        text = file.read_text()
        for event, matcher, handler in matched_handlers_in(read_settings(text)) if text is not None else ():
            words = words_of(handler)
            at = script_index(words)
            if at is not None and is_ours(handler):
                yield _registration(file.path, event, words, at, matcher)


def _registration(file: Path, event: str, words: list[str], at: int, matcher: object) -> Registration:
    """Return what the words of a command say; the script is the one `at` a place among them."""
    starter = words[at + 1] if len(words) > at + 1 else words[0]
    tools = tuple(matcher.split("|")) if isinstance(matcher, str) and matcher else ()
    return Registration(file, event, words[0], words[at], starter or words[0], home_of(words, at), tools)
