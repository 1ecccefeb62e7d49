"""Small exchanges and an analyzer that depends on nothing, for the tests of stores."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sui_memory.store import Change, MemoryStore, Source, SourceChange
from sui_memory.types import Exchange, Indexed, Passage, Scope

EVERYTHING = Scope(auto=True, sidechains=True)
EVERYTHING = Scope(auto=True, sidechains=True)
START = datetime(2026, 1, 1, 9, tzinfo=UTC)


@dataclass(frozen=True)
class PlainAnalyzer:
    """Takes what lies between other characters than letters and digits for words."""

    version: str = "plain-1"
    fts_tokenizer: str = "porter unicode61 tokenchars '_./-#@:~+'"

    def terms(self, text: str) -> str:
        return " ".join(re.findall(r"\w+", self.fold(text)))

    def query_terms(self, text: str) -> list[str]:
        return list(dict.fromkeys(self.terms(text).split()))

    def fold(self, text: str) -> str:
        return unicodedata.normalize("NFKC", text).casefold()

    def sounds(self, terms: Sequence[str]) -> list[str]:
        return [self.fold(term) for term in terms]


def exchange(
    key: str = "k1", question: str = "鍵はどこですか", answer: str = "机の上です", **fields: Any
) -> Exchange:
    """Return an exchange; times follow the number at the end of the key."""
    number = int(re.sub(r"\D", "", key) or 0)
    return Exchange(
        **{
            "key": key,
            "fingerprint": f"f-{key}",
            "session": "s1",
            "project": "/code/app",
            "question": question,
            "answer": answer,
            "asked_at": START + timedelta(minutes=number),
            "answered_at": START + timedelta(minutes=number, seconds=30),
            **fields,
        }
    )


def indexed(value: Exchange, size: int = 10_000, analyzer: PlainAnalyzer | None = None) -> Indexed:
    """Return the exchange with passages of at most `size` characters."""
    analyzer = analyzer or PlainAnalyzer()
    passages = []
    for ordinal, start in enumerate(range(0, len(value.text), size)):
        stop = min(start + size, len(value.text))
        question, answer = value.sides(start, stop)
        terms = analyzer.terms(question), analyzer.terms(answer)
        passages.append(Passage(ordinal, start, stop, question, answer, *terms))
    return Indexed(value, tuple(passages))


def source(path: str = "/t/a.jsonl", offset: int = 10, head: bytes = b"head") -> Source:
    """Return a source read up to `offset`."""
    return Source(path, "claude-code", offset, head, offset, 1)


def change(
    *exchanges: Exchange,
    path: str = "/t/a.jsonl",
    before: Source | None = None,
    offset: int = 10,
    deletes: tuple[str, ...] = (),
    segments: tuple[bytes, ...] = (),
    keep: int = 0,
    size: int = 10_000,
) -> Change:
    """Return the change of one source that adds these exchanges."""
    step = SourceChange(before, source(path, offset), segments, keep)
    return Change((step,), tuple(indexed(value, size) for value in exchanges), deletes)


def words(store: MemoryStore, *terms: str, scope: Scope = EVERYTHING, limit: int = 50) -> set[str]:
    """Return the ids of what a search for words finds."""
    return {match.memory_id for match in store.search_words(terms, scope, limit)}


def trigrams(store: MemoryStore, text: str, scope: Scope = EVERYTHING, limit: int = 50) -> set[str]:
    """Return the ids of what a search for trigrams finds."""
    return {match.memory_id for match in store.search_trigrams(text, scope, limit)}


def substring(store: MemoryStore, text: str, scope: Scope = EVERYTHING, limit: int = 50) -> set[str]:
    """Return the ids of what a search for a substring finds."""
    return {match.memory_id for match in store.search_substring(text, scope, limit)}
