"""Links made on purpose, and the chains of causes among them."""

from __future__ import annotations

from collections.abc import Sequence

from sui_memory.errors import UsageError
from sui_memory.mind.allowed import choice, whole, words
from sui_memory.mind.association import strongest
from sui_memory.mind.divergence import Path, path_strength
from sui_memory.mind.finding import at_rest, known
from sui_memory.mind.ports import Association, MindStore, Ports, Step
from sui_memory.store.kept import Link, LinkType

MEANT = 0.8
"""Strength of a link that somebody made: more than most likenesses, with room to grow."""

BACKWARD, FORWARD = "backward", "forward"

_NOTE_CHARACTERS = 500
_DEEPEST = 10
_WIDEST = 100


def link(source_id: str, target_id: str, type: str, note: str, *, ports: Ports) -> Link:
    """Store a link of any type but `similar`, and return it; it is never weaker than one it replaces."""
    kind = choice(LinkType, type, "The type of a link", but=(LinkType.SIMILAR,))
    source, target = known(source_id, ports.store), known(target_id, ports.store)
    if source.id == target.id:
        raise UsageError("A memory cannot be linked to itself.")
    text = words(note, "The note", ports.redact, limit=_NOTE_CHARACTERS) if note.strip() else ""
    before = [
        there.strength
        for there in ports.store.kept.links([source.id])
        if (there.source_id, there.target_id, there.type) == (source.id, target.id, kind)
    ]
    made = Link(source.id, target.id, kind, text, max([MEANT, *before]), ports.clock())
    ports.store.kept.link([made])
    return made


def causal_chain(memory_id: str, direction: str, max_depth: int, *, store: MindStore) -> list[Association]:
    """Return the causes of a memory, or its consequences, the nearest first; a cycle is walked once."""
    if direction not in (BACKWARD, FORWARD):
        raise UsageError(f"The direction must be {BACKWARD} or {FORWARD}, not {direction[:50]!r}.")
    depth = whole(max_depth, 1, _DEEPEST, "`max_depth`")
    start = known(memory_id, store).id
    paths: dict[str, Path] = {start: ()}
    frontier = [start]
    while frontier and depth:
        steps = strongest(frontier, _causal(frontier, direction, store))
        frontier = _advance(frontier, steps, paths)
        depth -= 1
    del paths[start]
    return [
        Association(memory, path_strength(paths[memory.id]), paths[memory.id])
        for memory in store.get(list(paths))
    ]


def _advance(frontier: Sequence[str], steps: dict[str, list[Step]], paths: dict[str, Path]) -> list[str]:
    """Note the paths to what was not reached yet, and return it."""
    ahead = []
    for name in frontier:
        for step in steps[name]:
            if step.target_id not in paths and len(paths) <= _WIDEST:
                paths[step.target_id] = (*paths[name], step)
                ahead.append(step.target_id)
    return ahead


def _causal(frontier: Sequence[str], direction: str, store: MindStore) -> list[Step]:
    """Return the steps towards causes or consequences, each named by its link's type."""
    wanted = set(frontier)
    links = store.kept.links(frontier)
    resting = at_rest([name for tie in links for name in (tie.source_id, tie.target_id)], store)
    steps = []
    for found in links:
        if found.type not in (LinkType.CAUSED_BY, LinkType.LEADS_TO):
            continue
        # `caused_by` points from an effect to its cause, `leads_to` from a cause to its effect.
        onward = (found.type is LinkType.CAUSED_BY) == (direction == BACKWARD)
        here, there = (found.source_id, found.target_id) if onward else (found.target_id, found.source_id)
        if here in wanted and there not in resting:
            steps.append(Step(here, there, found.type.value, found.strength, found.note))
    return steps
