"""What a client may read without a tool: sessions, an exchange, the log of injections; and a prompt."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sui_memory.errors import NotFoundError
from sui_memory.mcp_server.finding import MEDIUM, whole
from sui_memory.mcp_server.library import Library
from sui_memory.mcp_server.showing import fenced, iso, name
from sui_memory.store.ledger import Injection
from sui_memory.types import Scope

SESSIONS = "memory://sessions/recent"
INJECTIONS = "memory://injections"
EXCHANGE = "memory://exchange/"

_SESSIONS_SHOWN = 20
_INJECTIONS_SHOWN = 50
_LONGEST = 1_000_000
"""UTF-16 units of an exchange at most: what a person wants to read, or a client to hold."""

DECIDED = "what_did_we_decide"


@dataclass(frozen=True, slots=True)
class Contents:
    """What a resource holds: text, or bytes."""

    content: str | bytes
    mime_type: str = "text/plain"


def read(library: Library, uri: str) -> Contents:
    """Return a resource; an unknown one is a `NotFoundError`."""
    if uri == SESSIONS:
        return Contents(_sessions(library))
    if uri == INJECTIONS:
        return Contents(_injections(library), "application/json")
    if uri.startswith(EXCHANGE):
        return Contents(whole(library.mind.get(uri.removeprefix(EXCHANGE)), _LONGEST))
    medium = library.mind.medium(uri.removeprefix(MEDIUM)) if uri.startswith(MEDIUM) else None
    if medium is not None:
        return Contents(medium.data, medium.mime)
    raise NotFoundError(
        f"There is no resource {name(uri)}: {SESSIONS}, {INJECTIONS}, {EXCHANGE}ID and {MEDIUM}ID may be."
    )


def decided(topic: str) -> str:
    """Return the prompt that has a model look up a decision, with its reasons and whether it still holds."""
    return (
        f"What did we decide about this: {topic}\n\n"
        "Look it up with search_memories (these words first, then synonyms and the other language), read the "
        "best matches with get_exchange, and follow get_causal_chain where there are links. Then tell the "
        "decision, its date, the reasons that were given, what was rejected, and whether anything later "
        "contradicts it, with the ids of the memories. If nothing is found, say so and do not guess."
    )


def _sessions(library: Library) -> str:
    rows = library.app.store.sessions(Scope(), _SESSIONS_SHOWN)
    lines = [
        f"- {(iso(row.last_at) or 'undated')[:16]} · {name(row.project)} · {row.session} · {row.exchanges} "
        f"exchanges · {row.title}"
        for row in rows
    ]
    return fenced(lines, 8_000) or "No session is archived yet."


def _injections(library: Library) -> str:
    rows = library.app.store.ledger.injections(_INJECTIONS_SHOWN)
    return json.dumps({"injections": [_injection(row) for row in rows]}, ensure_ascii=False, indent=1)


def _injection(row: Injection) -> dict[str, Any]:
    return {
        "id": row.id,
        "at": iso(row.at),
        "session": name(row.session),
        "event": row.event,
        "silence": row.silence,
        "memories": [{"id": shown.memory_id, "score": round(shown.score, 3)} for shown in row.memories],
        "milliseconds": round(row.milliseconds, 1),
    }
