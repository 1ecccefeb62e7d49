"""One spelling for text that means the same, and none that does harm: Unicode forms, escapes, surrogates."""

from __future__ import annotations

import re
from unicodedata import normalize

# ECMA-48: CSI sequences, OSC strings (ended by BEL or ST), then the two-character escapes.
_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^-~])|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATES = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Return text as it is stored: NFC, Unix newlines, no terminal escapes, controls or lone surrogates."""
    text = strip_ansi(nfc(scrub_surrogates(text)))
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", text).strip()


def fold(text: str) -> str:
    """Return `text` in NFKC and case-folded, so that ＡＰＩ, API and api are one."""
    if text.isascii():
        return text.lower()
    return normalize("NFKC", normalize("NFKC", text).casefold())


def nfc(text: str) -> str:
    """Return `text` in NFC, the form in which it is stored: macOS writes decomposed file names."""
    return text if text.isascii() else normalize("NFC", text)


def strip_ansi(text: str) -> str:
    """Return `text` without terminal escape sequences (ECMA-48 colours, cursor moves, titles)."""
    return _ANSI.sub("", text) if "\x1b" in text or "\x9b" in text else text


def scrub_surrogates(text: str) -> str:
    """Return `text` with each lone surrogate replaced by U+FFFD, so that it can be encoded."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)
