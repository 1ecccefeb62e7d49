"""Slips of the keys: how many edits lie between two words."""

from __future__ import annotations

import math
from string import ascii_lowercase


def distance(one: str, other: str, most: int) -> int:
    """Return the edits between two words, or `most` + 1 when there are more; meant for one or two.

    An edit inserts, deletes or replaces a letter, or swaps two neighbours, none of them edited twice: optimal
    string alignment (Damerau, 1964), cut off at the bound.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    at, stop = 0, min(len(one), len(other))
    while at < stop and one[at] == other[at]:
        at += 1
    one, other = one[at:], other[at:]
    if one == other:
        return 0
    if most <= 0:
        return most + 1
    rests = [(one[1:], other[1:]), (one[1:], other), (one, other[1:])]
    if one[:2] == other[1::-1]:
        rests.append((one[2:], other[2:]))
    return 1 + min(distance(*rest, most - 1) for rest in rests)


def is_replaced(one: str, other: str) -> bool:
    """Say whether two words differ in a single letter that is seldom mistaken for the other one."""
    differing = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
    if len(one) != len(other) or len(differing) != 1:
        return False
    letter, facing = differing[0]
    return letter in _MISTAKEN and facing not in _MISTAKEN[letter] and {letter, facing} not in _AMERICAN


def heads(word: str, size: int) -> set[str]:
    """Return words one likely slip away, among the first `size` letters: what no prefix search finds.

    A letter too many or too few, two that changed places, a neighbouring key or another vowel. The first
    letter is right or swapped: nobody starts wrong, and async is not sync.
    """
    cuts = [(word[:at], word[at:]) for at in range(min(size, len(word)))]
    swapped = {before + after[1] + after[0] + after[2:] for before, after in cuts if len(after) > 1}
    letters = ascii_lowercase if word.isascii() else ""
    removed = {before + after[1:] for before, after in cuts[1:]}
    replaced = {before + key + after[1:] for before, after in cuts[1:] for key in _MISTAKEN.get(after[0], "")}
    inserted = {before + letter + after for before, after in cuts[1:] for letter in letters}
    return (removed | swapped | replaced | inserted) - {word, ""}


def _mistaken() -> dict[str, str]:
    """Return letter → the keys around it on a QWERTY board; a vowel is also taken for another one."""
    places = {key: (x + y / 2, y) for y, row in enumerate(_KEYS) for x, key in enumerate(row)}
    near = {
        key: "".join(other for other in places if other != key and math.dist(at, places[other]) < _REACH)
        for key, at in places.items()
    }
    return near | {vowel: "".join(set(near[vowel] + _VOWELS) - {vowel}) for vowel in _VOWELS}


_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_REACH = 1.2  # widths of a key: those beside it, and those half a key aside in the next row
_VOWELS = "aeiou"
_AMERICAN = ({"s", "c"}, {"s", "z"})  # defence, organise
_MISTAKEN = _mistaken()
