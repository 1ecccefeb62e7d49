"""What `show` tells of a memory that was kept on purpose, and of what ties it to others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sui_memory.cli.common import local_minute

if TYPE_CHECKING:
    from sui_memory.app import App
    from sui_memory.store.kept import Link, Medium, Note

_LISTED = 10  # links, the strongest, in what a person reads


@dataclass(frozen=True, slots=True)
class Beside:
    """What is stored beside a memory: its note and medium, where it was kept on purpose, and its links."""

    memory_id: str
    note: Note | None
    medium: Medium | None
    links: list[Link]


def beside(app: App, memory_id: str) -> Beside:
    """Return what is stored beside a memory."""
    kept = app.store.kept
    note = kept.notes([memory_id]).get(memory_id)
    return Beside(memory_id, note, kept.medium(memory_id), kept.links([memory_id]))


def beside_json(found: Beside) -> dict[str, Any]:
    """Return it as `show --json` prints it: the note as in an export, of a medium all but its bytes."""
    from sui_memory.archive.keeping import link_fields, note_fields

    return {
        "note": note_fields(found.note) if found.note else None,
        "medium": _medium_json(found.medium) if found.medium else None,
        "links": [link_fields(link) for link in found.links],
    }


def _medium_json(medium: Medium) -> dict[str, Any]:
    return {"kind": medium.kind, "mime": medium.mime, "name": medium.name, "bytes": len(medium.data)}


def facts(found: Beside) -> list[tuple[str, str]]:
    """Return (name, value) of what a person may want to know of it; empty values are unknown things."""
    ties = [_tie(link, found.memory_id) for link in found.links[:_LISTED]]
    return [*_of_note(found.note), *_of_medium(found.medium), *(("link", tie) for tie in ties)]


def _of_note(note: Note | None) -> list[tuple[str, str]]:
    if note is None:
        return []
    called = f"{note.accessed} times, last {local_minute(note.accessed_at)}" if note.accessed else ""
    seen = f"pan {note.pan_angle:g}°, tilt {note.tilt_angle:g}°" if _has_angles(note) else ""
    return [
        ("kept as", f"{note.category}, {note.emotion}, importance {note.importance}"),
        ("tags", ", ".join(note.tags)),
        ("recalled", called),
        ("sums up", ", ".join(note.sources)),
        ("seen from", seen),
        ("at rest", note.rest or ""),
    ]


def _has_angles(note: Note) -> bool:
    return note.pan_angle is not None and note.tilt_angle is not None


def _of_medium(medium: Medium | None) -> list[tuple[str, str]]:
    if medium is None:
        return []
    from rich.filesize import decimal

    return [(medium.kind, f"{medium.name} ({medium.mime}, {decimal(len(medium.data))})")]


def _tie(link: Link, memory_id: str) -> str:
    """Return a link as read from a memory: an arrow to where it leads, or from where it comes."""
    to = f"→ {link.target_id}" if link.source_id == memory_id else f"← {link.source_id}"
    return " ".join(filter(None, [link.type, to, f"{link.strength:.2f}", link.note]))
