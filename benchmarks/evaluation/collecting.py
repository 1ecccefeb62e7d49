"""What each ranking finds for the questions of a set, kept once, so that it can be fused in many ways."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any
from unittest.mock import patch

from benchmarks.evaluation.metrics import DEPTH
from benchmarks.evaluation.running import archives
from benchmarks.evaluation.sets import EvaluationSet, Question
from sui_memory.config import Settings
from sui_memory.recall import search
from sui_memory.scoring import Rankings
from sui_memory.types import Embedder, Exchange

TUNE = "tune"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the ids of the memories that answer it, and what each ranking found when it was asked.

    `whole` are the ids of the memories that the search came to, best first.
    """

    question: Question
    gold: frozenset[str]
    rankings: Rankings
    now: datetime
    whole: tuple[str, ...] = ()

    @property
    def is_tuning(self) -> bool:
        """Whether it may be learned from: as its set says, else by a hash of its id."""
        return (self.question.split or _half(self.question.id)) == TUNE


def _half(question_id: str) -> str:
    return TUNE if hashed(question_id) % 2 else "test"


def hashed(text: str) -> int:
    """Return a number that is the same for the same text on every machine."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())


def collected(chosen: EvaluationSet, settings: Settings, embedder: Embedder | None) -> list[Asked]:
    """Return all that a set asks with an answer, in the order of its groups, as searches rank it."""
    asked = []
    for app, part, _ in archives(chosen, settings, embedder):
        now = part.now or datetime.now(UTC)
        for question in (question for question in part.queries if question.gold):
            with _kept() as found:
                hits = app.search(question.text, limit=DEPTH).hits
            whole = tuple(hit.memory.id for hit in hits)
            asked.append(Asked(question, memories(question.gold), found[-1], now, whole))
    return asked


@contextmanager
def _kept() -> Iterator[Sequence[Rankings]]:
    """Give what candidates are found inside the block, search by search."""
    asked, found = search.candidates, []

    def candidates(*args: Any, **options: Any) -> Rankings:
        found.append(asked(*args, **options))
        return found[-1]

    with patch.object(search, "candidates", candidates):
        yield found


def memories(keys: Iterable[str]) -> frozenset[str]:
    """Return the ids of the memories that documents became: they depend on nothing else."""
    return frozenset(Exchange(key, key, "", "", "").id for key in keys)
