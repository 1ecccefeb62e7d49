"""`sui-memory remind`: what Claude is to be reminded of when something comes up, or at a time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from sui_memory.cli.common import (
    for_stdout,
    iso,
    json_option,
    local_minute,
    open_archive,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from sui_memory.store.lessons import Reminder

_DATE = len("2026-12-01")


@click.group("remind")
def remind_command() -> None:
    """Have something told when a word comes up in a prompt, or with the first prompt after a time.

    It is told once in a session until that is compacted, within the block of recalled memories.
    """


@remind_command.command("add")
@click.argument("words", metavar="[TRIGGER] ACTION", nargs=-1, required=True)
@click.option("--at", metavar="TIME", help="From this time on (2026-12-01 09:00, or ISO 8601).")
@click.option("--until", metavar="TIME", help="Not after this time; of a day, up to its end.")
@click.option("--once", is_flag=True, help="Tell it once; without a TRIGGER that is usual.")
@click.option("--times", type=click.IntRange(1, 1_000_000), metavar="N", help="Tell it N times.")
def add_command(
    words: tuple[str, ...], at: str | None, until: str | None, once: bool, times: int | None
) -> None:
    """Have ACTION told when TRIGGER is in a prompt.

    Or with the first prompt from --at on: then TRIGGER may be left out.
    """
    from sui_memory.mind.reminders import add_reminder
    from sui_memory.redaction import redact
    from sui_memory.store.lessons import Reminder

    if len(words) > 2 or (len(words) == 1 and at is None):
        raise click.UsageError("Give a TRIGGER and an ACTION, or an ACTION and --at; put words in quotes.")
    if once and times:
        raise click.UsageError("Give --once or --times.")
    trigger = words[0] if len(words) == 2 else None
    left = times or (1 if once or trigger is None else None)
    ends = _time(until, end=True)
    if ends and ends < datetime.now(UTC):
        raise click.UsageError("--until is over already: it would never be told.")
    reminder = Reminder(words[-1], trigger, _time(at), ends, left)
    with open_archive() as app:
        stored = add_reminder(app.store.lessons, reminder, redact=redact)
    click.echo(f"Reminder {stored.id}: {for_stdout(sentence(stored))}")


@remind_command.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List reminders, also those whose time is over."""
    with open_archive() as app:
        reminders = app.store.lessons.reminders()
    if as_json:
        print_json({"reminders": [reminder_json(reminder) for reminder in reminders]})
    elif reminders:
        rows = [(str(each.id), str(each.told), _with_end(each)) for each in reminders]
        print_table(("id", "told", "reminder"), rows, right=("id", "told"))
    if not reminders:
        click.echo("There are no reminders.", err=True)


@remind_command.command("remove")
@click.argument("reminder_ids", metavar="ID...", nargs=-1, type=int, required=True)
def remove_command(reminder_ids: tuple[int, ...]) -> None:
    """Delete the reminders called ID.

    All of them, or none when one cannot be found.
    """
    from sui_memory.errors import NotFoundError

    with open_archive() as app:
        known = {reminder.id for reminder in app.store.lessons.reminders()}
        for each in reminder_ids:
            if each not in known:
                raise NotFoundError(f"There is no reminder {each}: `sui-memory remind list` shows them.")
        for each in dict.fromkeys(reminder_ids):
            app.store.lessons.dismiss(each)
    click.echo(f"Removed: {', '.join(map(str, dict.fromkeys(reminder_ids)))}.")


def sentence(reminder: Reminder) -> str:
    """Return a reminder as a person reads it."""
    when = [f"when {reminder.trigger} comes up"] if reminder.trigger else []
    if reminder.at:
        when.append(f"from {local_minute(reminder.at)} on")
    ends = f", until {local_minute(reminder.until)}" if reminder.until else ""
    counted = "" if reminder.left is None else f", {reminder.left} more" if reminder.left > 1 else ", once"
    return f"{' or '.join(when)}{ends}{counted}: {reminder.action}"


def _with_end(reminder: Reminder) -> str:
    is_over = reminder.until is not None and reminder.until < datetime.now(UTC)
    return f"(over) {sentence(reminder)}" if is_over else sentence(reminder)


def reminder_json(reminder: Reminder) -> dict[str, Any]:
    """Return a reminder as `remind list --json` prints it."""
    return {
        "id": reminder.id,
        "trigger": reminder.trigger,
        "action": reminder.action,
        "at": iso(reminder.at),
        "until": iso(reminder.until),
        "left": reminder.left,
        "told": reminder.told,
        "created_at": iso(reminder.created_at),
    }


def _time(text: str | None, *, end: bool = False) -> datetime | None:
    """Return a moment in UTC, taken as local where it names no zone; with `end` of a day its end."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text.strip())
        moment = moment if moment.tzinfo else moment.astimezone()
        if end and len(text.strip()) == _DATE:
            moment += timedelta(days=1)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(f"{text!r} is no time: write 2026-12-01 09:00.") from error
