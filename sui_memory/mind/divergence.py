"""Calling to mind by association: a random walk over ties, and what lies around a hit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import exp, prod
from random import Random

from sui_memory.mind.allowed import asked, count, number, whole
from sui_memory.mind.association import Ties
from sui_memory.mind.ports import Associated, Association, MindStore, Ports, Step
from sui_memory.types import Hit, Scope

Path = tuple[Step, ...]
TiesOf = Callable[[Sequence[str]], Mapping[str, Sequence[Step]]]
"""Gives id → the steps from it, the strongest first."""

_STARTS = 3
"""Hits from which a walk begins."""

_FRONTIER = 30
"""Memories that a walk goes on from, at most: 10 branches 5 deep would be 100,000."""

_DEEPEST = 6
_COLDEST = 0.01  # stands for 0: a tie that is weaker by .1 has one chance in 22,000

_BREADTH = 5
"""Ties of one memory that are followed when all around it is told."""


@dataclass(frozen=True, slots=True)
class Walk:
    """How a walk goes: branches from each memory, steps from its start, how freely, and by which seed."""

    max_branches: int = 3
    max_depth: int = 3
    temperature: float = 0.7
    seed: int = 0

    def __post_init__(self) -> None:
        whole(self.max_branches, 1, 10, "`max_branches`")
        whole(self.max_depth, 1, _DEEPEST, "`max_depth`")
        number(self.temperature, 0, 5, "`temperature`")


def seed_of(context: str, seed: int | None = None) -> int:
    """Return the seed itself, or one that follows from the context."""
    if seed is not None:
        return seed
    return int.from_bytes(blake2b(context.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def walked(starts: Sequence[str], ties_of: TiesOf, walk: Walk) -> dict[str, Path]:
    """Return what a walk reaches, in order, with the path there; no memory twice, and none of the starts.

    From each memory it takes up to `max_branches` of its ties, drawn without replacement by a softmax over
    their strengths. The same seed draws alike.
    """
    # Chosen by a seed so that it can be repeated: no secret depends on it.
    random = Random(walk.seed)  # noqa: S311
    reached: dict[str, Path] = {}
    frontier: list[tuple[str, Path]] = [(name, ()) for name in dict.fromkeys(starts)]
    for _ in range(walk.max_depth):
        ties = ties_of([name for name, _ in frontier]) if frontier else {}
        ahead: list[tuple[str, Path]] = []
        for name, path in frontier:
            fresh = [
                s for s in ties.get(name, ()) if s.target_id not in reached and s.target_id not in starts
            ]
            for step in drawn(fresh, walk.max_branches, walk.temperature, random):
                reached[step.target_id] = (*path, step)
                ahead.append((step.target_id, reached[step.target_id]))
        frontier = ahead[:_FRONTIER]
    return reached


def drawn(steps: Sequence[Step], wanted: int, temperature: float, random: Random) -> list[Step]:
    """Return up to `wanted` different steps, each drawn with a chance as exp(strength / temperature)."""
    left = list(steps)
    chosen: list[Step] = []
    while left and len(chosen) < wanted:
        highest = max(step.strength for step in left)
        weights = [exp((step.strength - highest) / max(temperature, _COLDEST)) for step in left]
        chosen.append(left.pop(random.choices(range(len(left)), weights)[0]))
    return chosen


def path_strength(path: Path) -> float:
    """Return the geometric mean of the steps' strengths: a long path of strong ties is a strong one."""
    return float(prod(step.strength for step in path) ** (1 / len(path))) if path else 1.0


def recall(context: str, n: int, walk: Walk, *, ports: Ports, ties: Ties) -> list[Association]:
    """Return what a walk from the context's hits reaches, the strongest paths first, then the hits."""
    n = count(n)
    hits = _hits(context, max(n, _STARTS), ports)
    starts = [hit.memory.id for hit in hits[:_STARTS]]
    found = _associations(walked(starts, ties.of, walk), ports.store)[:n]
    there = {association.id for association in found}
    plain = [Association(hit.memory, 1.0) for hit in hits if hit.memory.id not in there]
    return [*found, *plain][:n]


def with_associations(context: str, n: int, depth: int, *, ports: Ports, ties: Ties) -> list[Associated]:
    """Return the context's hits, each with what is tied to it over at most `depth` steps."""
    depth = whole(depth, 1, _DEEPEST, "`chain_depth`")
    return [
        Associated(hit, tuple(_associations(spread(hit.memory.id, ties.of, depth), ports.store)))
        for hit in _hits(context, count(n), ports)
    ]


def spread(start: str, ties_of: TiesOf, depth: int) -> dict[str, Path]:
    """Return what lies around a memory with the path there: of each, the five strongest ties are followed."""
    reached: dict[str, Path] = {start: ()}
    frontier = [start]
    for _ in range(depth):
        ties = ties_of(frontier) if frontier else {}
        ahead = []
        for name in frontier:
            for step in ties.get(name, ())[:_BREADTH]:
                if step.target_id not in reached:
                    reached[step.target_id] = (*reached[name], step)
                    ahead.append(step.target_id)
        frontier = ahead[:_FRONTIER]
    del reached[start]
    return reached


def _hits(context: str, n: int, ports: Ports) -> list[Hit]:
    return list(ports.search(asked(context, "The context"), Scope(), n))


def _associations(paths: Mapping[str, Path], store: MindStore) -> list[Association]:
    found = [
        Association(memory, path_strength(paths[memory.id]), paths[memory.id])
        for memory in store.get(list(paths))
    ]
    return sorted(
        found, key=lambda association: (-association.strength, len(association.path), association.id)
    )
