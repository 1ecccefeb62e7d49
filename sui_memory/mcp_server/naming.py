"""What a model calls things by: a project by the end of its path, a time by its day."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

from sui_memory.errors import NotFoundError, UsageError
from sui_memory.mcp_server.library import Library
from sui_memory.transcript.project import project_of


def project_named(library: Library, name: str | None) -> str | None:
    """Return the project that a path or the end of one names; none or several is a `NotFoundError`."""
    if name is None:
        return None
    projects = library.app.store.projects()
    if name.startswith((".", "/", "~")):
        name = project_of(os.path.normpath(os.path.join(library.folder, os.path.expanduser(name))))
    if name in projects:
        return name
    found = sorted(project for project in projects if project.endswith("/" + name.strip("/")))
    if len(found) == 1:
        return found[0]
    if found:
        raise NotFoundError(f"Several projects are called {name!r}: give the whole path of one.")
    raise NotFoundError(f"No project is called {name!r}: leave it out to search all.")


def moment(text: str | None, *, is_end: bool = False) -> datetime | None:
    """Return a time: an ISO date or time, or `30d` for so many days ago; with `is_end` a day's end.

    What has no time zone is local; what cannot be understood is a `UsageError`.
    """
    if text is None:
        return None
    try:
        if text.endswith("d") and text[:-1].isdigit():
            return _day(datetime.now().astimezone() - timedelta(days=int(text[:-1])), is_end)
        said = datetime.fromisoformat(text)
        return _day(said, is_end) if len(text) == len("2026-01-31") else said.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{text!r} is no date: give YYYY-MM-DD, or 30d for 30 days ago.") from error


def _day(said: datetime, is_end: bool) -> datetime:
    day = said.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    return (day + timedelta(days=is_end)).astimezone(UTC)
