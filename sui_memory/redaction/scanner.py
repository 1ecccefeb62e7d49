"""Finds the places worth a closer look in one fast pass, and lets the rules decide there.

A regular expression that begins with a set of characters runs through text at memory speed until it
meets one of them. So the scan stops only at the rarest letter of each rule's keyword (`k` of `token`,
`w` of `password`) and looks from there to both sides; a rule's own pattern is tried on a hit only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

# From frequent to rare in mixed prose and code; what is not named (capitals, kanji) is rarer still.
_FREQUENT_FIRST = " etaoinsrlhdcum.p_f-/:=gbyw,v0k123456789(ーンストイルリアシjxqz"
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
        """Literal beginnings of what the rule finds: in any case, unless a capital is in it."""

    @property
    def is_label(self) -> bool:
        """Whether the value is known by a label before it rather than by its own form."""

    def locate(self, text: str, start: int) -> tuple[int, int] | None:
        """Return the secret that belongs to the keyword at `start`, if there is one."""


class _Anchor(NamedTuple):
    """A keyword, cut at its rarest letter, where the scan stops."""

    before: str
    letter: str
    after: str
    in_any_case: bool

    @classmethod
    def of(cls, word: str) -> _Anchor:
        rarest = max(range(len(word)), key=lambda index: _rarity(word[index]))
        return cls(word[:rarest], word[rarest], word[rarest + 1 :], word == word.lower())

    def pattern(self) -> str:
        """Return an empty group that matches behind the letter where the rest of the keyword is around it."""
        around = f"(?<={re.escape(self.before + self.letter)})(?={re.escape(self.after)})"
        return f"(?i:{around})()" if self.in_any_case else f"{around}()"

    def may_meet(self, other: _Anchor) -> bool:
        """Whether both can be found at once with the same letter."""
        before, after = self.before.lower(), self.after.lower()
        its_before, its_after = other.before.lower(), other.after.lower()
        return (before.endswith(its_before) or its_before.endswith(before)) and (
            after.startswith(its_after) or its_after.startswith(after)
        )


def _rarity(letter: str) -> int:
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
    is_label = False

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
        self._trials = [[], *(_trials_at(one, anchors, trials) for anchors in stops.values() for one in anchors)]

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
                span = (self._shape(text, span) or span) if detector.is_label else span
                return _around_markers(text, span) if span.kind else span
        return None

    def _shape(self, text: str, value: Span) -> Span | None:
        """Return the token of a known form that begins with a labelled value and is at least as long."""
        for hit in self._hit.finditer(text, value.start, value.stop):
            for _, lead, detector in self._trials[hit.lastindex or 0]:
                if hit.start() - lead == value.start and not detector.is_label:
                    found = detector.locate(text, value.start)
                    if found and found[0] == value.start and found[1] >= value.stop:
                        return Span(*found, detector.kind)
        return None


def _around_markers(text: str, span: Span) -> Span | None:
    """Return `span` without cutting a marker in two; None when it begins in one, for then it is masked already."""
    for marker in _MARKER.finditer(text, max(0, span.start - _LONGEST_MARKER), span.stop + _LONGEST_MARKER):
        if marker.start() <= span.start < marker.end():
            return None
        if marker.start() < span.stop < marker.end():
            return Span(span.start, marker.end(), span.kind)
    return span


def _trials_by_anchor(detectors: Sequence[Detector]) -> dict[_Anchor, list[_Trial]]:
    """Return what to try at each keyword, the longest keywords first, for they say more."""
    trials: dict[_Anchor, list[_Trial]] = {}
    for order, detector in enumerate(detectors):
        for anchor in map(_Anchor.of, detector.keywords):
            trials.setdefault(anchor, []).append(_Trial(order, len(anchor.before), detector))
    return dict(sorted(trials.items(), key=lambda item: -len(item[0].before + item[0].after)))


def _anchors_by_stop(anchors: Iterable[_Anchor]) -> dict[str, list[_Anchor]]:
    """Group anchors by the character where the scan stops, once for each case it may have."""
    stops: dict[str, list[_Anchor]] = {}
    for anchor in anchors:
        letter = anchor.letter
        for stop in sorted({letter, letter.upper()} if anchor.in_any_case else {letter}):
            stops.setdefault(stop, []).append(anchor)
    return stops


def _alternative(stop: str, anchors: Sequence[_Anchor]) -> str:
    """Return a pattern that begins with `stop` itself: the set of all such letters is what makes the scan fast."""
    return f"{re.escape(stop)}(?:{'|'.join(anchor.pattern() for anchor in anchors)})"


def _trials_at(
    anchor: _Anchor, neighbours: Sequence[_Anchor], trials: Mapping[_Anchor, list[_Trial]]
) -> list[_Trial]:
    """Return what to try where `anchor` is met: the pattern tells only one of the keywords that may be there."""
    found = {trial[:2]: trial for other in neighbours if anchor.may_meet(other) for trial in trials[other]}
    return [found[place] for place in sorted(found)]
