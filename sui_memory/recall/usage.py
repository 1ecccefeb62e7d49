"""What came of the memories that a session was shown: read off the answers that followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from sui_memory.scoring import used
from sui_memory.store.base import MemoryStore
from sui_memory.store.ledger import Injection, Ledger, prompt_hash
from sui_memory.types import Analyzer, Exchange, Scope

MOST = 8
"""Injections judged at once, the newest: a prompt that is archived in other words is never found again."""

_HEAD = 4_000
"""Characters of a memory's answer whose terms are weighed; what was shown of it is far less."""

_SLACK = timedelta(minutes=1)  # between the clock of the hook and the time in the transcript


def judge_shown(session: str, *, store: MemoryStore, ledger: Ledger, analyzer: Analyzer) -> int:
    """Note which memories a session made use of; return the number of prompts that were judged.

    A prompt is known again by its hash. What the answer to it repeats of a memory was used.
    """
    waiting = ledger.unjudged(session, MOST)
    asked = _asked(session, waiting, store)
    known = [one for one in waiting if one.prompt_hash in asked]
    for injection in known:
        exchange = min(asked[injection.prompt_hash], key=lambda it: _apart(it, injection))
        ledger.judge(injection.id, _verdicts(injection, exchange, store, analyzer))
    return len(known)


def _asked(
    session: str, waiting: Sequence[Injection], store: MemoryStore
) -> Mapping[str, Sequence[Exchange]]:
    """Return prompt hash → the answered exchanges of a session in which it was asked."""
    if not waiting:
        return {}
    oldest = min(injection.at for injection in waiting) - _SLACK
    found: dict[str, list[Exchange]] = {}
    for memory in store.scan(Scope(session=session, since=oldest, auto=True)):
        exchange = memory.exchange
        for words in (exchange.question, *exchange.followups) if exchange.answer else ():
            found.setdefault(prompt_hash(words), []).append(exchange)
    return found


def _apart(exchange: Exchange, injection: Injection) -> float:
    """Return the seconds between an exchange and an injection: 「続けて」 is asked again and again."""
    asked = exchange.asked_at
    return abs((asked - injection.at).total_seconds()) if asked else float("inf")


def _verdicts(
    injection: Injection, exchange: Exchange, store: MemoryStore, analyzer: Analyzer
) -> dict[str, bool | None]:
    """Return memory id → whether the exchange drew on it; None when that cannot be told."""
    prompted, following = (_terms(text, analyzer) for text in (exchange.human, exchange.answer))
    verdicts = {}
    for memory in store.get([shown.memory_id for shown in injection.memories]):
        weights = store.rarity(sorted(_terms(memory.exchange.answer[:_HEAD], analyzer)))
        verdicts[memory.id] = used(weights, prompted, following)
    return verdicts


def _terms(text: str, analyzer: Analyzer) -> frozenset[str]:
    return frozenset(analyzer.terms(text).split())
