"""JSON text with positions: where in a document each member and each item stands."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from json import JSONDecodeError
from typing import Any, NoReturn

_SPACE = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Element:
    """An item of an array, or a member of an object with its key.

    `start` is where it begins (at the key, for a member), `value_start` to `stop` is its value.
    """

    key: str
    start: int
    value_start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Container:
    """An object or array, `text[start:stop]` with its brackets, and what is in it."""

    start: int
    stop: int
    elements: tuple[Element, ...]

    def find(self, key: str) -> Element | None:
        """Return the member of that key: of several the last, which is the one that counts."""
        return next((element for element in reversed(self.elements) if element.key == key), None)

    def count(self, key: str) -> int:
        """Return how many members have that key."""
        return sum(element.key == key for element in self.elements)


def parse(text: str) -> Any:
    """Return the value of a strict JSON document; `JSONDecodeError` or `RecursionError` if it is none."""
    value, stop = _DECODER.raw_decode(text, _after_space(text, 0))
    end = _after_space(text, stop)
    if end != len(text):
        raise JSONDecodeError("Extra data", text, end)
    return value


def container(text: str, start: int) -> Container:
    """Return the object or array that begins at `start` of a text that `parse` accepts."""
    walk = _member if text[start] == "{" else _item
    at = _after_space(text, start + 1)
    elements: list[Element] = []
    while text[at] not in "}]":
        elements.append(walk(text, at))
        at = _after_space(text, elements[-1].stop)
        if text[at] == ",":
            at = _after_space(text, at + 1)
    return Container(start, at + 1, tuple(elements))


def root(text: str) -> Container:
    """Return the object or array that is the whole document."""
    return container(text, _after_space(text, 0))


def _item(text: str, at: int) -> Element:
    _, stop = _DECODER.raw_decode(text, at)
    return Element("", at, at, stop)


def _member(text: str, at: int) -> Element:
    key, stop = _DECODER.raw_decode(text, at)
    value_start = _after_space(text, _after_space(text, stop) + 1)  # the colon is between
    _, stop = _DECODER.raw_decode(text, value_start)
    return Element(key, at, value_start, stop)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _refuse(constant: str) -> NoReturn:
    raise JSONDecodeError(f"{constant} is no JSON", constant, 0)


# Numbers stay text, for one may have more digits than Python is willing to read.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse)
