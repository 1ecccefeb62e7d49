"""`sui-memory sleep`: merge, fade and let go of kept memories, or tell what would be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sui_memory.cli.common import find_memory, json_option, memory_count, open_archive, print_json, printable

if TYPE_CHECKING:
    from sui_memory.app import App
    from sui_memory.sleep import Plan, Thresholds

_WORDS = 60  # characters of a memory in the report


@click.command("sleep")
@click.option("--apply/--dry-run", "is_applied", default=False, help="Do it; or, by default, only tell.")
@click.option(
    "--min-age-days",
    type=click.FloatRange(0),
    default=14,
    show_default=True,
    help="Merge only what is older.",
)
@click.option(
    "--similarity",
    type=click.FloatRange(0, 1),
    default=0.85,
    show_default=True,
    help="Merge only what is more alike.",
)
@click.option("--wake", "woken", metavar="ID", multiple=True, help="Bring this memory back, and pin it.")
@click.option("--vacuum", is_flag=True, help="Delete for good what earlier nights let go of.")
@json_option
def sleep_command(
    is_applied: bool,
    min_age_days: float,
    similarity: float,
    woken: tuple[str, ...],
    vacuum: bool,
    as_json: bool,
) -> None:
    """Merge kept memories that say the same, let weak ones fade, and let go of faded ones.

    Only what was kept on purpose is touched, never an archived conversation. Nothing is deleted: what was
    merged or let go is at rest, and --wake brings it back, until --vacuum.
    """
    from sui_memory.sleep import Thresholds

    if bool(woken) + vacuum + is_applied > 1:
        raise click.UsageError("One thing at a time: --apply, --wake or --vacuum.")
    with open_archive() as app:
        if woken:
            _wake(app, woken, as_json=as_json)
        elif vacuum:
            _vacuum(app, as_json=as_json)
        else:
            _sleep(app, Thresholds(min_age_days, similarity), is_applied=is_applied, as_json=as_json)


def _sleep(app: App, thresholds: Thresholds, *, is_applied: bool, as_json: bool) -> None:
    from dataclasses import replace
    from datetime import datetime

    from sui_memory.cli.embedding import embed_changed
    from sui_memory.sleep import apply, look
    from sui_memory.sleep.report import as_json as plan_json
    from sui_memory.sleep.report import lines

    thresholds = replace(thresholds, chance=app.mind.chance())
    plan = look(app.store, datetime.now().astimezone(), thresholds)
    if is_applied:
        apply(plan, app.store, app.analyzer)
        if plan.merged:
            embed_changed(app)
    if as_json:
        print_json(plan_json(plan, is_done=is_applied))
    else:
        click.echo("\n".join(lines(plan, _texts(app, plan), is_done=is_applied)))


def _texts(app: App, plan: Plan) -> dict[str, str]:
    from sui_memory.sleep.report import ids_of

    texts = {
        memory.id: " ".join(printable(memory.exchange.text).split()) for memory in app.store.get(ids_of(plan))
    }
    return {name: text if len(text) <= _WORDS else text[:_WORDS] + "…" for name, text in texts.items()}


def _wake(app: App, names: tuple[str, ...], *, as_json: bool) -> None:
    """Bring memories back, all or none, and pin them: the next night would take them again."""
    found = [find_memory(app, name) for name in names]
    resting = [name for name, note in app.store.kept.notes(found).items() if note.rest]
    app.store.kept.wake(resting)
    for memory_id in resting:
        app.store.pin(memory_id, pinned=True)
    if as_json:
        print_json({"woken": resting})
    else:
        click.echo(
            f"Awake again, and pinned: {', '.join(resting)}." if resting else "None of them was at rest."
        )


def _vacuum(app: App, *, as_json: bool) -> None:
    gone = app.store.kept.vacuum()
    app.store.purge()
    if as_json:
        print_json({"deleted": gone})
    else:
        click.echo(f"Deleted for good: {memory_count(gone)}.")
