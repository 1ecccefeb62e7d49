"""Tools of reflection: working memory, consolidation, sleep, another's eyes, and how all hangs together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

from sui_memory.context.fence import defused
from sui_memory.mcp_server.arguments import Within
from sui_memory.mcp_server.finding import Few
from sui_memory.mcp_server.library import Library
from sui_memory.mcp_server.showing import BUDGET, Entry, bounded, counted, listing
from sui_memory.mcp_server.showing import name as named
from sui_memory.mcp_server.tool import Result, Tool
from sui_memory.mind.ports import Active

_SHARE = BUDGET // 4  # units for the changes of each of the three kinds
_DECAYED = 50
"""Ids that are told of what has dropped out of mind."""


def get_working_memory(library: Library, n_results: Few = 10) -> Result:
    """Show what was called to mind of late; use it to pick up where things were left."""
    return _active(library, library.mind.working(n_results))


def refresh_working_memory(library: Library) -> Result:
    """Compute working memory anew and tell what dropped out; use it after a change of subject."""
    refreshed = library.mind.refresh_working()
    return _active(library, refreshed.active, {"decayed": list(refreshed.decayed[:_DECAYED])})


def consolidate_memories(
    library: Library,
    window_hours: Annotated[float, Within(0.1, 8760)] = 24,
    max_replay_events: Annotated[int, Within(1, 10_000)] = 200,
    link_update_strength: Annotated[float, Within(0.01, 1)] = 0.2,
) -> Result:
    """Strengthen ties between memories that were in mind together; use it at the end of a long session."""
    done = library.mind.consolidate(window_hours, max_replay_events, link_update_strength)
    text = (
        f"Replayed {counted(done.replayed, 'activation')} of {counted(done.moments, 'moment')}: "
        f"{counted(done.strengthened, 'link')} strengthened, {counted(done.linked, 'link')} made by likeness."
    )
    return Result(text, asdict(done))


def tom(library: Library, situation: str, person: str) -> Result:
    """Get a frame to see a situation with a person's eyes; use it before you guess what they feel or want."""
    frame = library.mind.tom(situation, person)
    hits = {hit.memory.id: hit for hit in (*frame.of_person, *frame.of_situation)}
    questions = [
        f"{aspect.name}: {defused(aspect.question)} {' '.join(aspect.memory_ids)}".rstrip()
        for aspect in frame.aspects
    ]
    data = {
        "of_person": [hit.memory.id for hit in frame.of_person],
        "of_situation": [hit.memory.id for hit in frame.of_situation],
        "aspects": [asdict(aspect) for aspect in frame.aspects],
    }
    found = counted(len(hits), "memory bears", "memories bear")
    lead = f"{found} on it. Ask yourself for {named(person)}, from what is recalled:"
    return listing(
        library,
        lead,
        [Entry.of_hit(hit) for hit in hits.values()],
        terms=library.terms(f"{person} {situation}"),
        data=data,
        lines=questions,
    )


def get_association_diagnostics(
    library: Library, context: str, sample_size: Annotated[int, Within(1, 100)] = 20
) -> Result:
    """Measure how well memories of a context hang together; use it when recall seems to miss ties."""
    data: dict[str, Any] = asdict(library.mind.diagnostics(context, sample_size))
    lines = [f"{key.replace('_', ' ')}: {_short(value)}" for key, value in data.items()]
    return Result("\n".join(lines)[:BUDGET], data)


def sleep(
    library: Library,
    dry_run: bool = True,
    min_age_days: Annotated[float, Within(0, 36_500)] = 14,
    similarity_threshold: Annotated[float, Within(0.5, 1)] = 0.85,
) -> Result:
    """Merge like kept memories, let weak ones fade and go; use dry_run first and show the user the plan."""
    from sui_memory.app import utc_now
    from sui_memory.sleep import Thresholds, apply, look

    store = library.app.store
    thresholds = Thresholds(min_age_days, similarity_threshold, library.app.mind.chance())
    plan = look(store, utc_now().astimezone(), thresholds)
    if not dry_run:
        apply(plan, store, library.app.analyzer)
        library.announce()
    changes = {
        "merged": [
            {
                "id": merge.summary.id,
                "sources": list(merge.note.sources),
                "likeness": round(merge.likeness, 3),
            }
            for merge in plan.merged
        ],
        "faded": [{"id": fade.memory_id, "before": fade.before, "after": fade.after} for fade in plan.faded],
        "forgotten": [{"id": gone.memory_id, "days": gone.days} for gone in plan.forgotten],
    }
    told = {kind: bounded(made, _SHARE) for kind, made in changes.items()}
    counts = {kind: len(made) for kind, made in changes.items()}
    return Result(_slept(told, counts, dry_run=dry_run), {"dry_run": dry_run, "counts": counts, **told})


def _slept(told: dict[str, list[dict[str, Any]]], counts: dict[str, int], *, dry_run: bool) -> str:
    if not any(counts.values()):
        return "There is nothing to merge, to fade or to let go."
    lines = ["This would be done; dry_run=false does it:" if dry_run else "This was done:"]
    for kind, made in told.items():
        lines.append(f"{kind}: {counts[kind]}")
        lines += [f"- {_facts(change)}" for change in made]
    return "\n".join(lines)


def _facts(values: dict[str, Any]) -> str:
    return ", ".join(f"{key} {_short(value)}" for key, value in values.items())


def _active(library: Library, active: Sequence[Active], data: dict[str, Any] | None = None) -> Result:
    entries = [Entry(each.memory, facts={"activation": round(each.activation, 3)}) for each in active]
    lead = f"{counted(len(entries), 'memory', 'memories')} in mind, most active first."
    if not entries:
        lead = "Nothing was called to mind of late."
    return listing(library, lead, entries, data=data)


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return _facts(value) or "none"
    if isinstance(value, list | tuple):
        return " ".join(map(str, value)) or "none"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


TOOLS = (
    Tool(get_working_memory, reads=True),
    Tool(refresh_working_memory, reads=True),
    Tool(consolidate_memories),
    Tool(tom, reads=True),
    Tool(get_association_diagnostics, reads=True),
    Tool(sleep),
)
