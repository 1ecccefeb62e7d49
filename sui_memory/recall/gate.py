"""The gate: prompts that ask for nothing are told before anything is looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from sui_memory.recall.cue import Cue
from sui_memory.recall.routine import CHORES, SMALL_TALK
from sui_memory.transcript.envelopes import INTERRUPT, command_line, shell_line, spoken


class Silence(StrEnum):
    """Why a prompt is answered with nothing, as the ledger keeps it."""

    MACHINE = "machine prompt"
    COMMAND = "command"
    SMALL_TALK = "small talk"
    ORDER = "plain order"
    WORDLESS = "no words"
    VAGUE = "only common words"
    NOTHING = "nothing found"
    WEAK = "too little evidence"


RARE_SHARE = 0.35
"""A word is rare when its IDF has this share of the highest there can be: in 7,000 passages one that 3 %
hold, in 100 one that 13 % hold. A prompt of one or two words needs such a word."""

_SHORT = 2  # terms of a prompt that is nothing but a word or two
_COMMAND = re.compile(r"\s*/[\w:.-]+(?=\s|\Z)")
_SHELL = re.compile(r"\s*[!！](?=\S)")
_QUESTION = re.compile(
    r"[?？]|(?:ます|です|ました|でした|だろう|でしょう|った|んだ|の)(?:っけ|か)(?:[。\s]|\Z)|っけ"
    r"|なぜ|何故|どう(?!ぞ|も)|どこ|いつ|どれ|どの|どっち|だれ|誰|理由|経緯"
    r"|(?i:\b(?:what|why|how|where|when|which|who|whose|did|does|was|were)\b)"
)


def said(text: str) -> str:
    """Return what a person said in a prompt; empty for a machine's and for a command without arguments.

    The arguments of a slash command are words to the assistant, its name is not.
    """
    typed = command_line(text)
    if typed is None:
        typed = INTERRUPT.sub("", spoken(text))
    return "" if _SHELL.match(typed) or shell_line(text) is not None else _COMMAND.sub("", typed).strip()


def speechless(text: str) -> Silence:
    """Return why there is nothing that a person said in a prompt."""
    if not text.strip():
        return Silence.WORDLESS
    is_command = command_line(text) is not None or shell_line(text) is not None
    return Silence.COMMAND if is_command or _COMMAND.match(text) or _SHELL.match(text) else Silence.MACHINE


def routine(words: str, terms: Iterable[str]) -> Silence | None:
    """Return why words ask for nothing: there are none, or only those of every day; None when they ask."""
    telling = [term for term in terms if not term.isdigit() and len(term) * _width(term) > 1]
    if not telling:
        return Silence.WORDLESS
    rest = [term for term in telling if term not in SMALL_TALK]
    if not rest:
        return Silence.SMALL_TALK
    is_order = all(term in CHORES for term in rest) and not _QUESTION.search(words)
    return Silence.ORDER if is_order else None


def vague(cue: Cue) -> Silence | None:
    """Return why a cue of a word or two is too little; None when one of them is rare, or there are more."""
    if len(cue.weights) > _SHORT or max(cue.weights.values(), default=0.0) >= RARE_SHARE * cue.ceiling:
        return None
    return Silence.VAGUE


def _width(term: str) -> int:
    """Return how much a character of a term says: a kanji is a word, a Latin or kana letter is none."""
    return 2 if any("一" <= char <= "鿿" for char in term) else 1
