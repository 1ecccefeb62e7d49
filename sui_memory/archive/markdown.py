"""The archive as Markdown, for people: one section for each session, the oldest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from sui_memory.store.base import MemoryStore, SessionRow
from sui_memory.types import Memory, Scope

_ALL = 2**31


def markdown_lines(scope: Scope, *, store: MemoryStore) -> Iterator[str]:
    """Yield the lines of a Markdown export. Questions are quotations, answers stand as they were given."""
    for row in reversed(store.sessions(scope, _ALL)):
        yield from _heading(row)
        for memory in store.scan(replace(scope, session=row.session)):
            yield from _exchange(memory)


def _heading(row: SessionRow) -> Iterator[str]:
    yield f"# {_moment(row.first_at)} · {row.title or row.session}"
    yield ""
    count = "1 exchange" if row.exchanges == 1 else f"{row.exchanges} exchanges"
    yield f"Project `{row.project}` · session `{row.session}` · {count}"
    yield ""


def _exchange(memory: Memory) -> Iterator[str]:
    exchange = memory.exchange
    yield f"## {' · '.join([_moment(exchange.asked_at), memory.id, *memory.marks])}"
    yield ""
    for line in exchange.human.split("\n"):
        yield f"> {line}".rstrip()
    yield ""
    if exchange.answer:
        yield from exchange.answer.split("\n")
        yield ""


def _moment(moment: datetime | None) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M") if moment else "undated"
