"""`sui-memory edit ID`: put your own words in the place of a memory's."""

from __future__ import annotations

import os
import re
import sys
from typing import NamedTuple

import click

from sui_memory.cli.common import find_memory, open_archive

_HELP = "Lines of dashes begin a part; a follow-up without text goes. Save and leave, or empty it to cancel."
_PARTS = ("question", "follow-up", "answer")


class Words(NamedTuple):
    """The words of a memory, as they are edited."""

    question: str
    followups: tuple[str, ...]
    answer: str


@click.command("edit")
@click.argument("memory", metavar="ID")
@click.option("--question", metavar="TEXT", help="The new question; follow-ups stay.")
@click.option("--answer", metavar="TEXT", help="The new answer.")
def edit_command(memory: str, question: str | None, answer: str | None) -> None:
    """Change the words of the memory called ID, in $EDITOR unless they are given.

    The old words are gone for good, from the raw records as well, and no later backfill brings them back.
    """
    from sui_memory.archive.editing import edit
    from sui_memory.cli.embedding import embed_changed

    with open_archive() as app:
        stored = app.store.get([find_memory(app, memory)])[0].exchange
        before = Words(stored.question, stored.followups, stored.answer)
        words = _given(before, question, answer) or _ask(before)
        if not words.question.strip():
            raise click.UsageError("A memory needs a question: to delete it, use `sui-memory forget`.")
        if words == before:
            click.echo("Nothing was changed.", err=True)
            return
        edit(stored, **words._asdict(), store=app.store, tools=app.tools)
        embed_changed(app)
    click.echo(f"Edited: {stored.id}.")


def _given(before: Words, question: str | None, answer: str | None) -> Words | None:
    if question is None and answer is None:
        return None
    return Words(
        before.question if question is None else question,
        before.followups,
        before.answer if answer is None else answer,
    )


def _ask(before: Words) -> Words:
    """Return the words as they come out of the editor; unsaved ones are those from before."""
    if not sys.stdin.isatty() and not (os.environ.get("VISUAL") or os.environ.get("EDITOR")):
        raise click.UsageError("There is no terminal to edit on: give --question or --answer.")
    ruler = _ruler(before)
    text = click.edit(_as_text(before, ruler), extension=".md")
    return before if text is None or not text.strip() else _parsed(text, ruler)


def _ruler(words: Words) -> str:
    """Return dashes that begin no line of the words."""
    found = re.findall(r"^-+", "\n".join([words.question, *words.followups, words.answer]), re.MULTILINE)
    return "-" * max(5, *(len(dashes) + 1 for dashes in found), 5)


def _as_text(words: Words, ruler: str) -> str:
    followups = "".join(f"{ruler} follow-up\n{text}\n" for text in words.followups)
    return f"{_HELP}\n{ruler} question\n{words.question}\n{followups}{ruler} answer\n{words.answer}\n"


def _parsed(text: str, ruler: str) -> Words:
    pieces = re.split(rf"^{ruler} ({'|'.join(_PARTS)})[ \t]*\r?\n", text + "\n", flags=re.MULTILINE)
    parts: dict[str, list[str]] = {name: [] for name in _PARTS}
    for name, words in zip(pieces[1::2], pieces[2::2], strict=True):
        parts[name].append(words.strip())
    if not parts["question"]:
        raise click.ClickException(f"The line {ruler + ' question'!r} is missing: nothing was changed.")
    return Words(
        "\n\n".join(parts["question"]),
        tuple(filter(None, parts["follow-up"])),
        "\n\n".join(parts["answer"]),
    )
