"""Which sentences of a text are shown when there is no room for all: some, and what is around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

GAP = " … "
"""What stands where sentences were left out."""

_SENTENCE = re.compile(
    r"(?:[^。！？\n.!?]|[.!?]+(?=[^\s.!?])|(?<=\b\d)\.(?=\s))*(?:[。！？]+[」』）)]*|\n|[.!?]+(?=\s|\Z)|\Z)\s*"
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
# Marks of Markdown that mean nothing on one line: fences, rules, table borders, headings, bullets, bold.
_MARKUP = re.compile(
    r"^[ \t]*(?:`{3,}[^`\n]*|~{3,}[^\n]*|[-=*_]{3,}|\|?[ \t]*:?-{2,}[-:| \t]*)[ \t]*$"
    r"|^[ \t]*(?:#{1,6}|>|[-*+])[ \t]+|\*\*",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence on one line, with the space after it, and the number of its paragraph."""

    text: str
    paragraph: int


def sentences_of(text: str) -> list[Sentence]:
    """Return the sentences of a text without its markup; a list, a table or code is split by line."""
    sentences: list[Sentence] = []
    paragraph = 0
    for match in _SENTENCE.finditer(_MARKUP.sub("", text.strip())):
        line = re.sub(r"\s+", " ", match.group())
        if line.strip():
            sentences.append(Sentence(line, paragraph))
        paragraph += bool(_BLANK_LINE.search(match.group()))
    return sentences


@dataclass(slots=True)
class Selection:
    """Sentences of a text, by number, that have room together."""

    sentences: Sequence[Sentence]
    room: int
    chosen: set[int] = field(default_factory=set)

    def add(self, seeds: Iterable[int]) -> list[int]:
        """Choose those that fit, each with a gap, and return them; none when the first of all does not."""
        kept: list[int] = []
        for number in seeds:
            if number in self.chosen or self._take(number, len(GAP)):
                kept.append(number)
            elif not self.chosen:
                break
        return kept

    def complete(self, number: int) -> None:
        """Add what follows a chosen sentence in its paragraph, and then what precedes it."""
        paragraph = self.sentences[number].paragraph
        inside = [at for at, sentence in enumerate(self.sentences) if sentence.paragraph == paragraph]
        self._grow(number, inside[0], inside[-1] + 1)

    def fill(self, number: int) -> None:
        """Add what follows a chosen sentence in the text, and then what precedes it."""
        self._grow(number, 0, len(self.sentences))

    def joined(self) -> str:
        """Return the chosen sentences in order, with gaps for what is left out."""
        pieces: list[str] = []
        last = -1
        for number in sorted(self.chosen):
            if number != last + 1:
                pieces = ["".join(pieces).rstrip(), GAP]
            pieces.append(self.sentences[number].text)
            last = number
        return "".join(pieces).strip() + ("" if last == len(self.sentences) - 1 else GAP.rstrip())

    def _grow(self, number: int, start: int, stop: int) -> None:
        for neighbours in (range(number + 1, stop), range(number - 1, start - 1, -1)):
            for at in neighbours:
                if at not in self.chosen and not self._take(at):
                    break

    def _take(self, number: int, more: int = 0) -> bool:
        """Choose a sentence if there is room for it, and for `more` characters beside it."""
        size = len(self.sentences[number].text) + more
        if size > self.room:
            return False
        self.chosen.add(number)
        self.room -= size
        return True
