"""`sui-memory lesson`: what was learnt, told when it comes up again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from sui_memory.cli.common import (
    console,
    find_memory,
    find_project,
    for_stdout,
    iso,
    json_option,
    local_day,
    make_scope,
    open_archive,
    print_json,
    print_table,
    printable,
    scope_options,
)

if TYPE_CHECKING:
    from sui_memory.app import App
    from sui_memory.mind.suggesting import Candidate
    from sui_memory.store.lessons import Lesson

_PARTS = (
    click.option("--if", "keywords", metavar="WORD", multiple=True, help="A trigger; as many as you like."),
    click.option("--pattern", metavar="REGEX", help=r"A trigger; \w and \b know ASCII letters."),
    click.option("--project", metavar="NAME", help="Only in this project: its folder, or its name."),
    click.option(
        "--tool", metavar="NAME", help="Check before this tool runs (Bash, Edit …), not in prompts."
    ),
    click.option("--priority", type=int, metavar="1-5", help="5 is told first; 3 is usual."),
    click.option("--source", metavar="ID", help="The memory that it comes from."),
)


def _parts(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_PARTS):
        function = option(function)
    return function


@click.group("lesson")
def lesson_command() -> None:
    """Keep rules of the kind “if this comes up, then do that”, told to Claude when it comes up.

    They are told above recalled memories, two at most with a prompt, and once in a session until it is
    compacted. Keywords are whole words in Latin letters and anywhere in Japanese, in any case and width.
    """


@lesson_command.command("add")
@click.argument("action")
@_parts
def add_command(action: str, **parts: Any) -> None:
    """Have ACTION told when a trigger comes up.

    It does when it is in a prompt, or with --tool in what that tool is about to do. The hook before a tool is
    in Claude Code's settings as long as a lesson names the tool.
    """
    from sui_memory.mind.lessons import add_lesson
    from sui_memory.redaction import redact
    from sui_memory.store.lessons import Lesson

    with open_archive() as app:
        hooked = _tools(app)
        lesson = _with_parts(app, Lesson(action), parts)
        stored = add_lesson(app.store.lessons, lesson, redact=redact)
        click.echo(f"Lesson {stored.id}: {for_stdout(sentence(stored))}")
        _hook_tools(app, hooked)


@lesson_command.command("list")
@click.option("--project", metavar="NAME", help="Only those that hold in this project.")
@json_option
def list_command(project: str | None, as_json: bool) -> None:
    """List the lessons, the highest priority first."""
    from sui_memory.mind.lessons import list_lessons

    with open_archive() as app:
        lessons = list_lessons(app.store.lessons, _project(app, project))
    if as_json:
        print_json({"lessons": [lesson_json(lesson) for lesson in lessons]})
    elif lessons:
        print_table(
            ("id", "priority", "told", "last", "lesson"),
            [
                (
                    str(each.id),
                    str(each.priority),
                    str(each.fired),
                    local_day(each.fired_at) if each.fired_at else "never",
                    sentence(each),
                )
                for each in lessons
            ],
            right=("id", "priority", "told"),
        )
    if not lessons:
        click.echo("There are no lessons yet: `sui-memory lesson suggest` looks for some.", err=True)


@lesson_command.command("edit")
@click.argument("lesson_id", metavar="ID", type=int)
@click.option("--action", metavar="TEXT", help="What is to be done.")
@_parts
def edit_command(lesson_id: int, action: str | None, **parts: Any) -> None:
    """Change parts of the lesson ID.

    What is not given stays; an empty text takes a part away (`--tool ''`).
    """
    from sui_memory.mind.lessons import edit_lesson, find_lesson
    from sui_memory.redaction import redact

    with open_archive() as app:
        hooked = _tools(app)
        lesson = find_lesson(app.store.lessons, lesson_id)
        changed = _with_parts(app, lesson if action is None else replace(lesson, action=action), parts)
        stored = edit_lesson(app.store.lessons, changed, redact=redact)
        click.echo(f"Lesson {stored.id}: {for_stdout(sentence(stored))}")
        _hook_tools(app, hooked)


@lesson_command.command("remove")
@click.argument("lesson_ids", metavar="ID...", nargs=-1, type=int, required=True)
def remove_command(lesson_ids: tuple[int, ...]) -> None:
    """Delete the lessons called ID.

    All of them, or none when one cannot be found.
    """
    from sui_memory.mind.lessons import find_lesson

    with open_archive() as app:
        hooked = _tools(app)
        for each in dict.fromkeys(find_lesson(app.store.lessons, each).id for each in lesson_ids):
            app.store.lessons.remove(each)
        click.echo(f"Removed: {', '.join(map(str, dict.fromkeys(lesson_ids)))}.")
        _hook_tools(app, hooked)


@lesson_command.command("test")
@click.argument("text")
@click.option("--project", metavar="NAME", help="As if asked in this project.")
@click.option("--tool", metavar="NAME", help="As if TEXT were what this tool is about to do.")
@json_option
def test_command(text: str, project: str | None, tool: str | None, as_json: bool) -> None:
    """Show what TEXT would have told.

    That is in a session that was told nothing yet. Nothing is counted. Lessons that TEXT would call up
    before a tool are named; --tool shows what they say.
    """
    from sui_memory.app import utc_now
    from sui_memory.cli.remind import reminder_json
    from sui_memory.cli.remind import sentence as reminded

    with open_archive() as app:
        where = _project(app, project)
        if tool is None:
            telling, waiting = app.rules.for_prompt(text, where, utc_now()), _waiting(app, text, where)
        else:
            telling, waiting = app.rules.for_tool(tool, text, where), []
    if as_json:
        print_json(
            {
                "lessons": [lesson_json(lesson) for lesson in telling.lessons],
                "reminders": [reminder_json(reminder) for reminder in telling.reminders],
            }
        )
        return
    for line in [*map(sentence, telling.lessons), *map(reminded, telling.reminders)]:
        click.echo(for_stdout(line))
    if not telling:
        click.echo("Nothing would be told.", err=True)
    for each in waiting:
        click.echo(f"lesson {each.id} waits for {each.tool}")


def _waiting(app: App, text: str, project: str | None) -> list[Lesson]:
    """Return the lessons that a text would call up before the tools that they name."""
    return [lesson for tool in _tools(app) for lesson in app.rules.for_tool(tool, text, project).lessons]


@lesson_command.command("import")
@click.argument("file", type=click.File("rb"))
def import_command(file: BinaryIO) -> None:
    """Store the lessons of a JSON registry.

    Those that are there already are passed over. FILE (`-` for stdin) is a list of objects, or of the shape
    {"lessons": [...]}, with keywords (or trigger, if), action (or then), priority (or importance), project,
    tool and pattern. Entries that make no sense are left out, each with a sentence; then the exit code is 1.
    """
    from sui_memory.mind.registry import add_new, read_registry
    from sui_memory.redaction import redact

    with open_archive() as app:
        hooked = _tools(app)
        lessons, problems = read_registry(file.read(), redact)
        stored = add_new(app.store.lessons, lessons)
        click.echo(f"Imported {len(stored):,} lessons; {len(lessons) - len(stored):,} were there already.")
        _hook_tools(app, hooked)
    for problem in problems:
        click.echo(for_stdout(problem), err=True)
    if problems:
        raise click.exceptions.Exit(1)


@lesson_command.command("export")
def export_command() -> None:
    """Write all lessons as a JSON registry."""
    from sui_memory.mind.registry import registry_of

    with open_archive() as app:
        print_json(registry_of(app.store.lessons.lessons()))


@lesson_command.command("suggest")
@scope_options("project", "since", "until")
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="At most this many.")
@json_option
def suggest_command(limit: int, as_json: bool, **options: Any) -> None:
    """Show what in the archive could be a lesson.

    That is what failed and was mended, and what you had to correct. Candidates come from the archive by
    rule, with the memory that each comes from. Nothing is added.
    """
    from sui_memory.mind.suggesting import suggest

    with open_archive() as app:
        found = suggest(app.store.scan(make_scope(app, options)), limit=limit)
    if as_json:
        print_json({"candidates": [_candidate_json(each) for each in found]})
        return
    for each in found:
        _print_candidate(each)
    if not found:
        click.echo("Nothing in the archive looks like a lesson.", err=True)


def sentence(lesson: Lesson) -> str:
    """Return a lesson as a person reads it, on one line."""
    from sui_memory.mind.patterns import shown

    triggers = [*map(printable, lesson.keywords), *([shown(lesson.pattern)] if lesson.pattern else [])]
    where = f" before {lesson.tool}" if lesson.tool else ""
    own = f" in {printable(lesson.project)}" if lesson.project else ""
    action = printable(lesson.action)
    return f"if {' or '.join(triggers)}{where}{own}, then {action} (priority {lesson.priority})"


def lesson_json(lesson: Lesson) -> dict[str, Any]:
    """Return a lesson as `lesson list --json` prints it."""
    return {
        "id": lesson.id,
        "keywords": list(lesson.keywords),
        "pattern": lesson.pattern,
        "action": lesson.action,
        "priority": lesson.priority,
        "project": lesson.project,
        "tool": lesson.tool,
        "source": lesson.source_id,
        "fired": lesson.fired,
        "fired_at": iso(lesson.fired_at),
        "created_at": iso(lesson.created_at),
    }


def _with_parts(app: App, lesson: Lesson, parts: dict[str, Any]) -> Lesson:
    """Return the lesson with the parts that were given; an empty text takes a part away."""
    given: dict[str, Any] = {
        name: parts[name] or None for name in ("pattern", "tool") if parts[name] is not None
    }
    if parts["keywords"]:
        given["keywords"] = tuple(word for word in parts["keywords"] if word or len(parts["keywords"]) > 1)
    if parts["project"] is not None:
        given["project"] = _project(app, parts["project"] or None)
    if parts["priority"] is not None:
        given["priority"] = parts["priority"]
    if parts["source"] is not None:
        given["source_id"] = find_memory(app, parts["source"]) if parts["source"] else None
    return replace(lesson, **given)


def _project(app: App, name: str | None) -> str | None:
    """Return the project that a name means; one that nothing is archived of yet is taken at its word."""
    from sui_memory.errors import NotFoundError
    from sui_memory.transcript.project import project_of

    try:
        return find_project(app, name)
    except NotFoundError:
        is_path = name is not None and name.startswith((".", "/", "~"))
        return project_of(str(Path(name or "").expanduser().resolve())) if is_path else name


def _tools(app: App) -> list[str]:
    from sui_memory.mind.lessons import tools_of

    return tools_of(app.store.lessons)


def _hook_tools(app: App, before: Sequence[str]) -> None:
    """Have Claude Code call us before the tools that lessons name now, and say what was changed for it."""
    home, after = app.settings.home, _tools(app)
    if not before and not after:
        return
    from sui_memory.setup import hook_tools, hooks_tools

    for edit in hook_tools(after, home):
        what = f"Claude Code asks before {' and '.join(after)}" if after else "No tool waits for us any more"
        click.echo(f"{what}: wrote {edit.file.path}. Sessions opened from now on know it.")
    if after and not hooks_tools(home):
        click.echo(_why_unhooked(home), err=True)


def _why_unhooked(home: Path) -> str:
    """Say why nothing is told before a tool runs, and what to do."""
    from sui_memory.setup import enabled_plugin, other_home

    if other := other_home(home):
        return (
            f"The hooks in Claude Code's settings serve the archive in {other}, and were left alone: "
            f"to have them serve the one in {home}, run `sui-memory setup`."
        )
    if plugin := enabled_plugin(Path.cwd()):
        return (
            f"The plugin {plugin} has no hook before tools, so nothing is told before one runs: take it out "
            "and run `sui-memory setup`."
        )
    return "The hooks are not in Claude Code's settings yet: run `sui-memory setup`."


def _candidate_json(candidate: Candidate) -> dict[str, Any]:
    return {
        "kind": candidate.kind,
        "keywords": list(candidate.keywords),
        "action": candidate.action,
        "source": candidate.source_id,
        "times": candidate.times,
    }


def _print_candidate(candidate: Candidate) -> None:
    words = " ".join(f"--if {word!r}" for word in candidate.keywords)
    seen = f", {candidate.times} times" if candidate.times > 1 else ""
    text = f"{candidate.source_id} ({candidate.kind}{seen})\n  if {', '.join(candidate.keywords)}"
    console().print(for_stdout(f"{text}\n  then {candidate.action}\n  add: lesson add {words} …"))
