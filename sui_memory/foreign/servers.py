"""Databases of memory servers: a Chroma collection with documents, or a table `memories`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import apsw

from sui_memory.errors import SuiMemoryError
from sui_memory.foreign.findings import Remembered, fields, moment, words
from sui_memory.store.kept import Category, Emotion, Note

Kind = TypeVar("Kind", Emotion, Category)

SQLITE_MAGIC = b"SQLite format 3\0"

# Metadata of a document, a row for each key. Summaries of episodes are a collection of their own.
_CHROMA = """
    select e.embedding_id, m.key, coalesce(m.string_value, m.int_value, m.float_value)
    from embeddings e join embedding_metadata m on m.id = e.id
    where e.segment_id not in (
        select s.id from segments s join collections c on c.id = s.collection where c.name = 'episodes'
    )
    order by e.id
"""
_DOCUMENT = "chroma:document"


def read_server(path: Path, note: Note) -> list[Remembered]:
    """Return the memories of a database; what they do not tell themselves is as in `note`.

    One of another shape, or a broken one, is a `SuiMemoryError`. The file is opened for reading only.
    """
    try:
        connection = apsw.Connection(
            f"file:{quote(str(path.absolute()))}?mode=ro",
            flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
        )
        try:
            connection.execute("pragma trusted_schema = off")
            return [
                _remembered(name, row, note, path) for name, row in _rows(connection, path) if _content(row)
            ]
        finally:
            connection.close()
    except apsw.Error as error:
        raise SuiMemoryError(f"{path} cannot be read as a database ({error}); left out.") from error


def _rows(connection: apsw.Connection, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield id → what is known of each memory."""
    tables = {
        str(row[0]) for row in connection.execute("select name from sqlite_master where type = 'table'")
    }
    if {"embeddings", "embedding_metadata", "segments", "collections"} <= tables:
        yield from _chroma(connection)
    elif "memories" in tables:
        yield from _table(connection, path)
    elif {"exchanges", "passages"} <= tables:
        raise SuiMemoryError(f"{path} is an archive of sui-memory: use `sui-memory export` and `import`.")
    else:
        raise SuiMemoryError(
            f"{path} holds neither a Chroma collection nor a table `memories`: no memory server's."
        )


def _chroma(connection: apsw.Connection) -> Iterator[tuple[str, dict[str, Any]]]:
    rows: dict[str, dict[str, Any]] = {}
    for name, key, value in connection.execute(_CHROMA):
        rows.setdefault(str(name), {})[str(key)] = value
    for name, row in rows.items():
        yield name, {**row, "content": row.get(_DOCUMENT)}


def _table(connection: apsw.Connection, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    columns = [str(row[1]) for row in connection.execute("pragma table_info(memories)")]
    if not {"id", "content"} <= set(columns):
        raise SuiMemoryError(f"{path}: its table `memories` has no `id` and `content`; left out.")
    for values in connection.execute("select * from memories"):
        row = dict(zip(columns, values, strict=True))
        yield str(row["id"]), row


def _content(row: dict[str, Any]) -> str:
    return words(row.get("content")).strip()


def _remembered(name: str, row: dict[str, Any], note: Note, path: Path) -> Remembered:
    return Remembered(
        place=f"memory server\n{name}",
        text=_content(row),
        note=_note(row, note),
        at=moment(row.get("timestamp")) or moment(row.get("created_at")),
        file=str(path),
    )


def _note(row: dict[str, Any], note: Note) -> Note:
    position = _position(row)
    tags = [tag.strip() for tag in words(row.get("tags")).split(",") if tag.strip()]
    return replace(
        note,
        emotion=_member(Emotion, row.get("emotion"), note.emotion),
        category=_member(Category, row.get("category"), note.category),
        importance=min(5, max(1, _number(row.get("importance"), note.importance))),
        tags=tuple(dict.fromkeys((*note.tags, *tags))),
        accessed=max(0, _number(row.get("access_count"), 0)),
        accessed_at=moment(row.get("last_accessed")),
        pan_angle=position[0],
        tilt_angle=position[1],
    )


def _member(kinds: type[Kind], value: Any, default: Kind) -> Kind:
    return next((kind for kind in kinds if kind.value == value), default)


def _number(value: Any, default: int) -> int:
    try:
        return round(float(value))
    except (TypeError, ValueError, OverflowError):
        return default


def _position(row: dict[str, Any]) -> tuple[float | None, float | None]:
    """Return the angles of the camera: a column each, or one of JSON."""
    try:
        packed = fields(json.loads(words(row.get("camera_position")) or "null"))
    except (ValueError, RecursionError):
        packed = {}
    pan, tilt = ({**packed, **_given(row)}.get(name) for name in ("pan_angle", "tilt_angle"))
    if not isinstance(pan, int | float) or not isinstance(tilt, int | float):
        return None, None
    return float(pan), float(tilt)


def _given(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}
