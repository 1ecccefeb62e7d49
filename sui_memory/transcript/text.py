"""Text as it enters: what people typed and what the assistant said, made safe to store."""

from __future__ import annotations

import re
import unicodedata

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Return NFC text with Unix newlines, without terminal colours, control characters and surrogates."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text))
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", text).strip()
