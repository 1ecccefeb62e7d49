"""Index terms of everything that is not Japanese: words, identifiers, paths, versions, codes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sui_memory.text import fold

# Longer terms are hashes and encoded data. FTS5's porter stemmer also stops at 64 bytes.
MAX_TERM = 64
# Beyond this a run without spaces is data, whatever its punctuation.
_MAX_WORD = 512
# A path of 64 folders is not asked for by its 65th.
_MAX_PARTS = 32

# Characters that hold an identifier together, besides letters, digits and `_`.
JOINERS = "-.:/~#@+"

# In order: `c++`, `c#`; else an optional prefix (`--flag`, `#12`, `@scope`, `.env`) and joined words.
# A contraction's tail (`don't`) is taken along so that it does not become a word of its own.
_WORD = re.compile(
    r"\b[A-Za-z](?:\+\+|#(?!\w))"
    r"|(?:--?(?=[A-Za-z])|\#(?=\d)|[@.](?=\w))?"
    rf"\w+(?:[{re.escape(JOINERS)}]+\w+)*(?:['’](?:s|t|d|m|ll|re|ve)\b)?"
)
_FOREIGN_TO_INDEX = re.compile(rf"[^\w{re.escape(JOINERS)}]+")
# From the widest part to the narrowest: path and namespace, file name, words, camel case.
_BORDERS = (re.compile(r"[/:]+"), re.compile(r"\."), re.compile(r"[-_~#@+]+"))
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+")
_VERSION = re.compile(r"v(?=\d+\.)", re.IGNORECASE)

# Lucene's English stop set, with the pronouns, auxiliaries and contractions of conversation.
# Left out of the index too: a quarter smaller on English conversations, recall the same.
_ENGLISH = """
a an and are as at be but by for if in into is it no not of on or such that the their then there
these they this to was will with i me my we us our you your he him his she her its them what which
who when where why how am been being were has have had do does did can could should would may might
must shall from so than too very just about don doesn didn isn aren wasn weren won wouldn couldn
shouldn hasn haven hadn ain ll ve
"""
STOP_WORDS = frozenset(_ENGLISH.split())


def words(text: str) -> list[str]:
    """Return the words and identifiers of a text without Japanese, in order, as written."""
    return _WORD.findall(text)


def word_terms(word: str) -> str:
    """Return the terms of one word, separated by spaces: the whole, then its parts; empty for a stop word.

    `src/app/useAuth.ts` gives itself, `src`, `app`, `useauth.ts`, `useauth`, `use`, `auth`, `ts`.
    """
    word = word.partition("://")[2] or word
    word = re.split("['’]", word, maxsplit=1)[0]
    if _is_stop_word(word) or _is_data(word):
        return ""
    terms = dict.fromkeys(clean(piece) for piece in (word, *_parts(word)))
    return " ".join([term for term in terms if 0 < len(term) <= MAX_TERM][:_MAX_PARTS])


def clean(term: str) -> str:
    """Return a term folded, without the characters the index would split it at."""
    return _FOREIGN_TO_INDEX.sub("", fold(term))


def _is_stop_word(word: str) -> bool:
    # Capitals mean another word: IT, OR, US.
    return word.lower() in STOP_WORDS and not (len(word) > 1 and word.isupper())


def _is_data(word: str) -> bool:
    """Tell whether a long word is encoded bytes: base64 has neither dots, dashes nor underscores."""
    return len(word) > _MAX_WORD or (len(word) > MAX_TERM and not re.search(r"[-._:]", word))


def _parts(word: str) -> Iterator[str]:
    """Yield the parts worth finding by themselves: not single letters, short numbers, or stop words."""
    for part in _split(word.strip(JOINERS)):
        shortest = 3 if part.isdigit() else 2
        if len(part) >= shortest and part.lower() not in STOP_WORDS:
            yield part


def _split(word: str, level: int = 0) -> Iterator[str]:
    yield word
    if _VERSION.match(word):
        yield word[1:]
    if level == len(_BORDERS):
        yield from _camel_parts(word)
        return
    for part in _BORDERS[level].split(word):
        yield from _split(part, level + 1)


def _camel_parts(word: str) -> list[str]:
    """Return the humps of `camelCase`; none for `iOS` or random letters, whose humps average under 3."""
    if not word.isascii() or word.islower() or word.isupper():
        return []
    humps = _CAMEL.findall(word)
    return humps if len(humps) > 1 and len(word) >= 3 * len(humps) else []
