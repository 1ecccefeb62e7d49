"""A recall to show at the end of setting up: something that was asked before, asked again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sui_memory.app import App, utc_now
from sui_memory.context import render
from sui_memory.recall import Prompt, Ranking, recollect
from sui_memory.types import Exchange, Scope

_SESSIONS = 5
_TRIES = 20
_SENTENCE_CHARS = (12, 200)
"""A question to be shown on a line or two, and more than 「はい」."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A prompt, and the block that Claude Code would be given with it."""

    prompt: str
    block: str


def demonstrate(app: App) -> Demonstration | None:
    """Return a recall of the archive's own, of what was asked lately; None when nothing comes to mind."""
    for _, exchange in zip(range(_TRIES), _asked_lately(app), strict=False):
        block = _block(app, exchange)
        if block:
            return Demonstration(exchange.question, block)
    return None


def _asked_lately(app: App) -> Iterator[Exchange]:
    """Yield questions that a person asked and that were answered, the newest first."""
    least, most = _SENTENCE_CHARS
    for row in app.store.sessions(Scope(), _SESSIONS):
        memories = list(app.store.scan(Scope(session=row.session, muted=False)))
        for memory in reversed(memories):
            exchange = memory.exchange
            if exchange.answer and least <= len(exchange.question.strip()) <= most:
                yield exchange


def _block(app: App, exchange: Exchange) -> str:
    """Return what a new session of the same project would be shown, as far as words alone find it."""
    settings = app.settings
    found = recollect(
        Prompt(exchange.question, "", utc_now(), exchange.project),
        store=app.store,
        analyzer=app.analyzer,
        embed=None,
        ranking=Ranking(settings.fusion, settings.decay, settings.half_life_days),
        limit=settings.memories,
    )
    return render(found.hits, found.terms, memories=settings.memories, budget_chars=settings.characters)
