"""The tools and files of a turn: many records of one tool use each become one."""

from __future__ import annotations

from sui_memory.transcript.links import Links
from sui_memory.transcript.records import Json

_ENVELOPE = ("type", "uuid", "parentUuid", "sessionId", "isSidechain", "agentId")
_MAX_BLOCKS = 200


class Touches:
    """Gathers assistant records that only use tools, as long as each follows the one before.

    A turn of an agent is mostly such records, and all that is kept of them is names and paths: one
    record holds them all, and the others become links to it.
    """

    def __init__(self, links: Links) -> None:
        self._links = links
        self._head: Json | None = None
        self._blocks: dict[tuple[str, ...], Json] = {}

    def follows(self, record: Json) -> bool:
        """Say whether a record goes on from the ones gathered, through whatever was passed over."""
        parent = record.get("parentUuid")
        if self._head is None or not isinstance(parent, str) or len(self._blocks) >= _MAX_BLOCKS:
            return False
        same = self._head.get("isSidechain") == record.get("isSidechain")
        return same and (self._links.bridge(parent) or parent) in {
            self._head["uuid"],
            self._head["parentUuid"],
        }

    def add(self, record: Json, blocks: list[Json]) -> None:
        """Gather a record that follows, or that is the first."""
        if self._head is None:
            self._links.point(record)
            self._head = {key: record[key] for key in _ENVELOPE if key in record}
            if not isinstance(self._head.get("parentUuid"), str):
                self._head["parentUuid"] = None
        elif isinstance(uuid := record.get("uuid"), str):
            self._links.add(uuid, self._head["uuid"])
        for block in blocks:
            paths = (f"{key}={value}" for key, value in block["input"].items())
            self._blocks.setdefault((str(block["name"]), *paths), block)

    def take(self) -> list[Json]:
        """Return the gathered record, if there is one, and begin anew."""
        head, blocks = self._head, [*self._blocks.values()]
        self._head, self._blocks = None, {}
        return [{**head, "message": {"content": blocks}}] if head else []
