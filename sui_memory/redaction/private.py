"""`<private>…</private>`, also in full-width brackets: what the user wants kept out of memory altogether."""

from __future__ import annotations

import re
from collections.abc import Iterator

MARKER = "[REDACTED:private]"

# Attributes hold no angle bracket and are bounded, so that a text full of opening brackets costs linear time.
_TAG = re.compile(
    r"[<＜]\s{0,4}(?:(?P<open>[Pp][Rr][Ii][Vv][Aa][Tt][Ee](?:\s[^<>＜＞]{0,500})?)"
    r"|[/／]\s{0,4}[Pp][Rr][Ii][Vv][Aa][Tt][Ee]\s{0,100})[>＞]"
)


def hide_private(text: str, depth: int = 0) -> tuple[str, int, int]:
    """Return `text` without its private blocks, how many went, and the depth of nesting at its end.

    `depth` is the nesting in which the text begins: 0, or what the text before it in the same message
    returned. A closing tag outside any block is left as it stands.
    """
    pieces: list[str] = []
    blocks = 1 if depth else 0
    cursor = 0
    for start, stop, step in _tags(text):
        before, depth = depth, max(0, depth + step)
        if not before and depth:
            blocks += 1
            pieces.append(text[cursor:start])
        if before and not depth:
            pieces.append(MARKER)
            cursor = stop
    pieces.append(MARKER if depth else text[cursor:])
    return "".join(pieces), blocks, depth


def _tags(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield start, stop and the change of depth of each tag that is one."""
    for tag in _TAG.finditer(text):
        start, stop = tag.span()
        if not _is_talk(text, start, stop):
            yield start, stop, 1 if tag["open"] else -1


def _is_talk(text: str, start: int, stop: int) -> bool:
    """Whether the tag is in backticks of its own, or an empty element."""
    quoted = text[max(0, start - 1) : start] == "`" == text[stop : stop + 1]
    return quoted or text[stop - 2] in "/／"
