"""Consolidation: what was called to mind together is replayed, and its ties grow stronger."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations

from sui_memory.mind.allowed import number, whole
from sui_memory.mind.finding import at_rest
from sui_memory.mind.ports import Consolidation, Ports
from sui_memory.mind.similarity import Similarity
from sui_memory.store.kept import Activation, LinkType

Pair = tuple[str, str]

_HOURS = 24 * 366
_EVENTS = 10_000
_TOGETHER = 10
"""Memories of one moment that are paired: of those shown together, the best; 45 pairs."""

_NOTES = 200
"""Kept memories, the newest, whose missing similarity links are looked for at once: a second or less."""


@dataclass(frozen=True, slots=True)
class Replay:
    """How far back to replay, at most how many activations, and by how much one replay strengthens."""

    window_hours: float = 24
    max_events: int = 200
    strength: float = 0.2

    def __post_init__(self) -> None:
        number(self.window_hours, 0.01, _HOURS, "`window_hours`")
        whole(self.max_events, 1, _EVENTS, "`max_replay_events`")
        number(self.strength, 0.01, 1, "`link_update_strength`")


def consolidate(replay: Replay, *, ports: Ports, similarity: Similarity) -> Consolidation:
    """Strengthen the links between what was called to mind together, and make missing similarity links."""
    now = ports.clock()
    store = ports.store
    events = store.kept.activations(now - timedelta(hours=replay.window_hours), replay.max_events)
    resting = at_rest(list({event.memory_id for event in events}), store)
    events = [event for event in events if event.memory_id not in resting]
    strengthened = 0
    for times, pairs in _by_times(together(events)).items():
        strengthened += store.kept.strengthen(pairs, min(1.0, replay.strength * times))
    linked = tie_likes([event.memory_id for event in events], ports=ports, similarity=similarity)
    return Consolidation(len(events), len({event.at for event in events}), strengthened, linked)


def together(events: Sequence[Activation]) -> Counter[Pair]:
    """Return in how many moments each pair of memories was called to mind; a pair is in order of id."""
    moments: dict[datetime, list[str]] = defaultdict(list)
    for event in events:
        if event.memory_id not in moments[event.at]:
            moments[event.at].append(event.memory_id)
    return Counter(pair for names in moments.values() for pair in combinations(sorted(names[:_TOGETHER]), 2))


def _by_times(pairs: Counter[Pair]) -> dict[int, list[Pair]]:
    groups: dict[int, list[Pair]] = defaultdict(list)
    for pair, times in pairs.items():
        groups[times].append(pair)
    return groups


def tie_likes(replayed: Sequence[str] = (), *, ports: Ports, similarity: Similarity) -> int:
    """Tie the newest kept memories, and those replayed, to what is like them; return how many links are new.

    Those with a similarity link of their own have been tied; without a threshold nothing is alike yet.
    """
    store = ports.store
    ids = list(dict.fromkeys([*(kept.id for kept in store.kept.recent(limit=_NOTES)), *replayed]))
    if not ids:
        return 0
    tied = {link.source_id for link in store.kept.links(ids) if link.type is LinkType.SIMILAR}
    vectors = similarity.fresh(store.kept.vectors([name for name in ids if name not in tied]))
    links = similarity.links(vectors.items(), ports.clock())
    return store.kept.link(links) if links else 0
