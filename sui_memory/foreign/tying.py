"""Stores what tied memories together elsewhere: links and episodes, each once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sui_memory.foreign.findings import Scene, Tied, digest
from sui_memory.store.kept import Episode, Kept, Link

_ID_CHARS = 12  # as the store's own


def link(ties: Sequence[Tied], ids: Mapping[str, str], kept: Kept, mask: Callable[[str], str]) -> int:
    """Store the links between memories that are here and return how many are new.

    Those known keep their strength. `ids` are digest of a place → id of the memory there.
    """
    found = [
        Link(source, target, tie.type, mask(tie.note), created_at=tie.at)
        for tie in ties
        if (source := ids.get(digest(tie.source))) and (target := ids.get(digest(tie.target)))
    ]
    sources = list({one.source_id for one in found})
    known = {(one.source_id, one.target_id, one.type) for one in kept.links(sources)}
    fresh = [one for one in found if (one.source_id, one.target_id, one.type) not in known]
    return kept.link(fresh) if fresh else 0


def gather(scenes: Sequence[Scene], ids: Mapping[str, str], kept: Kept, mask: Callable[[str], str]) -> int:
    """Store the episodes of memories that are here and return how many are new."""
    new = 0
    for scene in scenes:
        members = tuple(found for place in scene.members if (found := ids.get(digest(place))))
        name = digest(scene.place)[:_ID_CHARS]
        if members and kept.episode(name) is None:
            participants = tuple(map(mask, scene.participants))
            title, summary = mask(scene.title), mask(scene.summary)
            kept.create_episode(Episode(title, summary, members, participants, scene.at, name))
            new += 1
    return new


def carry(old_to_new: Mapping[str, str], kept: Kept) -> None:
    """Give the memories that come in the place of others the links of these."""
    links = kept.links(list(old_to_new))
    kept.link(
        [
            Link(
                old_to_new.get(one.source_id, one.source_id),
                old_to_new.get(one.target_id, one.target_id),
                one.type,
                one.note,
                one.strength,
                one.created_at,
            )
            for one in links
        ]
    )
