"""The corpus's vocabulary: word lists from `corpus_words.toml`, drawn by Zipf's law."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

_CODE_ERROR_SHARE = 0.4  # the rest are named errors, such as TypeError


class Urn:
    """Draws words so that the n-th is 1/n^s as likely as the first (Zipf; s is about 1 in prose)."""

    def __init__(self, items: Sequence[str], *, s: float = 0.8, size: int = 8192) -> None:
        # Mandelbrot's shift of the rank keeps the first few words from taking over the text.
        weights = [1 / (rank + 10) ** s for rank in range(len(items))]
        scale = size / sum(weights)
        # A flat list with one slip or more for each word makes a draw one multiplication.
        self._slips = [
            item
            for item, weight in zip(items, weights, strict=True)
            for _ in range(max(1, round(weight * scale)))
        ]

    def draw(self, rng: Random) -> str:
        """Return one word."""
        slips = self._slips
        return slips[int(rng.random() * len(slips))]


@cache
def words(name: str) -> tuple[str, ...]:
    """Return the list `name` of the vocabulary file."""
    return tuple(_vocabulary()[name].split())


@cache
def _vocabulary() -> dict[str, str]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def urn(name: str) -> Urn:
    """Return the urn of the word list `name`."""
    return Urn(ja_nouns() if name == "ja_nouns" else words(name))


@cache
def ja_nouns() -> tuple[str, ...]:
    """Return the Japanese nouns, kanji and katakana words mixed as technical talk uses them."""
    kanji, katakana = words("ja_nouns"), words("ja_katakana")
    return tuple(dict.fromkeys((*kanji[:40], *katakana[:60], *kanji[40:], *katakana[60:])))


def pick(rng: Random, name: str) -> str:
    """Return a word of the list `name`, all equally likely."""
    choices = words(name)
    return choices[int(rng.random() * len(choices))]


def ja_name(rng: Random) -> str:
    """Return an invented katakana name, such as a product has; no dictionary knows it."""
    return "".join(rng.choices(words("kana"), k=rng.randint(3, 5)))


def en_name(rng: Random) -> str:
    """Return an invented capitalised name."""
    return "".join(rng.choices(words("syllables"), k=rng.randint(2, 3))).capitalize()


def identifier(rng: Random) -> str:
    """Return a name out of source code, in one of the usual cases."""
    parts = [_part(rng) for _ in range(2 + (rng.random() < 0.4))]
    style = rng.random()
    if style < 0.45:
        return "_".join(parts)
    if style < 0.8:
        return parts[0] + "".join(part.capitalize() for part in parts[1:])
    if style < 0.92:
        return "".join(part.capitalize() for part in parts)
    return "_".join(parts).upper()


def _part(rng: Random) -> str:
    """Return a part of an identifier: some are in every program, most belong to what it is about."""
    chance = rng.random()
    if chance < 0.3:
        return pick(rng, "identifier_parts")
    return pick(rng, "en_nouns" if chance < 0.8 else "en_verbs")


def path(rng: Random) -> str:
    """Return a relative path of a source file."""
    folders = "/".join(pick(rng, "directories") for _ in range(rng.randint(1, 3)))
    return f"{folders}/{_part(rng)}_{pick(rng, 'en_nouns')}.{pick(rng, 'extensions')}"


def error(rng: Random) -> str:
    """Return an error's name or code."""
    if rng.random() < _CODE_ERROR_SHARE:
        return f"{pick(rng, 'error_prefixes')}{rng.randint(100, 9999)}"
    return pick(rng, "error_names")
