"""What people and the assistant say in the corpus: topics, prompts, answers, and the tools' output."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from random import Random

from benchmarks import corpus_words as vocabulary

_PHRASES = Path(__file__).with_name("corpus_phrases.toml")

# Length of a typed prompt in characters: p10 15, p50 79, p90 385 in 2,097 real ones; this is the
# log-normal through the last two.
_PROMPT_MEDIAN, _PROMPT_SIGMA = 79, 1.236
# A pasted log or file makes the long tail (p99 3,128).
_PASTE_SHARE = 0.015
# Length of an answer's last text block in characters; with the remarks between tool calls the whole
# answer comes to a mean of about 1,100, as in real sessions.
_ANSWER_MEDIAN, _ANSWER_SIGMA, _ANSWER_MAX = 480, 0.85, 12_000
_BRIEF_PROMPT = 60


# Most sentences are put together; fixed ones alone would make the words they share too usual.
_FIXED_SENTENCE_SHARE = 0.2
_SENTENCE_PARTS = {"ja": ("subjects", "objects", "predicates"), "en": ("subjects", "predicates", "tails")}

# Words come in bursts: most of a conversation's are its own, some its project's, the rest anyone's.
_TOPIC_SHARE, _PROJECT_SHARE = 0.65, 0.2


@dataclass(frozen=True, slots=True)
class Topic:
    """The words that a conversation, or a whole project, keeps coming back to."""

    words: dict[str, tuple[str, ...]]

    @classmethod
    def draw(cls, rng: Random, size: int) -> Topic:
        """Return a topic with `size` nouns of either language and fewer of the other kinds."""
        counts = {slot: max(1, round(size * share)) for slot, (_, share) in _SLOTS.items()}
        return cls({slot: tuple(_SLOTS[slot][0](rng) for _ in range(n)) for slot, n in counts.items()})


def _from_urn(name: str) -> Callable[[Random], str]:
    return lambda rng: vocabulary.urn(name).draw(rng)


def _from_list(name: str) -> Callable[[Random], str]:
    return lambda rng: vocabulary.pick(rng, name)


def _number(rng: Random) -> str:
    return str(int(10 ** (rng.random() * 4)))


def _date(rng: Random) -> str:
    return (
        f"{rng.randint(1, 12)}月{rng.randint(1, 28)}日"
        if rng.random() < 0.6
        else f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    )


def _release(rng: Random) -> str:
    return f"{rng.randint(0, 9)}.{rng.randint(0, 30)}.{rng.randint(0, 12)}"


def _commit(rng: Random) -> str:
    return f"{rng.getrandbits(28):07x}"


def _name(rng: Random) -> str:
    return vocabulary.ja_name(rng) if rng.random() < 0.5 else vocabulary.en_name(rng)


# Slot letter of the phrase file: how to draw a word, and how many a topic holds for each of its nouns.
_SLOTS: dict[str, tuple[Callable[[Random], str], float]] = {
    "n": (_from_urn("ja_nouns"), 1.0),
    "v": (_from_urn("ja_sahen"), 0.6),
    "i": (_from_urn("ja_ichidan"), 0.4),
    "a": (_from_list("ja_adverbs"), 0.3),
    "j": (_from_list("ja_adjectives"), 0.3),
    "N": (_from_urn("en_nouns"), 1.0),
    "V": (_from_urn("en_verbs"), 0.5),
    "J": (_from_list("en_adjectives"), 0.4),
    "d": (vocabulary.identifier, 1.0),
    "f": (vocabulary.path, 0.6),
    "e": (vocabulary.error, 0.2),
    "p": (_from_list("surnames"), 0.2),
    "w": (_name, 0.2),
    "l": (_from_list("places"), 0.1),
    "t": (_from_list("tools"), 0.3),
    "c": (_number, 0.2),
    "m": (_date, 0.2),
    "x": (_release, 0.1),
    "h": (_commit, 0.1),
}


class Prose:
    """Text about one topic, within a project, in `language` ("ja", "en" or "mixed").

    `brief` keeps prompts to a sentence or two and answers to a paragraph.
    """

    def __init__(
        self, rng: Random, language: str, topic: Topic, project: Topic, *, brief: bool = False
    ) -> None:
        self._rng, self._language, self._brief = rng, language, brief
        self._topic, self._project = topic.words, project.words

    def prompt(self) -> str:
        """Return what a person types."""
        longest = _BRIEF_PROMPT if self._brief else inf
        length = min(longest, self._rng.lognormvariate(0, _PROMPT_SIGMA) * _PROMPT_MEDIAN)
        tongue = self._tongue()
        parts = [self._prompt_start(tongue, length)]
        while sum(map(len, parts)) < length - 25:
            more = self._phrase(f"{tongue}_prompt_tails") if self._rng.random() < 0.5 else self._fact(tongue)
            parts.append(more)
        if not self._brief and self._rng.random() < _PASTE_SHARE:
            parts.append("\n\n```\n" + self.output(self._rng.randint(500, 6000)) + "\n```")
        return _joined(parts, tongue)

    def remark(self) -> str:
        """Return what the assistant says before it calls a tool."""
        tongue = self._tongue()
        findings = [self._fact(tongue) for _ in range(self._rng.choice((0, 0, 1, 2)))]
        return _joined([*findings, self._phrase(f"{tongue}_steps")], tongue)

    def sentence(self) -> str:
        """Return one statement of the assistant."""
        return self._fact(self._tongue())

    def answer(self) -> str:
        """Return the assistant's last words in a turn: paragraphs, lists, headings and code."""
        length = (
            0
            if self._brief
            else min(_ANSWER_MAX, self._rng.lognormvariate(0, _ANSWER_SIGMA) * _ANSWER_MEDIAN)
        )
        tongue = self._tongue()
        blocks = [self._paragraph(tongue, 2)]
        size = len(blocks[0])
        while size < length:
            blocks.append(self._block(tongue))
            size += len(blocks[-1])
        closing = self._phrase(f"{tongue}_closings")
        return "\n\n".join((*blocks, closing) if closing else blocks)

    def thinking(self, length: int) -> str:
        """Return about `length` characters of English reasoning."""
        return self._lines("en_facts", length, " ")

    def output(self, length: int) -> str:
        """Return about `length` characters of what a command prints."""
        return self._lines("output_lines", length, "\n")

    def code(self, lines: int) -> str:
        """Return `lines` lines of source code."""
        return "\n".join(self._phrase("code_lines") for _ in range(lines))

    def word(self, slot: str) -> str:
        """Return a word of the kind `slot` (a letter of the phrase file): mostly the topic's own."""
        chance = self._rng.random()
        if chance < _TOPIC_SHARE:
            return self._choice(self._topic[slot])
        if chance < _TOPIC_SHARE + _PROJECT_SHARE:
            return self._choice(self._project[slot])
        return _SLOTS[slot][0](self._rng)

    def _tongue(self) -> str:
        if self._language == "mixed":
            return "ja" if self._rng.random() < 0.5 else "en"
        return self._language

    def _choice(self, options: tuple[str, ...]) -> str:
        return options[int(self._rng.random() * len(options))]

    def _prompt_start(self, tongue: str, length: float) -> str:
        attempts = [self._phrase(f"{tongue}_prompts") for _ in range(4 if length < 30 else 1)]
        return min(attempts, key=lambda text: abs(len(text) - length))

    def _block(self, tongue: str) -> str:
        chance = self._rng.random()
        if chance < 0.45:
            return self._paragraph(tongue, self._rng.randint(2, 5))
        if chance < 0.70:
            return "\n".join(f"- {self._fact(tongue)}" for _ in range(self._rng.randint(2, 6)))
        if chance < 0.78:
            return "\n".join(f"{n}. {self._fact(tongue)}" for n in range(1, self._rng.randint(3, 6)))
        if chance < 0.90:
            return f"```{self.word('t')}\n{self.code(self._rng.randint(2, 14))}\n```"
        return f"## {self._phrase(f'{tongue}_headings')}\n\n{self._paragraph(tongue, 2)}"

    def _paragraph(self, tongue: str, sentences: int) -> str:
        return _joined([self._fact(tongue) for _ in range(sentences)], tongue)

    def _fact(self, tongue: str) -> str:
        if self._rng.random() < _FIXED_SENTENCE_SHARE:
            return self._phrase(f"{tongue}_facts")
        parts = [self._phrase(f"{tongue}_{part}") for part in _SENTENCE_PARTS[tongue]]
        return "".join(parts) if tongue == "ja" else f"{parts[0]} {parts[1]}{parts[2]}"

    def _lines(self, kind: str, length: int, separator: str) -> str:
        lines: list[str] = []
        size = 0
        while size < length:
            lines.append(self._phrase(kind))
            size += len(lines[-1]) + 1
        return separator.join(lines)[: max(1, length)]

    def _phrase(self, kind: str) -> str:
        parts = list(self._rng.choice(_phrases()[kind]))
        for position in range(1, len(parts), 2):
            parts[position] = self.word(parts[position])
        return "".join(parts)


def _joined(sentences: list[str], tongue: str) -> str:
    """Japanese runs on with its own stop between sentences, English with a space."""
    if tongue == "en":
        return " ".join(sentences)
    return (
        "".join(text if text.endswith(("。", "？", "`")) else f"{text}。" for text in sentences[:-1])
        + sentences[-1]
    )


@cache
def _phrases() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the phrases by kind, each split into literal, slot, literal, slot, …, literal."""
    source = tomllib.loads(_PHRASES.read_text(encoding="utf-8"))
    return {
        kind: tuple(tuple(re.split(r"\{(\w)\}", line)) for line in lines) for kind, lines in source.items()
    }
