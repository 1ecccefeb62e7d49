"""Small files as other programs write them, and what comes of importing them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw

from sui_memory.app import App
from sui_memory.foreign import Imported, import_memories, read_all
from sui_memory.store.kept import Category, KeptMemory, Kinds, Note

SAID_AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


def take_in(app: App, *paths: Path, **options: Any) -> Imported:
    """Import these paths as the command does."""
    found = read_all(paths, Note(category=Category.MEMORY), options.get("project"))
    return import_memories(found, store=app.store, analyzer=app.analyzer, **options)


def notes(app: App) -> list[KeptMemory]:
    """Return all kept memories, those that stand first in their file first."""
    found = app.store.kept.recent(Kinds(rest=True), limit=999)
    return sorted(found, key=lambda one: one.memory.exchange.question)


def texts(app: App) -> list[str]:
    """Return what the kept memories say, in order of it."""
    return [one.memory.exchange.question for one in notes(app)]


def node(name: str, parent: str | None, role: str = "", text: str = "", **fields: Any) -> dict[str, Any]:
    """Return a node of a ChatGPT conversation; one without a role holds no message."""
    message = {
        "id": name,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": SAID_AT.timestamp() + int(name[-1]),
        "content": {"content_type": "text", "parts": [text]},
        "metadata": {},
        "recipient": "all",
        **fields,
    }
    return {"id": name, "parent": parent, "children": [], "message": message if role else None}


def chatgpt(*nodes: dict[str, Any], name: str = "c-1", **fields: Any) -> dict[str, Any]:
    """Return a ChatGPT conversation whose last node is the one that was open last."""
    for one in nodes:
        one["children"] = [other["id"] for other in nodes if other["parent"] == one["id"]]
    return {
        "id": name,
        "conversation_id": name,
        "title": "港の話",
        "create_time": SAID_AT.timestamp(),
        "mapping": {one["id"]: one for one in nodes},
        "current_node": nodes[-1]["id"],
        **fields,
    }


def claude_ai(*said: tuple[str, str], name: str = "u-1") -> dict[str, Any]:
    """Return a Claude.ai conversation of (sender, text)."""
    messages = [
        {
            "uuid": f"{name}-{number}",
            "sender": sender,
            "text": text,
            "content": [{"type": "text", "text": text}],
            "created_at": f"2026-04-02T10:0{number}:00.000000Z",
            "attachments": [],
        }
        for number, (sender, text) in enumerate(said)
    ]
    return {"uuid": name, "name": "港", "created_at": "2026-04-02T10:00:00Z", "chat_messages": messages}


def write_json(path: Path, value: Any) -> Path:
    """Write a JSON file and return its path."""
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def write_chroma(path: Path, rows: Sequence[dict[str, Any]], episodes: Sequence[dict[str, Any]] = ()) -> Path:
    """Write what matters of a Chroma database: `rows` are metadata with an `id` and a `document`."""
    database = apsw.Connection(str(path))
    database.execute("""
        create table collections (id text primary key, name text not null);
        create table segments (id text primary key, type text, scope text, collection text);
        create table embeddings (id integer primary key, segment_id text, embedding_id text, seq_id blob);
        create table embedding_metadata (
            id integer, key text, string_value text, int_value integer, float_value real, bool_value integer,
            primary key (id, key)
        );
        insert into collections values ('a', 'claude_memories'), ('b', 'episodes');
        insert into segments values ('s', 'sqlite', 'METADATA', 'a'), ('e', 'sqlite', 'METADATA', 'b');
    """)
    for number, row in enumerate([*rows, *episodes]):
        segment = "s" if number < len(rows) else "e"
        database.execute("insert into embeddings values (?, ?, ?, null)", (number, segment, row["id"]))
        for key, value in row.items():
            name = "chroma:document" if key == "document" else key
            column = {str: "string_value", int: "int_value", float: "float_value"}[type(value)]
            if key != "id":
                database.execute(
                    f"insert into embedding_metadata (id, key, {column}) values (?, ?, ?)",
                    (number, name, value),
                )
    database.close()
    return path


def write_table(path: Path, create: str, rows: Sequence[tuple[Any, ...]]) -> Path:
    """Write a SQLite file with one table `memories`."""
    database = apsw.Connection(str(path))
    database.execute(create)
    for row in rows:
        database.execute(f"insert into memories values ({', '.join('?' * len(row))})", row)
    database.close()
    return path
