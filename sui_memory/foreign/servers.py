"""Databases of memory servers: a Chroma collection with documents, or a table `memories`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import apsw

from sui_memory.errors import SuiMemoryError
from sui_memory.foreign.findings import Finding, Remembered, Scene, Tied, fields, items, listed, moment, words
from sui_memory.store.kept import Category, Emotion, LinkType, Note

Kind = TypeVar("Kind", Emotion, Category)

SQLITE_MAGIC = b"SQLite format 3\0"

# Metadata of a document, a row for each key. Summaries of episodes are a collection of their own.
_CHROMA = """
    select e.embedding_id, m.key, coalesce(m.string_value, m.int_value, m.float_value)
    from embeddings e join embedding_metadata m on m.id = e.id
    where (? = 'episodes') = (e.segment_id in (
        select s.id from segments s join collections c on c.id = s.collection where c.name = 'episodes'
    ))
    order by e.id
"""
_CHROMA_TABLES = {"embeddings", "embedding_metadata", "segments", "collections"}
_TITLE_CHARS = 80
_DOCUMENT = "chroma:document"

_Row = dict[str, Any]


def read_server(path: Path, note: Note) -> list[Finding]:
    """Return the memories of a database, then their links and episodes; what is not told is as in `note`.

    One of another shape, or a broken one, is a `SuiMemoryError`. The file is opened for reading only.
    """
    uri = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            connection.execute("pragma trusted_schema = off")
            return _findings(_Server(connection, path), note, path)
        finally:
            connection.close()
    except apsw.Error as error:
        raise SuiMemoryError(f"{path} cannot be read as a database ({error}); left out.") from error


def _findings(server: _Server, note: Note, path: Path) -> list[Finding]:
    rows = {name: row for name, row in server.memories().items() if _content(row)}
    remembered = [_remembered(name, row, note, path) for name, row in rows.items()]
    links = server.links() or [link for name, row in rows.items() for link in _links_of(name, row)]
    scenes = [_scene(name, row) for name, row in server.episodes().items()]
    return [*remembered, *(tie for link in links if (tie := _tied(link))), *scenes]


class _Server:
    """The rows of a database that is a memory server's, each id → what is known by name."""

    def __init__(self, connection: apsw.Connection, path: Path) -> None:
        self._connection = connection
        tables = connection.execute("select name from sqlite_master where type = 'table'")
        self._tables = {str(row[0]) for row in tables}
        self._is_chroma = self._tables >= _CHROMA_TABLES
        if {"exchanges", "passages"} <= self._tables:
            raise SuiMemoryError(f"{path} is an archive of sui-memory: use `sui-memory export` and `import`.")
        if not self._is_chroma and not {"id", "content"} <= set(self._columns("memories")):
            raise SuiMemoryError(
                f"{path} holds neither a Chroma collection nor a table `memories` with `id` and `content`: "
                "it is no memory server's."
            )

    def memories(self) -> dict[str, _Row]:
        """Return the memories, the oldest entry first."""
        return self._chroma("memories") if self._is_chroma else self._named("memories")

    def episodes(self) -> dict[str, _Row]:
        """Return the episodes."""
        return self._chroma("episodes") if self._is_chroma else self._named("episodes")

    def links(self) -> list[_Row]:
        """Return the links of a table of links, if there is one."""
        return self._rows("memory_links")

    def _chroma(self, kind: str) -> dict[str, _Row]:
        rows: dict[str, _Row] = {}
        for name, key, value in self._connection.execute(_CHROMA, (kind,)):
            row = rows.setdefault(words(name), {})
            row[words(key)] = value
        return {
            name: {**row, "content": row.get(_DOCUMENT), "summary": row.get(_DOCUMENT)}
            for name, row in rows.items()
        }

    def _named(self, table: str) -> dict[str, _Row]:
        return {str(row["id"]): row for row in self._rows(table) if "id" in row}

    def _rows(self, table: str) -> list[_Row]:
        columns = self._columns(table)
        if not columns:
            return []
        rows = self._connection.execute(f"select * from {table}")
        return [dict(zip(columns, values, strict=True)) for values in rows]

    def _columns(self, table: str) -> list[str]:
        if table not in self._tables:
            return []
        return [str(row[1]) for row in self._connection.execute(f"pragma table_info({table})")]


def _place(name: str, kind: str = "memory") -> str:
    return f"memory server\n{kind}\n{name}"


def _links_of(name: str, row: _Row) -> list[_Row]:
    """Return the links that a memory itself tells of, in JSON."""
    return [{"source_id": name, **fields(link)} for link in items(_unpacked(row.get("links")))]


def _tied(link: _Row) -> Tied | None:
    """Return a link that somebody made; those by likeness are made anew from our own vectors."""
    kind = next((kind for kind in LinkType if kind.value == link.get("link_type")), LinkType.RELATED)
    source, target = words(link.get("source_id")), words(link.get("target_id"))
    if not source or not target or kind is LinkType.SIMILAR:
        return None
    return Tied(_place(source), _place(target), kind, words(link.get("note")), moment(link.get("created_at")))


def _scene(name: str, row: _Row) -> Scene:
    return Scene(
        place=_place(name, "episode"),
        title=words(row.get("title")).strip() or words(row.get("summary"))[:_TITLE_CHARS],
        summary=words(row.get("summary")),
        members=tuple(map(_place, listed(row.get("memory_ids")))),
        participants=listed(row.get("participants")),
        at=moment(row.get("start_time")),
    )


def _unpacked(value: Any) -> Any:
    try:
        return json.loads(words(value) or "null")
    except (ValueError, RecursionError):
        return None


def _content(row: _Row) -> str:
    return words(row.get("content")).strip()


def _remembered(name: str, row: _Row, note: Note, path: Path) -> Remembered:
    return Remembered(
        place=_place(name),
        text=_content(row),
        note=_note(row, note),
        at=moment(row.get("timestamp")) or moment(row.get("created_at")),
        file=str(path),
    )


def _note(row: _Row, note: Note) -> Note:
    position = _position(row)
    return replace(
        note,
        emotion=_member(Emotion, row.get("emotion"), note.emotion),
        category=_member(Category, row.get("category"), note.category),
        importance=min(5, max(1, _number(row.get("importance"), note.importance))),
        tags=tuple(dict.fromkeys((*note.tags, *listed(row.get("tags"))))),
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


def _position(row: _Row) -> tuple[float | None, float | None]:
    """Return the angles of the camera: a column each, or one of JSON."""
    packed = fields(_unpacked(row.get("camera_position")))
    pan, tilt = ({**packed, **_given(row)}.get(name) for name in ("pan_angle", "tilt_angle"))
    if not isinstance(pan, int | float) or not isinstance(tilt, int | float):
        return None, None
    return float(pan), float(tilt)


def _given(row: _Row) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}
