"""What a client may read without a tool: sessions, an exchange, the log of injections; and a prompt."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from sui_memory.errors import NotFoundError
from sui_memory.mcp_server.finding import whole
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


def read(library: Library, uri: str) -> tuple[str, str]:
    """Return a resource as (text, MIME type); an unknown one is a `NotFoundError`."""
    listed: dict[str, Callable[[Library], str]] = {SESSIONS: _sessions, INJECTIONS: _injections}
    if uri in listed:
        return listed[uri](library), "text/plain" if uri == SESSIONS else "application/json"
    if uri.startswith(EXCHANGE):
        return whole(library.mind.get(uri.removeprefix(EXCHANGE)), _LONGEST), "text/plain"
    raise NotFoundError(f"There is no resource {name(uri)}: {SESSIONS}, {INJECTIONS} and {EXCHANGE}ID are.")


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
