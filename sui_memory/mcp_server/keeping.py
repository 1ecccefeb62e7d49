"""Tools that keep something on purpose: words, pictures and sounds, and change or forget them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from sui_memory.errors import UsageError
from sui_memory.mcp_server.arguments import Within
from sui_memory.mcp_server.library import Library
from sui_memory.mcp_server.showing import Entry, listing, note_facts
from sui_memory.mcp_server.tool import Result, Tool
from sui_memory.store.kept import Category, Emotion, KeptMemory

Importance = Annotated[int, Within(1, 5)]
Angle = Annotated[float, Within(-360, 360)]
File = Annotated[str, "absolute path"]


@dataclass(frozen=True, slots=True)
class CameraPosition:
    """Where a camera looked, in degrees."""

    pan_angle: Angle
    tilt_angle: Angle


def remember(
    library: Library,
    content: str,
    emotion: Emotion = Emotion.NEUTRAL,
    importance: Importance = 3,
    category: Category = Category.DAILY,
    tags: tuple[str, ...] = (),
) -> Result:
    """Keep one fact, decision or event for good; use it when the user asks to, or it will matter later."""
    kept = library.mind.remember(content, emotion, importance, category, tags, project=library.project)
    return _kept(library, kept)


def update_memory(
    library: Library,
    id: str,
    content: str | None = None,
    emotion: Emotion | None = None,
    importance: Importance | None = None,
    category: Category | None = None,
    tags: tuple[str, ...] | None = None,
) -> Result:
    """Correct a kept memory; use it when what it says is no longer so."""
    if all(given is None for given in (content, emotion, importance, category, tags)):
        raise UsageError("Nothing is to be changed: give content, emotion, importance, category or tags.")
    return _kept(library, library.mind.update(id, content, emotion, importance, category, tags), "Changed")


def forget_memory(library: Library, id: str, confirm: bool = False) -> Result:
    """Delete a memory for good; use it only when the user asks, with confirm=true after they agreed."""
    memory = library.mind.get(id)
    if not confirm:
        raise UsageError(
            f"{memory.id} is not deleted: ask the user, then call forget_memory again with confirm=true."
        )
    summaries = sorted(library.app.store.kept.summaries([memory.id]) - {memory.id})
    gone = library.mind.forget(memory.id)
    told = f" Its words may still be in the summaries {', '.join(summaries)}." if summaries else ""
    data = {"id": gone.id, "forgotten": True, "summaries": summaries}
    return Result(f"Forgotten for good: {gone.id}.{told}", data)


def save_visual_memory(
    library: Library,
    content: str,
    image_path: File,
    camera_position: CameraPosition | None = None,
    emotion: Emotion = Emotion.NEUTRAL,
    importance: Importance = 3,
) -> Result:
    """Keep a copy of a picture with what it shows; use it for something seen that will matter later."""
    at = (camera_position.pan_angle, camera_position.tilt_angle) if camera_position else None
    kept = library.mind.save_visual(
        content, Path(image_path), at, emotion, importance, project=library.project
    )
    return _kept(library, kept)


def save_audio_memory(
    library: Library,
    content: str,
    audio_path: File,
    transcript: str,
    emotion: Emotion = Emotion.NEUTRAL,
    importance: Importance = 3,
) -> Result:
    """Keep a copy of a sound with what was said in it; use it for something heard that will matter later."""
    kept = library.mind.save_audio(
        content, Path(audio_path), transcript, emotion, importance, project=library.project
    )
    return _kept(library, kept)


def recall_by_camera_position(
    library: Library, pan_angle: Angle, tilt_angle: Angle, tolerance: Annotated[float, Within(0, 180)] = 15
) -> Result:
    """Find pictures that were taken in a direction; use it to compare what is seen there now."""
    seen = library.mind.recall_by_camera_position(pan_angle, tilt_angle, tolerance)
    lead = "Pictures taken there, nearest first." if seen else "No picture was taken in that direction."
    return listing(library, lead, [Entry(one.memory) for one in seen])


def _kept(library: Library, kept: KeptMemory, done: str = "Kept") -> Result:
    library.announce()
    facts: dict[str, Any] = note_facts(kept.note)
    said = f"{kept.note.category}, {kept.note.emotion}, importance {kept.note.importance}"
    return Result(f"{done}: {kept.id} ({said}).", {"id": kept.id, **facts})


TOOLS = (
    Tool(remember),
    Tool(update_memory),
    Tool(forget_memory),
    Tool(save_visual_memory),
    Tool(save_audio_memory),
    Tool(recall_by_camera_position, reads=True),
)
