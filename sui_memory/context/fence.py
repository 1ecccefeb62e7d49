"""The fence around recalled memories, and what keeps stored text from imitating it.

Stored text was written by others, perhaps with intent. It must not end the block, open another one,
pass for a message of the client, or hide anything from the eyes of who reads it.
"""

from __future__ import annotations

import re
from unicodedata import category

from sui_memory.text import clean

TAG = "recalled-memories"
"""The name of the block; the transcript reader knows it and archives no block of that name."""

OPENING, CLOSING = f"<{TAG}>", f"</{TAG}>"

_HARMLESS = "‹"
# `<` and what looks or normalises like it.
_BRACKET = "[<＜﹤〈《⟨⟪❬❮❰≪⧼˂ᐸ\u2329\u276e\u00ab]"
_LOOSE = r"[\s/／\\⁄∕|]*"
_DASH = r"[\s\-‐-―−－﹣﹘_＿.:]*"
# Its own names in any spelling; else whatever is named as the client names its messages, or as roles are.
_OWN = "recalled-memories recalled-memory system-reminder user-prompt-submit-hook session-start-hook"
_ROLES = "system|user|human|assistant|instructions?|function_(?:calls|results)|invoke"
_TAG_NAME = rf"(?:\w+(?:[-:]\w+)+|{_ROLES})\b"
_FULL_WIDTH = 0xFEE0  # from a Latin letter to its full-width form

# Drawn as nothing, though not of a category that says so: fillers, joiners, variation selectors.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff\u2800]"
)
# Categories that show nothing: marks of direction and width, controls, private use, what is not assigned.
_UNSEEN = frozenset(("Cf", "Cc", "Cs", "Co", "Cn"))
_LINES = re.compile("[\x85\u2028\u2029]")


def _loosely(name: str) -> str:
    """Return a pattern for a name in half or full width, joined by any dash, blank or nothing."""
    parts = (
        "".join(f"[{char}{chr(ord(char) + _FULL_WIDTH)}]{_DASH}" for char in part) for part in name.split("-")
    )
    return _DASH.join(parts)


# A type parameter, as in `List<User>`, is none of the client's tags.
_IMITATION = re.compile(
    rf"{_BRACKET}(?={_LOOSE}(?:{'|'.join(map(_loosely, _OWN.split()))}))"
    rf"|{_BRACKET}(?=[/／]{_TAG_NAME})|(?<!\w){_BRACKET}(?={_TAG_NAME})"
    rf"|(?<=\w){_BRACKET}(?!(?-i:[A-Z]))(?={_TAG_NAME})",
    re.IGNORECASE,
)


def defused(text: str) -> str:
    """Return stored text on one line, without what is invisible, and without anything like the fence.

    Tags of the client's kind lose their bracket; the result can be encoded as UTF-8.
    """
    text = _LINES.sub("\n", clean(text))
    if not text.isascii():
        visible = _INVISIBLE.sub("", " ".join(text.split()))
        text = "".join(char for char in visible if category(char) not in _UNSEEN)
    return _IMITATION.sub(_HARMLESS, " ".join(text.split()))
