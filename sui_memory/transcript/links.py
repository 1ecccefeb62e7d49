"""The chain of parents through records that are not archived."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic_core import to_json

from sui_memory.transcript.records import Json


class Links:
    """Which passed-over record follows which.

    Only links that a later record may point at are archived: ends of chains, and parents of
    prompts (a rewind points there again). The others are bridged in the records themselves.
    """

    def __init__(self) -> None:
        self._parents: dict[str, str | None] = {}
        self._followed: set[str] = set()
        self._kept: set[str] = set()

    def add(self, uuid: str, parent: str | None) -> None:
        """Note a record that is passed over."""
        self._parents.setdefault(uuid, parent)
        if parent is not None:
            self._followed.add(parent)

    def point(self, record: Json) -> None:
        """Let a kept record follow its nearest kept ancestor; a prompt keeps the parent it names."""
        parent = record.get("parentUuid")
        if not isinstance(parent, str) or parent not in self._parents:
            return
        if record.get("type") == "user" and "toolUseResult" not in record:
            self._kept.add(parent)
            return
        self._followed.add(parent)
        record["parentUuid"] = self.bridge(parent) or parent

    def bridge(self, uuid: str) -> str | None:
        """Return the nearest ancestor that was not passed over; None at the root or in a ring."""
        step: str | None = uuid
        seen: set[str] = set()
        while step in self._parents and step not in seen:
            seen.add(step)
            step = self._parents[step]
        return None if step in seen else step

    def needed(self) -> Iterator[bytes]:
        """Yield the links to archive."""
        for uuid in self._parents:
            if uuid in self._kept or uuid not in self._followed:
                yield to_json({"type": "link", "uuid": uuid, "parentUuid": self.bridge(uuid)})
