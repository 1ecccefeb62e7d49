"""`sui-memory show ID`: one memory whole, and what was said around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from sui_memory.cli.common import (
    find_memory,
    for_stdout,
    iso,
    json_option,
    local_day,
    local_minute,
    memory_json,
    open_archive,
    print_json,
    printable,
)
from sui_memory.cli.notes import beside, beside_json, facts

if TYPE_CHECKING:
    from sui_memory.cli.notes import Beside
    from sui_memory.types import Memory


@click.command("show")
@click.argument("memory", metavar="ID")
@click.option("--before", type=click.IntRange(0), default=1, show_default=True, help="Exchanges before it.")
@click.option("--after", type=click.IntRange(0), default=1, show_default=True, help="Exchanges after it.")
@click.option("--markdown", is_flag=True, help="Print Markdown, to be kept or passed on.")
@json_option
def show_command(memory: str, before: int, after: int, markdown: bool, as_json: bool) -> None:
    """Show the memory called ID, or the only one whose id starts with ID."""
    if markdown and as_json:
        raise click.UsageError("--markdown and --json exclude each other: choose one.")
    with open_archive() as app:
        wanted = find_memory(app, memory)
        around = app.store.neighbours(wanted, before, after)
        known = beside(app, wanted)
    at = next(number for number, stored in enumerate(around) if stored.id == wanted)
    if as_json:
        print_json(_as_json(around, at, known))
    elif markdown:
        click.echo(for_stdout(_as_markdown(around[at], known)))
    else:
        click.echo(_as_text(around, at, known))


def _as_json(around: Sequence[Memory], at: int, known: Beside) -> dict[str, Any]:
    return {
        **memory_json(around[at]),
        **beside_json(known),
        "before": [_brief_json(memory) for memory in around[:at]],
        "after": [_brief_json(memory) for memory in around[at + 1 :]],
    }


def _brief_json(memory: Memory) -> dict[str, Any]:
    exchange = memory.exchange
    return {"id": memory.id, "asked_at": iso(exchange.asked_at), "question": exchange.question}


def _as_markdown(memory: Memory, known: Beside) -> str:
    """Return a memory as a section of Markdown: a heading, what is known of it, both sides as they were."""
    exchange = memory.exchange
    items = "\n".join(f"- {name}: {value}" for name, value in _facts(memory, known))
    opening = f"## {_title(memory)}\n\n{items}\n\n"
    if known.note and not exchange.answer:
        return f"{opening}### Note\n\n{exchange.human}\n"
    answer = exchange.answer or "*(no answer)*"
    return f"{opening}### Question\n\n{exchange.human}\n\n### Answer\n\n{answer}\n"


def _title(memory: Memory) -> str:
    from sui_memory.context import short_question

    return f"{local_day(memory.exchange.asked_at)} · {short_question(memory.exchange)}"


def _as_text(around: Sequence[Memory], at: int, known: Beside) -> str:
    memory = around[at]
    items = _facts(memory, known)
    width = max(len(name) for name, _ in items)
    blocks = [
        "\n".join(f"{name:<{width}}  {printable(value)}" for name, value in items),
        f"❯ {printable(memory.exchange.human)}",
        printable(memory.exchange.answer) or ("" if known.note else "(no answer)"),
    ]
    earlier, later = _briefs("↑", around[:at]), _briefs("↓", around[at + 1 :])
    return "\n\n".join(filter(None, [earlier, *blocks, later]))


def _briefs(arrow: str, memories: Sequence[Memory]) -> str:
    from sui_memory.context import short_question

    return "\n".join(
        f"{arrow} {memory.id}  {local_minute(memory.exchange.asked_at)}  "
        f"{printable(short_question(memory.exchange))}"
        for memory in memories
    )


def _facts(memory: Memory, known: Beside) -> list[tuple[str, str]]:
    """Return (name, value) of what is known of a memory beside its text; unknown things are left out."""
    exchange = memory.exchange
    found = [
        ("id", memory.id),
        ("asked", local_minute(exchange.asked_at)),
        ("answered", local_minute(exchange.answered_at) if exchange.answered_at else ""),
        ("project", exchange.project),
        ("cwd", exchange.cwd if exchange.cwd != exchange.project else ""),
        ("session", exchange.session),
        ("git branch", exchange.git_branch),
        ("agent", " ".join(filter(None, [exchange.agent, exchange.version]))),
        ("tools", ", ".join(exchange.tools)),
        ("files", ", ".join(exchange.files)),
        ("marks", ", ".join(memory.marks)),
        *facts(known),
    ]
    return [(name, value) for name, value in found if value]
