"""`sui-memory search QUERY…`: find memories by words, parts of words and meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from sui_memory.cli.common import (
    console,
    json_option,
    local_day,
    make_scope,
    memory_json,
    open_archive,
    page_options,
    print_json,
    printable,
    project_names,
    scope_options,
)
from sui_memory.cli.stages import stage_table

if TYPE_CHECKING:
    from rich.text import Text

    from sui_memory.app import App
    from sui_memory.searching import Found
    from sui_memory.types import Hit, Scope

_MARKED_TERMS = 64
"""Terms of a query that are looked for in a snippet; a pasted page has thousands."""


_LITERAL = {"words", "trigrams", "substring"}
"""The rankings that go by what is written."""


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@scope_options()
@page_options(10)
@click.option("--explain", is_flag=True, help="Show what each stage of the ranking made of a hit.")
@json_option
def search_command(
    query: tuple[str, ...], limit: int, offset: int, explain: bool, as_json: bool, **options: Any
) -> None:
    """Find what was said about QUERY; several words need no quotes.

    Every character is text, there is no query syntax. Write -- before a query that starts with a dash.
    """
    from sui_memory.text import scrub_surrogates

    text = scrub_surrogates(" ".join(query)).strip()
    if not text:
        raise click.UsageError("The query is empty: write what you look for.")
    with open_archive() as app:
        found = _found(app, text, make_scope(app, options), limit, offset)
        terms = _terms(app, text)
        if as_json:
            print_json(_as_json(text, found, terms))
        else:
            _print_hits(found, terms, first=offset + 1, explain=explain)
        for remark in _remarks(app, found, offset, explain=explain):
            click.echo(remark, err=True)


def _found(app: App, text: str, scope: Scope, limit: int, offset: int) -> Found:
    """Ask the daemon, which holds the model, or search here when there is none."""
    from sui_memory.daemon import client
    from sui_memory.errors import DaemonError

    try:
        found = client.search(app.settings, text, scope, limit=limit, offset=offset)
    except DaemonError:  # of another version, perhaps
        found = None
    return found or app.search(text, scope, limit=limit, offset=offset)


def _terms(app: App, text: str) -> list[str]:
    """Return what to mark in text: the words of the query as written and as indexed."""
    from sui_memory.context import surface_terms

    return [*surface_terms(text), *app.analyzer.query_terms(text)][:_MARKED_TERMS]


def _as_json(query: str, found: Found, terms: Sequence[str]) -> dict[str, Any]:
    return {
        "query": query,
        "milliseconds": round(found.milliseconds, 3),
        "model": found.model,
        "hits": [_hit_json(hit, terms) for hit in found.hits],
    }


def _hit_json(hit: Hit, terms: Sequence[str]) -> dict[str, Any]:
    from sui_memory.context import snippet

    return {
        **memory_json(hit.memory),
        "score": round(hit.score, 6),
        "snippet": snippet(hit, terms),
        "trace": [[stage, round(value, 6)] for stage, value in hit.trace],
    }


def _print_hits(found: Found, terms: Sequence[str], *, first: int, explain: bool) -> None:
    from rich.padding import Padding

    from sui_memory.context import reply, short_question

    shown = console()
    names = project_names({hit.memory.exchange.project for hit in found.hits})
    for number, hit in enumerate(found.hits, start=first):
        if number > first:
            shown.print()
        shown.print(_headline(number, hit, names[hit.memory.exchange.project]))
        asked, said = short_question(hit.memory.exchange), reply(hit, terms)
        shown.print(_indented(Padding, _marked(f"❯ {asked}", terms, "bold")))
        if said:
            shown.print(_indented(Padding, _marked(said, terms, "")))
        if explain:
            table = "\n".join(stage_table(hit.trace, hit.score, number))
            shown.print(_indented(Padding, _marked(table, (), "dim")))


def _indented(padding: Any, text: Text) -> Any:
    return padding(text, (0, 0, 0, 4), expand=False)


def _headline(number: int, hit: Hit, project: str) -> Text:
    from rich.text import Text

    parts = [local_day(hit.memory.exchange.asked_at), printable(project), f"{hit.score:.2f}"]
    return Text.assemble(
        (f"{number:>2}. ", "dim"),
        (hit.memory.id, "cyan"),
        ("  " + "  ".join([*parts, *hit.memory.marks]), "dim"),
    )


def _marked(text: str, terms: Sequence[str], style: str) -> Text:
    """Return text for the console with the terms standing out."""
    from rich.text import Text

    from sui_memory.context import matches

    marked = Text(printable(text), style=style)
    for start, stop in matches(marked.plain, terms):
        marked.stylize("bold yellow", start, stop)
    return marked


def _remarks(app: App, found: Found, offset: int, *, explain: bool) -> Iterator[str]:
    if not found.hits:
        yield _why_nothing(app, offset)
    elif not any(_LITERAL.intersection(dict(hit.trace)) for hit in found.hits):
        yield "None of these holds the words: they are only near in meaning, so look twice."
    if explain:
        yield _ranked_by(app, found)
    if trouble := _model_trouble(app):
        yield trouble


def _model_trouble(app: App) -> str | None:
    """Tell that the chosen model is not to be had; what was found was found without it."""
    from sui_memory.errors import ModelError

    try:
        app.require_model()
    except ModelError as error:
        return str(error)
    return None


def _why_nothing(app: App, offset: int) -> str:
    if not app.store.projects():
        return "The archive is empty: run `sui-memory backfill` first."
    if offset:
        return "Nothing more is found."
    return "Nothing is found: try other words, fewer limits, or --all for automated sessions and sub-agents."


def _ranked_by(app: App, found: Found) -> str:
    """Say which model ranked by meaning, or why none did."""
    searched = f"{found.milliseconds:.0f} ms"
    if found.model:
        return f"Ranked by words, parts of words, and meaning ({found.model}); {searched}."
    return f"Ranked by words and parts of words only, because {_why_words_only(app)}; {searched}."


def _why_words_only(app: App) -> str:
    from sui_memory.errors import ModelError

    if app.settings.model == "none":
        return "the settings choose the model none"
    active = next((row for row in app.store.models() if row.active), None)
    if active is None or not active.vectors:
        return "the archive has no vectors yet (`sui-memory backfill` makes them)"
    try:
        app.embedder(active.model_id)
    except ModelError as error:
        return f"the model of its vectors cannot be used: {str(error).rstrip('.')}"
    return "the model of its vectors gave nothing"
