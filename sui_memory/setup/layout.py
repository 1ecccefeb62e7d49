"""How a JSON document is laid out, and additions that look as if they had always been in it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sui_memory.setup.document import Container, Element, root

_STEP = "  "


@dataclass(frozen=True, slots=True)
class Layout:
    """How a document is laid out: the end of its lines, one step of indentation, and its separators."""

    newline: str
    step: str
    comma: str
    colon: str


def layout_of(text: str) -> Layout:
    """Return the layout of a document that `parse` accepts."""
    whole = root(text)
    first = whole.elements[0] if whole.elements else None
    step = _margin(text, first.start) if first and _begins_line(text, whole, first) else _STEP
    is_tight = first is not None and text[first.start : first.value_start].endswith(":")
    newline = "\r\n" if "\r\n" in text else "\n"
    return Layout(newline, step, "," if is_tight else ", ", ":" if is_tight else ": ")


def _margin(text: str, at: int) -> str:
    """Return the space at the beginning of the line on which a position is."""
    line = text[max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def on_one_line(text: str, place: Container) -> bool:
    """Say whether what is in a container, if there is anything, stands on one line with its brackets."""
    return bool(place.elements) and not _has_newline(text[place.start : place.stop])


def _begins_line(text: str, place: Container, element: Element) -> bool:
    """Say whether an element stands on another line than the bracket before it."""
    return _has_newline(text[place.start : element.start])


def _has_newline(text: str) -> bool:
    return "\n" in text or "\r" in text


def added(
    text: str, place: Container, value: Any, layout: Layout, *, is_flat: bool, is_item: bool = False
) -> str:
    """Return the text with a value, or a member, at the end of a container."""
    outer = _margin(text, place.start)
    last = place.elements[-1] if place.elements else None
    margin = outer + layout.step
    if last and _begins_line(text, place, last):
        margin = _margin(text, last.start)
    rendered = _rendered(value, layout, margin, is_flat=is_flat, is_item=is_item)
    lead = "" if is_flat else layout.newline + margin
    if last:
        separator = layout.comma if is_flat else "," + lead
        return text[: last.stop] + separator + rendered + text[last.stop :]
    tail = "" if is_flat else layout.newline + outer
    return text[: place.start + 1] + lead + rendered + tail + text[place.stop - 1 :]


def _rendered(value: Any, layout: Layout, margin: str, *, is_flat: bool, is_item: bool) -> str:
    """Return a value as text of the document's layout; of a member (an object of one) without its braces."""
    if is_flat:
        written = json.dumps(value, ensure_ascii=False, separators=(layout.comma, layout.colon))
        return written if is_item else written[1:-1]
    written = json.dumps(value, ensure_ascii=False, indent=layout.step)
    lines = written.split("\n")
    if not is_item:
        lines = [line.removeprefix(layout.step) for line in lines[1:-1]]
    return (layout.newline + margin).join(lines)
