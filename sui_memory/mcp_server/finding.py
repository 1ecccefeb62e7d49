"""Tools that look for memories: by a query, by what a context brings to mind, and one by its id."""

from __future__ import annotations

from typing import Annotated

from sui_memory.context.block import clipped, head
from sui_memory.context.fence import CLOSING, OPENING
from sui_memory.mcp_server.arguments import Within
from sui_memory.mcp_server.library import Library
from sui_memory.mcp_server.naming import moment, project_named
from sui_memory.mcp_server.showing import BUDGET, Entry, counted, iso, listing, minute, name, verbatim
from sui_memory.mcp_server.tool import Result, Tool
from sui_memory.store.kept import Category, Emotion, Medium
from sui_memory.types import Memory

MEDIUM = "memory://medium/"
"""Where the picture or sound of a memory can be read, with its id behind."""

_AROUND = 2_000
"""Units of what was said around it, which is there to tell where one is."""

Few = Annotated[int, Within(1, 50)]
Around = Annotated[int, Within(0, 20)]
Depth = Annotated[int, Within(1, 6)]
Day = Annotated[str | None, "YYYY-MM-DD or 30d"]

_WHOLE = 12_000
"""UTF-16 units of the one memory that is asked for by its id; clients cut off at some 25,000 tokens."""


def search_memories(
    library: Library,
    query: str,
    n_results: Few = 5,
    category_filter: Category | None = None,
    emotion_filter: Emotion | None = None,
    project: str | None = None,
    since: Day = None,
    until: Day = None,
) -> Result:
    """Search all past conversations and kept memories; use it when the user refers to something earlier."""
    hits = library.mind.search(
        query,
        n_results,
        category_filter,
        emotion_filter,
        project_named(library, project),
        moment(since),
        moment(until, is_end=True),
    )
    lead = f"{counted(len(hits), 'memory', 'memories')} found, best first."
    if not hits:
        lead = "Nothing is found: try other words, or fewer filters."
    return listing(library, lead, [Entry.of_hit(hit) for hit in hits], terms=library.terms(query))


def recall(library: Library, context: str, n_results: Few = 3) -> Result:
    """Get only memories with evidence that they bear on the context; use it before you answer or decide."""
    hits = library.mind.recall(context, n_results, library.folder)
    lead = f"{counted(len(hits), 'memory bears', 'memories bear')} on this."
    if not hits:
        lead = "Nothing comes to mind on evidence; search_memories looks for anything that is near."
    return listing(library, lead, [Entry.of_hit(hit) for hit in hits], terms=library.terms(context))


def get_exchange(library: Library, id: str, before: Around = 1, after: Around = 1) -> Result:
    """Read one memory whole with the conversation around it; use it when an excerpt is not enough."""
    wanted = library.mind.get(id)
    around = library.mind.exchange(wanted.id, before, after)
    at = next(number for number, memory in enumerate(around) if memory.id == wanted.id)
    near = [memory for memory in around if memory.id != wanted.id]
    medium = library.mind.medium(wanted.id)
    facts = medium_facts(wanted.id, medium)
    lead = " · ".join([wanted.id, minute(wanted.exchange.asked_at) or "undated", *facts.values()])
    block = whole(wanted)
    beside = listing(library, "Said around it:", [Entry(memory) for memory in near], budget=_AROUND)
    rows = beside.data["memories"]
    return Result(
        "\n".join([lead, block, *([beside.text] if near else [])]),
        {
            "id": wanted.id,
            "asked_at": iso(wanted.exchange.asked_at),
            "session": name(wanted.exchange.session),
            "characters": len(wanted.exchange.text),
            "recalled": block,
            "before": rows[:at],
            "after": rows[at:],
            "around": beside.data["recalled"],
            **facts,
        },
        medium.thumbnail if medium else None,
    )


def medium_facts(memory_id: str, medium: Medium | None) -> dict[str, str]:
    """Return what is to be known of a memory's picture or sound, and where it can be read whole."""
    if medium is None:
        return {}
    size = f"{len(medium.data) / 1e6:.1f} MB"
    return {"medium": f"{medium.kind}, {medium.mime}, {size}", "medium_uri": f"{MEDIUM}{memory_id}"}


def whole(memory: Memory, room: int = _WHOLE) -> str:
    """Return one memory with both sides as they were said, fenced; only a very long one is cut off."""
    exchange = memory.exchange
    said = f"{head(memory)}\n{verbatim(exchange.human)}"
    if exchange.answer:
        said += f"\n\nAnswer:\n{verbatim(exchange.answer)}"
    return f"{OPENING}\n{clipped(said, room)}\n{CLOSING}"


def list_recent_memories(
    library: Library, limit: Few = 10, category_filter: Category | None = None
) -> Result:
    """List what was last kept on purpose; use it to see what has been remembered of late."""
    kept = library.mind.recent(limit, category_filter)
    lead = f"{counted(len(kept), 'kept memory', 'kept memories')}, newest first."
    if not kept:
        lead = "Nothing is kept yet: remember keeps something."
    return listing(library, lead, [Entry(one.memory) for one in kept])


def get_memory_stats(library: Library) -> Result:
    """Count what is archived and kept; use it when asked how much is remembered."""
    stats = library.mind.stats()
    lines = [f"{key.replace('_', ' ')}: {value}" for key, value in stats.items() if value is not None]
    return Result("\n".join(lines)[:BUDGET], dict(stats))


TOOLS = (
    Tool(search_memories, reads=True),
    Tool(recall, reads=True),
    Tool(get_exchange, reads=True),
    Tool(list_recent_memories, reads=True),
    Tool(get_memory_stats, reads=True),
)
