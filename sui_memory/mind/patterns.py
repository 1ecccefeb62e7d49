"""Regular expressions that others wrote: refused when they could run away, and cut off when they do."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from sui_memory.errors import UsageError
from sui_memory.text import fold

if TYPE_CHECKING:
    import regex

LONGEST = 500
"""Characters of a pattern."""

SECONDS = 0.01
"""After this a search in a prompt is cut off; a sound pattern takes 10 µs."""

_PROBE_SECONDS = 0.05
_PROBE_LENGTH = 3_000
_PROBES = ("a", "0", " ", "ab", "あ", "/", "a ", "\n")
_MOST_OWN = 8  # letters of the pattern itself that are tried
_MOST_MARKS = 4  # and other characters, each after a letter
_MOST_REPEATS = 10_000  # of one thing by the repetitions around it
_ENDLESS = 101  # what a repetition without end counts as: two of them are too many
_LITERAL = re.compile(r"[^\W_]+")
_ITEM = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{[^{}]*\}|.", re.DOTALL)
_REPEAT = re.compile(r"[*+]|\{(?P<least>\d*)(?P<comma>,?)(?P<most>\d*)\}")
_CLASS = re.compile(r"\\[bBdDsSwWAZntr]")
_FLAGS = re.compile(r"\(\?[a-zA-Z0-9-]+[:)]")


def check_pattern(pattern: str) -> None:
    """Raise `UsageError` for a pattern that is none, is in every text, or could take for ever."""
    if len(pattern) > LONGEST:
        raise UsageError(f"A pattern has at most {LONGEST} characters; this one has {len(pattern):,}.")
    if _repeats_repetition(pattern):
        raise UsageError(
            f"The pattern {shown(pattern)} repeats something that repeats, which can take for ever: "
            "write it with one repetition."
        )
    compiled = _compiled(pattern)
    try:
        if compiled.search("", timeout=_PROBE_SECONDS):
            raise UsageError(f"The pattern {shown(pattern)} is in every text: it would fire always.")
        for probe in _probes(pattern):
            compiled.search(probe, timeout=_PROBE_SECONDS)
    except TimeoutError as error:
        raise UsageError(
            f"The pattern {shown(pattern)} takes longer than {_PROBE_SECONDS * 1000:.0f} ms on some texts: "
            "make it simpler."
        ) from error


def found(pattern: str, text: str, seconds: float = SECONDS) -> bool:
    """Say whether a pattern is in a text, in any case; one that takes too long, or is broken, is not."""
    try:
        return _compiled(pattern).search(text, timeout=seconds) is not None
    except (TimeoutError, UsageError):
        return False


def shown(pattern: str) -> str:
    r"""Return a pattern between slashes as it was written, on one line: what cannot be seen as `\uXXXX`."""
    return f"/{''.join(char if char.isprintable() else ascii(char)[1:-1] for char in pattern)}/"


@lru_cache(maxsize=2_048)
def literal(pattern: str) -> str:
    """Return the longest text, folded, that is in all that a pattern finds; "" where that is hard to tell.

    To look for it first takes a tenth of the time that the pattern does.
    """
    runs, depth = [""], 0
    if _FLAGS.search(pattern):
        return ""
    for item in _ITEM.findall(pattern):
        if item == "(":
            depth += 1
        elif item == ")":
            depth = max(0, depth - 1)
        plain = _plain(item)
        if plain is None or (item == "|" and not depth):
            return ""
        if not depth:
            _lengthen(runs, item, plain)
        elif runs[-1]:
            runs.append("")
    return fold(max(runs, key=len))


def _plain(item: str) -> str | None:
    """Return the character that an item of a pattern stands for: "" for no one, None for who knows."""
    if item.startswith("\\"):
        return "" if _CLASS.fullmatch(item) else None if item[1].isalnum() else item[1]
    return "" if len(item) > 1 or item in ".^$|()[]{}*+?" else item


def _lengthen(runs: list[str], item: str, plain: str) -> None:
    """Add an item to the last run of characters, or end that: with what need not be there taken back."""
    if plain:
        runs[-1] += plain
        return
    if item in {"*", "?"} or item.startswith("{"):
        runs[-1] = runs[-1][:-1]
    runs.append("")


@lru_cache(maxsize=2_048)
def _compiled(pattern: str) -> regex.Pattern[str]:
    import regex

    try:
        # ASCII, so that `\bTODO\b` ends before Japanese, which Unicode takes for letters of the same word.
        return regex.compile(pattern, regex.IGNORECASE | regex.ASCII)
    except (regex.error, RecursionError, OverflowError) as error:
        raise UsageError(f"The pattern {shown(pattern)} is no regular expression: {error}.") from error


def _probes(pattern: str) -> list[str]:
    """Return long texts that nearly match: what a pattern is slow at is made of what it looks for."""
    words = _LITERAL.findall(pattern)
    own = [*dict.fromkeys("".join(words))][:_MOST_OWN]
    parts = [*_PROBES, *own, *words[:_MOST_OWN], "".join(words), " ".join(words)]
    marks = dict.fromkeys(
        mark for item in _ITEM.findall(pattern) if not (mark := _plain(item) or "").isalnum()
    )
    parts += [f"a{mark}" for mark in [*marks][:_MOST_MARKS]]
    return [part * (_PROBE_LENGTH // len(part)) + "\x00" for part in dict.fromkeys(parts) if part]


def _repeats_repetition(pattern: str) -> bool:
    """Say whether repetitions within each other repeat something without end, or too often."""
    open_groups, closed = [1], 1
    for item in _ITEM.findall(pattern):
        times = _times(item)
        if closed > 1 < times and closed * times > _MOST_REPEATS:
            return True
        open_groups[-1] = max(open_groups[-1], closed * times)
        closed = 1
        if item == "(":
            open_groups.append(1)
        elif item == ")" and len(open_groups) > 1:
            closed = open_groups.pop()
            open_groups[-1] = max(open_groups[-1], closed)
    return False


def _times(item: str) -> int:
    """Return how often an item of a pattern repeats the one before it: once where it is no repetition."""
    found = _REPEAT.fullmatch(item)
    if not found or item == "{}":
        return 1
    if item in {"*", "+"} or (found["comma"] and not found["most"]):
        return _ENDLESS
    return max(1, int(found["most"] or found["least"] or 1))
