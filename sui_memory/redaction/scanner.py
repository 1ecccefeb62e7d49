"""Finds the places worth a closer look in one fast pass, and lets the rules decide there.

A regular expression that begins with a set of characters runs through text at memory speed until it
meets one of them. So the scan stops only at the rarest letter of each rule's keyword (`k` of `token`,
`w` of `password`) and looks from there to both sides; a rule's own pattern is tried on a hit only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, Protocol

# From frequent to rare in mixed prose and code. What is not named (capitals, kanji) is rarer still, and
# best are the marks in which so many tokens end that the scan stops there anyway.
_FREQUENT_FIRST = "はがを etaoinsrlhdcumpfgb0123456789.,/=\"'(~yvwkjqxzーンストイルリアシ"
_BEST_STOPS = "_-:"
_MARKER = re.compile(r"\[REDACTED:[a-z0-9-]{1,40}\]")
_LONGEST_MARKER = 60


class Span(NamedTuple):
    """A secret, `text[start:stop]`."""

    start: int
    stop: int
    kind: str


class Detector(Protocol):
    """What the scanner needs to know of a rule."""

    @property
    def kind(self) -> str:
        """What is written in the place of the value."""

    @property
    def keywords(self) -> tuple[str, ...]:
        """Literal beginnings of what the rule finds."""

    @property
    def any_case(self) -> bool:
        """Whether the keywords, in lower case here, may be written in any case."""

    def locate(self, text: str, start: int) -> tuple[int, int] | None:
        """Return the secret that belongs to the keyword at `start`, if there is one."""


class _Anchor(NamedTuple):
    """A keyword, cut at its rarest letter, where the scan stops."""

    before: str
    letter: str
    after: str
    any_case: bool

    @classmethod
    def of(cls, word: str, any_case: bool) -> _Anchor:
        rarest = max(range(len(word)), key=lambda index: _rarity(word[index]))
        return cls(word[:rarest], word[rarest], word[rarest + 1 :], any_case)

    @property
    def stops(self) -> list[str]:
        """The character of the stop, in each case it may have."""
        return sorted({self.letter, self.letter.upper()}) if self.any_case else [self.letter]

    def pattern(self) -> str:
        """Return an empty group behind what comes after the letter, where the whole keyword is before it."""
        following, rest = re.escape(self.after[:1]), re.escape(self.after[1:])
        whole = f"(?<={re.escape(self.before + self.letter + self.after)})()"
        if not self.any_case:
            return following + rest + whole
        return f"[{following}{following.upper()}](?i:{rest}{whole})" if self.after else f"(?i:{whole})"

    def may_meet(self, other: _Anchor) -> bool:
        """Whether both can be found at once with the same letter."""
        before, after = self.before.lower(), self.after.lower()
        its_before, its_after = other.before.lower(), other.after.lower()
        return (before.endswith(its_before) or its_before.endswith(before)) and (
            after.startswith(its_after) or its_after.startswith(after)
        )


def _rarity(letter: str) -> int:
    if letter in _BEST_STOPS:
        return len(_FREQUENT_FIRST) + 1
    place = _FREQUENT_FIRST.find(letter)
    return place if place >= 0 else len(_FREQUENT_FIRST)


class _Trial(NamedTuple):
    """A rule by its place in the table, and how far before the stop its keyword starts."""

    order: int
    lead: int
    detector: Detector


class _Marker:
    """What an earlier redaction left: found like a secret, so that nothing is looked for inside, but kept."""

    kind = ""
    keywords = ("[REDACTED:",)
    any_case = False

    def locate(self, text: str, start: int) -> tuple[int, int] | None:
        found = _MARKER.match(text, start)
        return found.span() if found else None


class Scanner:
    """Runs many rules over a text in one pass. At one place, rules win in the order given."""

    def __init__(self, rules: Sequence[Detector]) -> None:
        trials = _trials_by_anchor([_Marker(), *rules])
        stops = _anchors_by_stop(trials)
        self._hit = re.compile("|".join(_alternative(stop, anchors) for stop, anchors in stops.items()))
        # Indexed like the groups of the pattern, which count from 1.
        self._trials = [
            [],
            *(_trials_at(one, anchors, trials) for anchors in stops.values() for one in anchors),
        ]

    def find(self, text: str) -> Iterator[Span]:
        """Yield the secrets of `text` from left to right, never overlapping."""
        cursor = 0
        for hit in self._hit.finditer(text):
            span = self._try(text, hit, cursor)
            if span:
                cursor = span.stop
                if span.kind:
                    yield span

    def _try(self, text: str, hit: re.Match[str], cursor: int) -> Span | None:
        for _, lead, detector in self._trials[hit.lastindex or 0]:
            start = hit.start() - lead
            found = detector.locate(text, start) if start >= cursor else None
            if found:
                span = Span(*found, detector.kind)
                if span.start > start:
                    span = self._named_by_form(text, span)
                return _around_markers(text, span) if span.kind else span
        return None

    def _named_by_form(self, text: str, value: Span) -> Span:
        """Return a value that was known by its label, with the kind of the token it begins with, if any."""
        for hit in self._hit.finditer(text, value.start, value.stop):
            for _, lead, detector in self._trials[hit.lastindex or 0]:
                found = detector.locate(text, value.start) if hit.start() - lead == value.start else None
                if found and found[0] == value.start:
                    return Span(value.start, max(found[1], value.stop), detector.kind)
        return value


def _around_markers(text: str, span: Span) -> Span | None:
    """Return `span` without cutting a marker in two; None when it begins in one: it is masked already."""
    for marker in _MARKER.finditer(text, max(0, span.start - _LONGEST_MARKER), span.stop + _LONGEST_MARKER):
        if marker.start() <= span.start < marker.end():
            return None
        if marker.start() < span.stop < marker.end():
            return Span(span.start, marker.end(), span.kind)
    return span


def _trials_by_anchor(detectors: Sequence[Detector]) -> dict[_Anchor, list[_Trial]]:
    trials: dict[_Anchor, list[_Trial]] = {}
    for order, detector in enumerate(detectors):
        for word in detector.keywords:
            anchor = _Anchor.of(word, detector.any_case)
            trials.setdefault(anchor, []).append(_Trial(order, len(anchor.before), detector))
    return trials


def _anchors_by_stop(anchors: Iterable[_Anchor]) -> dict[str, list[_Anchor]]:
    """Group anchors by the character where the scan stops, in the order in which the pattern lists them."""
    stops: dict[str, list[_Anchor]] = {}
    for anchor in sorted(
        anchors, key=lambda anchor: (not anchor.after, anchor.before[-1:], -len(anchor.after))
    ):
        for stop in anchor.stops:
            stops.setdefault(stop, []).append(anchor)
    return dict(sorted(stops.items(), key=lambda item: _rarity(item[0].lower())))


def _alternative(stop: str, anchors: Sequence[_Anchor]) -> str:
    """Return a pattern that begins with `stop` itself: the set of all such letters makes the scan fast.

    Each branch behind it begins, where it can, with a single letter: such branches are passed over fastest.
    """
    ahead = "|".join(anchor.pattern() for anchor in anchors if anchor.after)
    branches = [f"(?={ahead})"] if ahead else []
    for previous, ended in groupby((a for a in anchors if not a.after), key=lambda a: a.before[-1:]):
        inner = "|".join(anchor.pattern() for anchor in ended)
        branches.append(f"(?<=(?i:{re.escape(previous + stop)}))(?:{inner})")
    return f"{re.escape(stop)}(?:{'|'.join(branches)})"


def _trials_at(
    anchor: _Anchor, neighbours: Sequence[_Anchor], trials: Mapping[_Anchor, list[_Trial]]
) -> list[_Trial]:
    """Return what to try where `anchor` is met: the pattern tells one of the keywords that may be there."""
    found = {trial[:2]: trial for other in neighbours if anchor.may_meet(other) for trial in trials[other]}
    return [found[place] for place in sorted(found)]
