"""Tools about lessons: if this comes up, then do that."""

from __future__ import annotations

from typing import Annotated, Any

from sui_memory.mcp_server.keeping import Importance
from sui_memory.mcp_server.library import Library
from sui_memory.mcp_server.naming import project_named
from sui_memory.mcp_server.showing import BUDGET, bounded, counted, fenced, json_units, name
from sui_memory.mcp_server.tool import Result, Tool
from sui_memory.store.lessons import Lesson

_FRAME = 40  # units of what the data has around the two


def add_lesson(
    library: Library,
    action: str,
    keywords: tuple[str, ...] = (),
    pattern: Annotated[str | None, "regular expression"] = None,
    project: str | None = None,
    tool: Annotated[str | None, "checked before this tool runs, e.g. Bash"] = None,
    priority: Importance = 3,
    source_id: str | None = None,
) -> Result:
    """Keep a rule (when this comes up, do that); use it after a mistake that must not happen again."""
    from sui_memory.mind.lessons import add_lesson as add
    from sui_memory.redaction import redact

    source = library.mind.get(source_id).id if source_id else None
    lesson = Lesson(action, keywords, pattern, project, tool, priority, source)
    kept = add(library.app.store.lessons, lesson, redact=redact)
    hooked = _hooked(library) if kept.tool else ""
    return Result(f"Lesson {kept.id} is kept.{hooked}", _row(kept))


def _hooked(library: Library) -> str:
    """Have Claude Code ask before the tools that lessons name, and say what came of it."""
    from sui_memory.errors import SuiMemoryError
    from sui_memory.mind.lessons import tools_of
    from sui_memory.setup import hook_tools, hooks_tools, other_home

    try:
        home = library.app.settings.home
        hook_tools(tools_of(library.app.store.lessons), home)
        is_hooked, other = hooks_tools(home), other_home(home)
    except (SuiMemoryError, OSError) as error:
        return f" It is not told yet: {error}"
    if is_hooked:
        return " Sessions of Claude Code opened from now on are told it before the tool runs."
    if other:
        return " It is not told: the hooks in Claude Code's settings serve another archive."
    return " It is told once `sui-memory setup` has put the hooks into Claude Code's settings."


def list_lessons(library: Library, project: str | None = None) -> Result:
    """List the rules learnt so far, the most important first; use it before you add one or start a task."""
    from sui_memory.mind.lessons import list_lessons as listed

    lessons = listed(library.app.store.lessons, project_named(library, project))
    lead = (
        f"{counted(len(lessons), 'lesson')}." if lessons else "There is no lesson yet: add_lesson adds one."
    )
    rows = bounded([_row(lesson) for lesson in lessons], BUDGET // 2)
    block = fenced(list(map(_told, lessons[: len(rows)])), BUDGET - json_units(rows) - len(lead) - _FRAME)
    return Result("\n".join(filter(None, [lead, block])), {"lessons": rows, "recalled": block})


def _row(lesson: Lesson) -> dict[str, Any]:
    row = {
        "id": lesson.id,
        "priority": lesson.priority,
        "fired": lesson.fired,
        "tool": lesson.tool and name(lesson.tool),
        "project": lesson.project and name(lesson.project),
        "source_id": lesson.source_id,
    }
    return {key: value for key, value in row.items() if value is not None}


def _told(lesson: Lesson) -> str:
    triggers = [*lesson.keywords, *([f"/{lesson.pattern}/"] if lesson.pattern else [])]
    where = f" before {lesson.tool}" if lesson.tool else ""
    return f"- {lesson.id} · priority {lesson.priority} · if {' or '.join(triggers)}{where}: {lesson.action}"


TOOLS = (Tool(add_lesson), Tool(list_lessons, reads=True))
