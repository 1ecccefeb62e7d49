"""Where a model finds strangers alike, a fixed cosine merges nothing that chance explains."""

from datetime import UTC, datetime, timedelta

import pytest

from sui_memory.sleep import Thresholds, plan
from sui_memory.store.kept import KeptMemory, Note
from sui_memory.types import Exchange, Memory

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def kept(name: str) -> KeptMemory:
    exchange = Exchange(name, name, "kept", "", f"{name}の話", asked_at=NOW - timedelta(days=40))
    return KeptMemory(Memory(exchange), Note())


@pytest.mark.parametrize(("chance", "merges"), [(0.0, 1), (0.85, 1), (0.95, 0)])
def test_likes_must_be_nearer_than_chance(chance: float, merges: int):
    one, other = kept("釣り"), kept("会計")
    vectors = {one.id: [1.0, 0.0], other.id: [0.9, 0.4359]}
    found = plan([one, other], vectors, (), NOW, thresholds=Thresholds(chance=chance))
    assert len(found.merged) == merges
