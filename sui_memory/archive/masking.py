"""Redaction of an exchange that does not come from raw records: edited, imported, or stored long ago."""

from __future__ import annotations

from dataclasses import replace

from sui_memory.transcript.slim import NewRedactor
from sui_memory.types import Exchange


def mask(exchange: Exchange, new_redactor: NewRedactor) -> tuple[Exchange, int]:
    """Return the exchange without secrets, and how many were masked; its identity stays."""
    mask = _Mask(new_redactor)
    masked = replace(
        exchange,
        question=mask.one(exchange.question),
        followups=mask.all(exchange.followups),
        answer=mask.one(exchange.answer),
        project=mask.one(exchange.project),
        cwd=mask.maybe(exchange.cwd),
        git_branch=mask.maybe(exchange.git_branch),
        files=mask.all(exchange.files),
        tools=mask.all(exchange.tools),
        version=mask.maybe(exchange.version),
    )
    return masked, mask.count


class _Mask:
    """Masks texts, each a message of its own, and counts."""

    def __init__(self, new_redactor: NewRedactor) -> None:
        self._new_redactor = new_redactor
        self.count = 0

    def one(self, text: str) -> str:
        text, masked = self._new_redactor().redact(text)
        self.count += masked
        return text

    def all(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(self.one, texts))

    def maybe(self, text: str | None) -> str | None:
        return None if text is None else self.one(text)
