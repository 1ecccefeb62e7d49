"""Lessons that the archive suggests, by rule: what failed and was mended, and what had to be corrected.

Exchanges keep what was said, not what tools printed. So that something failed is known by the error that a
person pasted or told of, that it was mended by what they said then, and a correction by how it begins.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise

from sui_memory.mind.wording import LONGEST_ACTION
from sui_memory.scoring.diversity import alike, shingles
from sui_memory.types import Branch, Exchange, Memory

MENDED, CORRECTED = "mended", "corrected"

_NEAR = 4
"""Exchanges after an error within which it is mended; what works later may be something else."""

_HEAD = 60
"""Characters in which a correction is said: later ones belong to what is asked for."""

_MOST_KEYWORDS = 3

_ERROR = re.compile(
    r"\b\w*(?:Error|Exception)\b|\bTraceback\b|\bfail(?:ed|s|ing|ure)\b|\berror\b|command not found|\bpanic:"
    r"|エラー|失敗|落ち(?:る|た|ます)|動かない|動きません|できない|通らない",
    re.IGNORECASE,
)
_MENDED = re.compile(
    r"直った|直りました|治った|動いた|動きました|通った|通りました|解決し(?:た|ました)|うまくいっ(?:た|てる)"
    r"|\b(?:it |that |this )?works? now\b|\bthat (?:worked|fixed it|did it)\b|\bthat works\b|\bit works\b"
    r"|\b(?:is|it's|all) fixed\b|\bfixed[.!]|^fixed\b|\bpasses now\b",
    re.IGNORECASE,
)
_STILL = re.compile(
    r"直ってない|直らない|まだ|動いてない|動かない|not fixed|doesn't work|does not work|\bstill\b|\?|？",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"^(?:いや[、,\s]*)?(?:違う|ちがう|違います|違くて|そうじゃな|そうではな)"
    r"|(?:じゃなくて|ではなくて|じゃなく、|ではなく、)"
    r"|^no[,.!\s]+(?:do not|don't|not|use|i |that|it|the)|\bnot like that\b|^(?:please )?don't\b"
    r"|^(?:use|do|write|put)\b.{0,40}\binstead\b|^stop\b",
    re.IGNORECASE,
)
# What names a thing best comes first.
_TELLING = (
    re.compile(
        r"\b(?:git|gh|npm|npx|pnpm|yarn|uv|pip|poetry|docker|cargo|go|make|kubectl|terraform|pytest|ruff|mypy)"
        r"[ \t]+[a-z][\w:.-]*"
    ),
    re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b|\bE[A-Z]{4,}\b"),
    re.compile(r"\b[\w-]+\.(?:py|ts|tsx|js|json|toml|ya?ml|sql|go|rs|cs|md|css|html|sh)\b"),
    re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b"),
    re.compile(r"[ァ-ヴー]{3,}"),
    re.compile(r"[一-龠]{2,6}"),
    re.compile(r"\b[A-Za-z]{6,}\b"),
)
_SENTENCE = re.compile(r"[^。．!！\n]+[。．!！]?")
_EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Candidate:
    """What could become a lesson, the memory that it comes from, and how often the like was found."""

    kind: str
    keywords: tuple[str, ...]
    action: str
    source_id: str
    times: int = 1


def suggest(memories: Iterable[Memory], *, limit: int = 10) -> list[Candidate]:
    """Return candidates from memories, those that were found most often first, then the latest."""
    found = [candidate for session in _sessions(memories) for candidate in _candidates(session)]
    return sorted(_merged(found[::-1]), key=lambda candidate: -candidate.times)[:limit]


def _sessions(memories: Iterable[Memory]) -> list[list[Exchange]]:
    """Return the exchanges of each session in order, the sessions by when they ended."""
    sessions: defaultdict[str, list[Exchange]] = defaultdict(list)
    for memory in memories:
        exchange = memory.exchange
        if exchange.branch is Branch.MAIN and not exchange.auto and not exchange.sidechain:
            sessions[exchange.session].append(exchange)
    ordered = [sorted(session, key=_moment) for session in sessions.values()]
    return sorted(ordered, key=lambda session: _moment(session[-1]))


def _moment(exchange: Exchange) -> datetime:
    return exchange.asked_at or _EARLIEST


def _candidates(session: Sequence[Exchange]) -> Iterator[Candidate]:
    yield from _mended(session)
    for before, after in pairwise(session):
        if before.answer and _CORRECTION.search(after.question[:_HEAD]):
            yield from _candidate(CORRECTED, before.question, after.question, after)


def _mended(session: Sequence[Exchange]) -> Iterator[Candidate]:
    """Yield what was done between an error and the word that it works: the last answer before that word."""
    failing: tuple[int, Exchange] | None = None
    for number, exchange in enumerate(session):
        words = exchange.question
        if (
            failing
            and _MENDED.search(words[-_HEAD:] if len(words) > _HEAD else words)
            and not _STILL.search(words)
        ):
            first, failed = failing
            if number - first <= _NEAR:
                yield from _candidate(
                    MENDED, failed.question, session[number - 1].answer, session[number - 1]
                )
            failing = None
        elif failing is None and _ERROR.search(words):
            failing = number, exchange


def _candidate(kind: str, trigger: str, action: str, source: Exchange) -> Iterator[Candidate]:
    keywords = _keywords(trigger)
    said = _gist(action)
    if keywords and said:
        yield Candidate(kind, keywords, said, source.id)


def _keywords(text: str) -> tuple[str, ...]:
    """Return the words by which the moment is known again, of the most telling kind that the text has."""
    for pattern in _TELLING:
        if words := [" ".join(found.split()) for found in pattern.findall(text)]:
            return tuple(dict.fromkeys(words))[:_MOST_KEYWORDS]
    return ()


def _gist(text: str) -> str:
    """Return the first sentences of a text that an action has room for."""
    said = ""
    for sentence in _SENTENCE.finditer(text):
        longer = " ".join(text[: sentence.end()].split())
        if len(longer) > LONGEST_ACTION:
            break
        said = longer
    return said or " ".join(text.split())[:LONGEST_ACTION]


def _merged(found: Iterable[Candidate]) -> list[Candidate]:
    """Return candidates without near-duplicates; the first of each counts the others."""
    kept: list[tuple[Candidate, frozenset[str]]] = []
    for candidate in found:
        own = shingles(f"{' '.join(candidate.keywords)} {candidate.action}")
        same = next((at for at, (_, other) in enumerate(kept) if alike(own, other)), None)
        if same is None:
            kept.append((candidate, own))
        else:
            first, other = kept[same]
            kept[same] = replace(first, times=first.times + 1), other
    return [candidate for candidate, _ in kept]
