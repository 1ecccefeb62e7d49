"""The words of lessons and reminders as they are stored: on one line, without secrets, not too long."""

from __future__ import annotations

import re
from collections.abc import Callable
from unicodedata import name

from sui_memory.errors import UsageError
from sui_memory.mind.triggers import folded
from sui_memory.text import clean

Redact = Callable[[str], tuple[str, int]]
"""Gives a text without secrets, and how many were masked."""

LONGEST_ACTION = 300
LONGEST_KEYWORD = 100
_LETTER = re.compile(r"\w")


def action_of(text: str, redact: Redact) -> str:
    """Return an action as it is stored; `UsageError` for none and for a long one."""
    action = _line(text, redact)
    if not action:
        raise UsageError("An action needs words: say what is to be done.")
    if len(action) > LONGEST_ACTION:
        raise UsageError(f"An action has at most {LONGEST_ACTION} characters; this one has {len(action):,}.")
    return action


def keyword_of(text: str, redact: Redact) -> str:
    """Return a keyword as it is stored; `UsageError` for one that is empty, long, or in nearly every text."""
    if redact(clean(text))[1]:
        raise UsageError(
            "The trigger holds what looks like a secret, and masked it never comes up: write it without."
        )
    keyword = _line(text, redact)
    sought = folded(keyword)
    if not _LETTER.search(sought):
        raise UsageError(f"A trigger needs a word: {text!r} has none.")
    if len(sought) > LONGEST_KEYWORD:
        raise UsageError(f"A trigger has at most {LONGEST_KEYWORD} characters; this one has {len(sought):,}.")
    if len(sought) == 1 and not name(sought, "").startswith("CJK UNIFIED"):
        raise UsageError(f"The trigger {keyword!r} is in nearly every text: give a longer one.")
    return keyword


def _line(text: str, redact: Redact) -> str:
    # Redacted before the lines are joined: a rule may look for the end of one.
    return " ".join(redact(clean(text))[0].split())
