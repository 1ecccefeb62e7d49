"""`sui-memory why [ID]`: why these memories were shown, or when and to whom a memory was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from sui_memory.cli.common import (
    find_memory,
    iso,
    json_option,
    local_day,
    local_minute,
    open_archive,
    print_json,
    print_table,
    printable,
    project_names,
)
from sui_memory.cli.log import injection_json, outcome
from sui_memory.cli.stages import stage_table

if TYPE_CHECKING:
    from sui_memory.app import App
    from sui_memory.store.ledger import Injection, Shown
    from sui_memory.types import Memory

_TIMES = 20
"""Injections of a memory that are listed, the newest."""


@click.command("why")
@click.argument("name", metavar="[ID]", required=False)
@json_option
def why_command(name: str | None, as_json: bool) -> None:
    """Explain why memories were shown: the last ones, those of a number in the log, or the one called ID."""
    with open_archive() as app:
        if name is None or name.isdecimal():
            _explain_injection(app, _find_injection(app, name), as_json=as_json)
        else:
            _explain_memory(app, find_memory(app, name), as_json=as_json)


def _find_injection(app: App, number: str | None) -> Injection:
    from sui_memory.errors import NotFoundError

    if number is None:
        last = app.store.ledger.injections(1, silent=False)
        if not last:
            raise NotFoundError("Nothing was shown to a session yet: `sui-memory log --all` tells why not.")
        return last[0]
    # SQLite knows no larger number.
    found = app.store.ledger.injection(int(number)) if len(number) < len(str(2**63)) else None
    if found is None:
        raise NotFoundError(f"The log has no number {number}: `sui-memory log --all` lists those it has.")
    return found


def _explain_injection(app: App, injection: Injection, *, as_json: bool) -> None:
    noted = (*injection.memories, *injection.refused)
    memories = {memory.id: memory for memory in app.store.get([one.memory_id for one in noted])}
    if as_json:
        print_json(_injection_json(injection, memories))
        return
    click.echo(_headline(injection))
    click.echo(_summary(injection))
    names = project_names({memory.exchange.project for memory in memories.values()})
    for place, shown in enumerate(injection.memories, 1):
        memory = memories[shown.memory_id]
        click.echo(f"\n{place}. {_facts(memory, names[memory.exchange.project])}")
        click.echo(_indented(stage_table(shown.trace, shown.score, place)))
    if injection.forgotten:
        click.echo(f"\n{_forgotten(injection.forgotten)}")
    if injection.refused:
        _print_refused(injection.refused, memories, names)


def _injection_json(injection: Injection, memories: Mapping[str, Memory]) -> dict[str, Any]:
    found = injection_json(injection)
    for shown in (*found["memories"], *found["refused"]):
        shown.update(brief_json(memories[shown["id"]]))
    return found


def brief_json(memory: Memory) -> dict[str, Any]:
    """Return a memory in short as `why --json` and `never --json` print it."""
    exchange = memory.exchange
    return {
        "id": memory.id,
        "asked_at": iso(exchange.asked_at),
        "project": exchange.project,
        "question": exchange.question,
        "muted": memory.muted,
    }


def _headline(injection: Injection) -> str:
    event, session = printable(injection.event), printable(injection.session)
    return f"{injection.id}  {local_minute(injection.at)}  {event}  session {session}"


def _summary(injection: Injection) -> str:
    took = f"{injection.milliseconds:.0f} ms"
    if not injection.memories and not injection.forgotten:
        return f"Showed {printable(outcome(injection))}; {took}."
    count = len(injection.memories) + injection.forgotten
    shown = f"Showed {count} {_memories(count)} in {injection.characters:,} characters"
    return f"{shown}, {_ranked_by(injection)}; {took}."


def _memories(count: int) -> str:
    return "memory" if count == 1 else "memories"


def _ranked_by(injection: Injection) -> str:
    if injection.model:
        return f"ranked by words, parts of words, and meaning ({injection.model})"
    if injection.late:
        return "ranked by words and parts of words, because the model came too late"
    return "without a model"


def _facts(memory: Memory, project: str) -> str:
    from sui_memory.context import short_question

    known = [memory.id, local_day(memory.exchange.asked_at), printable(project), *memory.marks]
    return f"{'  '.join(known)}\n   ❯ {printable(short_question(memory.exchange))}"


def _print_refused(
    refused: Sequence[Shown], memories: Mapping[str, Memory], names: Mapping[str, str]
) -> None:
    """Tell what a silence nearly showed: how much spoke for it, and how to see it."""
    first = refused[0].memory_id
    click.echo(
        f"\nFound, but with too little evidence to be shown (`sui-memory show {first}` shows the first):"
    )
    for one in refused:
        memory = memories[one.memory_id]
        click.echo(f"\n-  {_facts(memory, names[memory.exchange.project])}")
        click.echo(_indented(stage_table(one.trace, one.score)))


def _indented(lines: Sequence[str]) -> str:
    return "\n".join(f"   {line}" for line in lines)


def _forgotten(count: int) -> str:
    was = "was" if count == 1 else "were"
    return f"{count} {_memories(count)} that {was} shown here {was} forgotten since."


def _explain_memory(app: App, memory_id: str, *, as_json: bool) -> None:
    (memory,) = app.store.get([memory_id])
    injections = app.store.ledger.of_memory(memory_id, _TIMES)
    if as_json:
        rows = [injection_json(injection) for injection in injections]
        print_json({"memory": brief_json(memory), "injections": rows})
        return
    click.echo(_facts(memory, memory.exchange.project))
    if not injections:
        click.echo("It was never shown to a session.")
        return
    click.echo()
    print_table(
        ("number", "time", "event", "place", "score", "session"),
        [_showing(injection, memory_id) for injection in injections],
        right=("number", "place", "score"),
    )


def _showing(injection: Injection, memory_id: str) -> tuple[str, ...]:
    place, shown = next(
        (place, shown) for place, shown in enumerate(injection.memories, 1) if shown.memory_id == memory_id
    )
    number, score = str(injection.id), f"{shown.score:.2f}"
    return number, local_minute(injection.at), injection.event, str(place), score, injection.session
