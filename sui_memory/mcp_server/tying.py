"""Tools about how memories hang together: walks over associations, links, chains and episodes."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

from sui_memory.context import units
from sui_memory.mcp_server.arguments import Within
from sui_memory.mcp_server.finding import Depth, Few
from sui_memory.mcp_server.library import Library
from sui_memory.mcp_server.showing import BUDGET, Entry, bounded, counted, fenced, json_units, listing, minute
from sui_memory.mcp_server.showing import name as named
from sui_memory.mcp_server.tool import Result, Tool
from sui_memory.mind.ports import Association
from sui_memory.store.kept import Episode

_FRAME = 40  # units of what the data has around the two
_MEMBERS = 20
"""Ids of its memories that an episode is listed with."""


class Direction(StrEnum):
    """Which way a chain is followed: to what led here, or to what came of it."""

    BACKWARD = "backward"
    FORWARD = "forward"


def recall_divergent(
    library: Library,
    context: str,
    n_results: Few = 5,
    max_branches: Annotated[int, Within(1, 10)] = 3,
    max_depth: Depth = 3,
    temperature: Annotated[float, Within(0, 2)] = 0.7,
) -> Result:
    """Wander over associations to memories that are not obvious; use it for ideas, not for facts."""
    found = library.mind.recall_divergent(context, n_results, max_branches, max_depth, temperature)
    return _associated(library, found, library.terms(context))


def recall_with_associations(
    library: Library, context: str, n_results: Few = 3, chain_depth: Depth = 2
) -> Result:
    """Recall memories together with those tied to them; use it when background matters."""
    found = library.mind.recall_with_associations(context, n_results, chain_depth)
    entries: dict[str, Entry] = {one.hit.memory.id: Entry.of_hit(one.hit) for one in found}
    for one in found:
        for association in one.associations:
            entries.setdefault(association.id, _entry(association))
    ties = [(one.hit.memory.id, [each.id for each in one.associations]) for one in found]
    lead = f"{counted(len(entries), 'memory', 'memories')}: what was found first, then what is tied to it."
    if not entries:
        lead = "Nothing is found: try other words."
    return listing(
        library,
        lead,
        list(entries.values()),
        terms=library.terms(context),
        data={"associations": dict(bounded(ties, BUDGET // 4))},
    )


class Tie(StrEnum):
    """The links that are made on purpose; `similar` ones are made by themselves."""

    RELATED = "related"
    CAUSED_BY = "caused_by"
    LEADS_TO = "leads_to"
    CONTRADICTS = "contradicts"
    FOLLOWS = "follows"
    EXAMPLE_OF = "example_of"


def link_memories(
    library: Library, source_id: str, target_id: str, link_type: Tie, note: str | None = None
) -> Result:
    """Tie two memories, read as source-type-target; use it when one explains or contradicts another."""
    link = library.mind.link(source_id, target_id, link_type.value, note or "")
    said = f"{link.source_id} {link.type} {link.target_id}"
    return Result(
        f"Linked: {said}.",
        {"source_id": link.source_id, "target_id": link.target_id, "link_type": link.type.value},
    )


def get_causal_chain(
    library: Library, memory_id: str, direction: Direction = Direction.BACKWARD, max_depth: Depth = 3
) -> Result:
    """Follow causes back or consequences forward from a memory; use it to tell why something is so."""
    found = library.mind.causal_chain(memory_id, direction, max_depth)
    return _associated(library, found, (), "No link leads on from there: link_memories makes one.")


def create_episode(
    library: Library,
    title: str,
    memory_ids: tuple[str, ...],
    participants: tuple[str, ...] = (),
    auto_summarize: bool = True,
) -> Result:
    """Put memories of one event together under a title; use it when a story is complete."""
    episode = library.mind.create_episode(title, memory_ids, participants, auto_summarize)
    return _episodes(f"Episode {episode.id} is made.", [episode])


def search_episodes(library: Library, query: str, n_results: Few = 5) -> Result:
    """Find episodes by what happened in them; use it when asked about an event rather than a fact."""
    found = library.mind.search_episodes(query, n_results)
    lead = f"{counted(len(found), 'episode')}, best first." if found else "No episode is found."
    return _episodes(lead, found)


def get_episode_memories(library: Library, episode_id: str) -> Result:
    """Read the memories of an episode in order of time; use it to tell what happened."""
    episode = library.mind.episode(episode_id)
    memories = library.mind.episode_memories(episode.id)
    lead = f"Episode {episode.id}: {counted(len(memories), 'memory', 'memories')} in order of time."
    return listing(library, lead, [Entry(memory) for memory in memories], data={"episode_id": episode.id})


def _associated(
    library: Library, found: Sequence[Association], terms: Sequence[str], nothing: str = "Nothing is found."
) -> Result:
    lead = counted(len(found), "memory", "memories") + " reached." if found else nothing
    return listing(library, lead, [_entry(each) for each in found], terms=terms)


def _entry(association: Association) -> Entry:
    facts: dict[str, Any] = {"strength": round(association.strength, 3)}
    if association.path:
        facts["via"] = " → ".join(f"{step.source_id} {step.tie}" for step in association.path)
        facts["path"] = [
            {"source_id": step.source_id, "target_id": step.target_id, "tie": step.tie}
            for step in association.path
        ]
    return Entry(association.memory, facts=facts)


def _episodes(lead: str, episodes: Sequence[Episode]) -> Result:
    rows: list[dict[str, Any]] = [
        {
            "id": each.id,
            "created_at": minute(each.created_at),
            "memories": len(each.memory_ids),
            "memory_ids": each.memory_ids[:_MEMBERS],
        }
        for each in episodes
    ]
    rows = bounded(rows, BUDGET // 2)
    lines = [f"- {row['id']} · {counted(row['memories'], 'memory', 'memories')}" for row in rows]
    head = "\n".join([lead, *lines])
    block = fenced(list(map(_told, episodes)), BUDGET - max(units(head), json_units(rows)) - _FRAME)
    return Result("\n".join(filter(None, [head, block])), {"episodes": rows, "recalled": block})


def _told(episode: Episode) -> str:
    people = f" (with {', '.join(map(named, episode.participants))})" if episode.participants else ""
    return f"- {episode.id} · {named(episode.title)}{people}: {episode.summary}"


TOOLS = (
    Tool(recall_divergent, reads=True),
    Tool(recall_with_associations, reads=True),
    Tool(link_memories),
    Tool(get_causal_chain, reads=True),
    Tool(create_episode),
    Tool(search_episodes, reads=True),
    Tool(get_episode_memories, reads=True),
)
