"""What the rest of the project uses: `redact` for one text, `Redactor` for the texts of one message."""

from __future__ import annotations

from collections.abc import Iterator

from sui_memory.redaction.private import hide_private
from sui_memory.redaction.rules import load_rules
from sui_memory.redaction.scanner import Span


def redact(text: str) -> tuple[str, int]:
    """Return `text` with every secret masked as `[REDACTED:kind]`, and how many were masked.

    A text that stands alone; the texts of one message go through one `Redactor`. Never raises, and
    redacting again changes nothing.
    """
    return Redactor().redact(text)


def kinds(text: str) -> list[str]:
    """Return the kind of every secret found in `text`, in order; `<private>` blocks are left out."""
    return [span.kind for span in load_rules().find(text)]


class Redactor:
    """Redacts the texts of one message in order: an unclosed `<private>` runs on to the message's end."""

    def __init__(self) -> None:
        self._depth = 0

    @property
    def private(self) -> bool:
        """Whether the texts so far ended inside `<private>`."""
        return self._depth > 0

    def redact(self, text: str) -> tuple[str, int]:
        """Return the next text of the message, redacted, and how many values were masked in it."""
        text, total, self._depth = hide_private(text, self._depth)
        found = -1
        # A mask can bring to light what its value had hidden, as a letter before a token does. Each
        # pass leaves less unmasked text than the last, so this ends; one pass is enough without secrets.
        while found:
            text, found = _mask(text)
            total += found
        return text, total


def _mask(text: str) -> tuple[str, int]:
    spans = list(load_rules().find(text))
    return ("".join(_masked_pieces(text, spans)), len(spans)) if spans else (text, 0)


def _masked_pieces(text: str, spans: list[Span]) -> Iterator[str]:
    cursor = 0
    for span in spans:
        yield text[cursor : span.start]
        yield f"[REDACTED:{span.kind}]"
        cursor = span.stop
    yield text[cursor:]
