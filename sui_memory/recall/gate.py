"""The gate: prompts that ask for nothing are told before anything is looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from sui_memory.recall.cue import Cue
from sui_memory.recall.routine import CHATTER, CHORES, SMALL_TALK
from sui_memory.transcript.envelopes import INTERRUPT, command_line, shell_line, spoken


class Silence(StrEnum):
    """Why a prompt is answered with nothing, as the ledger keeps it."""

    MACHINE = "machine prompt"
    COMMAND = "command"
    SMALL_TALK = "small talk"
    ORDER = "plain order"
    POINTING = "points at what is on the screen"
    WORDLESS = "no words"
    VAGUE = "only common words"
    NOTHING = "nothing found"
    WEAK = "too little evidence"


RARE_SHARE = 0.4
"""A word is rare when its IDF has this share of the highest there can be: in 7,000 passages one that 3 %
hold, in 100 one that 15 % hold. A prompt of one or two words needs such a word."""

_SHORT = 2  # terms of a prompt that is nothing but a word or two
_COMMAND = re.compile(r"\s*/[\w:.-]+(?=\s|\Z)")
_SHELL = re.compile(r"\s*!(?=\s?\S)")
_WONDERS = re.compile(
    r"なぜ|何故|どう(?!ぞ|も|か)|どこ|いつ|どれ|どの|どっち|だれ|誰|何[がをにでのは]|なに|なんで|っけ|理由|経緯"
    r"|(?i:\b(?:what|why|how|where|when|which|who|whose|did|reason)\b)"
)
_REMINDED = re.compile(
    r"教えて|思い出|覚えて|前に|前回|以前|先日|この間|この前|昨日|先週|先月|決めた|決まった|だった|でした"
    r"|(?i:\b(?:remind|remember|recall|tell me|last (?:time|week|month)|earlier|previous(?:ly)?|decided)\b)"
)
_DO = (
    "add|apply|build|bump|change|check|clean|close|commit|convert|copy|create|delete|deploy|disable|drop|enable"
    "|explain|extract|fix|format|generate|implement|include|install|keep|leave|make|mark|merge|migrate|move|open"
    "|port|print|push|put|rebase|redo|refactor|remove|rename|replace|rerun|retry|revert|rewrite|run|set|show"
    "|simplify|skip|sort|split|squash|start|stop|summari[sz]e|swap|switch|test|tidy|translate|trim|try|turn|undo"
    "|update|upgrade|use|wrap|write"
)
"""Verbs that open an order in English."""
_IMPERATIVE = re.compile(
    r"\s*(?i:(?:ok|okay|yes|no|now|then|also|and|so|please|can you|could you|would you|let's|just)[,.!]?\s+)*"
    rf"(?i:{_DO})\b|\s*(?i:and (?:now|then)|also|next)\b"
)
_WHAT = re.compile(r"\bwhat\b", re.IGNORECASE)  # "fix what it finds" is an order, "explain why" is none
_ORDERS = re.compile(
    r"(?:(?:て(?:おいて|みて)?|(?<!ま)で)(?:ください|下さい|ほしい|欲しい|(?:くれ|もらえ|いただけ|くださ)"
    r"(?:る|い|ます|ますか|ませんか|いますか|いませんか)?)?"
    r"|お?願い(?:し(?:ます|たい))?(?:です)?|よろしく(?:お願いします)?|頼む|頼みます|[しろよ]う|[しせけべてめれえ]ろ"
    r"|追加|修正|削除|更新|変更|作成|実装|対応)[ねよ]?[。.!！?？\s]*\Z"
)
_POINTS = re.compile(
    r"さっき|(?:今|いま)の|[そこ](?:の|れ|ちら|っち)|次の|もう(?:一|1|ひとつ)|続き|残り|[上下]の|同じ"
    r"|(?i:\b(?:the (?:other|rest|next|last|first|second)|same|next|one more)\b)"
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
    wonders = _WONDERS.search(words)
    if not rest or (len(telling) > 1 and not wonders and all(term in CHATTER for term in rest)):
        return Silence.SMALL_TALK
    return Silence.ORDER if not wonders and all(term in CHORES for term in rest) else None


def pointing(words: str, terms: Iterable[str]) -> Silence | None:
    """Return why words ask for nothing: a word or two about what is there, "same for that file"; or None."""
    telling = [term for term in terms if term not in SMALL_TALK]
    if len(telling) > _SHORT or not _POINTS.search(words):
        return None
    is_question = re.search(r"[?？]", words) or _WONDERS.search(words) or _REMINDED.search(words)
    return None if is_question else Silence.POINTING


def is_order(words: str) -> bool:
    """Say whether words tell the assistant to do something, rather than ask or remind it of something."""
    if _REMINDED.search(words):
        return False
    if _IMPERATIVE.match(words):
        return not _WONDERS.search(_WHAT.sub("", words))
    return bool(_ORDERS.search(words)) and not _WONDERS.search(words)


def vague(cue: Cue) -> Silence | None:
    """Return why a cue of a word or two is too little; None when one of them is rare, or there are more."""
    if len(cue.weights) > _SHORT or max(cue.weights.values(), default=0.0) >= RARE_SHARE * cue.most:
        return None
    return Silence.VAGUE


def _width(term: str) -> int:
    """Return how much a character of a term says: a kanji is a word, a Latin or kana letter is none."""
    return 2 if any("一" <= char <= "鿿" for char in term) else 1
