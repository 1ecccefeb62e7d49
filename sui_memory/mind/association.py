"""The ties between memories: stored links, a shared episode, the next words of a talk, and likeness."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sui_memory.mind.finding import at_rest
from sui_memory.mind.ports import MindStore, Step
from sui_memory.mind.similarity import Similarity
from sui_memory.store.kept import KEPT

EPISODE, ADJACENT, NEAR = "episode", "adjacent", "near"
"""The ties that no stored link makes."""

EPISODE_STRENGTH = 0.5
"""Of memories that somebody put together: as strong as the weakest similarity link."""

ADJACENT_STRENGTH = 0.3
"""Of exchanges that follow each other: temporal contiguity binds (Kahana 1996), but talk also wanders."""

_EPISODES = 200  # the newest, whose members are looked through
_MATES = 10  # of one memory, over all its episodes


class Ties:
    """Finds where one can go from memories. What is at rest is nowhere to go."""

    def __init__(self, store: MindStore, similarity: Similarity) -> None:
        self._store = store
        self._similarity = similarity

    def of(self, ids: Sequence[str]) -> dict[str, list[Step]]:
        """Return id → steps to other memories, the strongest first, one step to each."""
        found = [*self._linked(ids), *self._episode_mates(ids), *self._adjacent(ids), *self._near(ids)]
        resting = at_rest(list({step.target_id for step in found}), self._store)
        return strongest(ids, (step for step in found if step.target_id not in resting))

    def _linked(self, ids: Sequence[str]) -> Iterator[Step]:
        wanted = set(ids)
        for link in self._store.kept.links(ids):
            for here, there in ((link.source_id, link.target_id), (link.target_id, link.source_id)):
                if here in wanted:
                    yield Step(here, there, link.type.value, link.strength, link.note)

    def _episode_mates(self, ids: Sequence[str]) -> Iterator[Step]:
        inside = self._store.kept.in_episodes(ids)
        if not inside:
            return
        for episode in self._store.kept.episodes(_EPISODES):
            for here in inside.intersection(episode.memory_ids):
                for there in _nearest(episode.memory_ids, here, _MATES):
                    yield Step(here, there, EPISODE, EPISODE_STRENGTH, episode.title)

    def _adjacent(self, ids: Sequence[str]) -> Iterator[Step]:
        """Yield steps within conversations: what was kept on purpose one after the other is no talk."""
        talks = [memory.id for memory in self._store.get(ids) if memory.exchange.session != KEPT]
        for here, others in self._store.adjacent(talks).items():
            for there in others:
                yield Step(here, there, ADJACENT, ADJACENT_STRENGTH)

    def _near(self, ids: Sequence[str]) -> Iterator[Step]:
        for like in self._similarity.likes(self._store.kept.vectors(ids).items()):
            yield Step(like.memory_id, like.other_id, NEAR, like.strength)


def strongest(ids: Sequence[str], steps: Iterable[Step]) -> dict[str, list[Step]]:
    """Return id → its steps, the strongest to each other memory, in order of strength."""
    best: dict[str, dict[str, Step]] = {name: {} for name in ids}
    for step in steps:
        there = best[step.source_id].get(step.target_id)
        if step.target_id != step.source_id and (there is None or step.strength > there.strength):
            best[step.source_id][step.target_id] = step
    return {
        name: sorted(found.values(), key=lambda step: (-step.strength, step.target_id))
        for name, found in best.items()
    }


def _nearest(members: Sequence[str], here: str, count: int) -> list[str]:
    """Return the other members of an episode, those beside it in time first."""
    at = members.index(here)
    order = sorted(range(len(members)), key=lambda number: abs(number - at))
    return [members[number] for number in order if number != at][:count]
