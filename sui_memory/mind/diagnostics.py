"""How the memories that a context finds hang together. Only reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from sui_memory.mind.allowed import asked, count
from sui_memory.mind.association import Ties
from sui_memory.mind.ports import Diagnostics, Ports, Step
from sui_memory.mind.similarity import Similarity
from sui_memory.types import Scope


def diagnose(
    context: str, sample_size: int, *, ports: Ports, ties: Ties, similarity: Similarity
) -> Diagnostics:
    """Return what ties the best hits of a context have, among them and to others."""
    text, size = asked(context, "The context"), count(sample_size)
    sample = [hit.memory.id for hit in ports.search(text, Scope(), size)]
    links = ports.store.kept.links(sample)
    steps = ties.of(sample)
    degrees = [len(steps[name]) for name in sample]
    return Diagnostics(
        sample=tuple(sample),
        link_types=dict(Counter(link.type.value for link in links).most_common()),
        mean_strength=sum(link.strength for link in links) / len(links) if links else 0.0,
        ties=dict(Counter(step.tie for found in steps.values() for step in found).most_common()),
        degree=sum(degrees) / len(degrees) if degrees else 0.0,
        isolated=tuple(name for name in sample if not steps[name]),
        reachable_pairs=reaching(sample, steps),
        pairs=len(sample) * (len(sample) - 1) // 2,
        model=similarity.model,
        threshold=similarity.threshold(),
        counts=ports.store.kept.counts(),
    )


def reaching(sample: Sequence[str], steps: Mapping[str, Sequence[Step]]) -> int:
    """Return how many pairs are tied to each other, either way, or to the same memory."""
    near = {name: {name, *(step.target_id for step in steps.get(name, ()))} for name in sample}
    return sum(1 for one, other in combinations(sample, 2) if near[one] & near[other])
