"""An archive in this process with transcripts beside it, and the search for what should be gone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from sui_memory.app import App, open_app
from sui_memory.archive import Report
from sui_memory.archive.families import EVERYTHING
from sui_memory.archive.forgetting import find_matches, forget
from sui_memory.archive.segments import unpack
from sui_memory.config import Settings
from sui_memory.store import open_store
from sui_memory.types import Memory
from tests.builders import Session, Turn
from tests.store.samples import PlainAnalyzer

Record = dict[str, Any]

TALK = Session(
    "talk",
    (
        Turn("港の地図はどこ？", "地図は `docs/harbour.md` にあります。"),
        Turn("合言葉は zyxquark と鵺蛟だよね", "はい、zyxquark と鵺蛟です。"),
        Turn("What colour is the buoy?", "The buoy is green."),
    ),
)
"""Three exchanges; the words of the second are nowhere else."""

WORDS = ("zyxquark", "鵺蛟")


@dataclass(frozen=True)
class Workbench:
    """An open archive whose transcripts lie in `folder`."""

    app: App
    folder: Path

    def write(self, name: str, records: Sequence[Record]) -> Path:
        """Write a transcript, in place of one of the same name."""
        path = self.folder / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        path.write_text("".join(lines), encoding="utf-8")
        return path

    def sync(self) -> Report:
        """Archive what is new."""
        return self.app.sync([self.folder], workers=0)

    def archive(self, records: Sequence[Record], name: str = "a") -> None:
        """Write a transcript and archive it."""
        self.write(name, records)
        self.sync()

    def all(self) -> list[Memory]:
        """Return everything that is stored, oldest first."""
        return list(self.app.store.scan(EVERYTHING))

    def questions(self) -> list[str]:
        """Return all questions, oldest first."""
        return [memory.exchange.question for memory in self.all()]

    def find(self, text: str) -> Memory:
        """Return the only memory that contains a text."""
        (found,) = find_matches(text, EVERYTHING, store=self.app.store, tools=self.app.tools)
        return found

    def forget(self, *memories: Memory) -> int:
        """Forget memories."""
        exchanges = [memory.exchange for memory in memories]
        return forget(exchanges, store=self.app.store, tools=self.app.tools)

    def traces(self, *words: str) -> list[str]:
        """Return where words are left."""
        return traces(self.app.settings.database, *(words or WORDS))

    def raw(self) -> bytes:
        """Return all raw records."""
        store = self.app.store
        return b"\n".join(line for path in store.sources() for line in unpack(store.segments(path)))


@contextmanager
def workbench(root: Path) -> Iterator[Workbench]:
    """Open an archive below `root`."""
    with open_app(Settings(home=root / "home", model="none")) as app:
        yield Workbench(app, root / "transcripts")


def traces(database: Path, *words: str) -> list[str]:
    """Return where words are left: in the bytes of a file, in raw records, among the index's terms."""
    files = [database, *(database.with_name(database.name + end) for end in ("-wal", "-shm"))]
    found = [
        f"{word} in {file.name}"
        for file in files
        if file.exists()
        for word in words
        if word.encode() in file.read_bytes()
    ]
    store = open_store(database, analyzer=PlainAnalyzer(), read_only=True)
    try:
        raw = b"\n".join(line for path in store.sources() for line in unpack(store.segments(path)))
        found += [f"{word} in the raw records" for word in words if word.encode() in raw]
        for table in ("words", "trigrams"):
            terms = {row[0] for row in store._connection.execute(f"select term from {table}_vocabulary")}
            parts = {word: {word} if table == "words" else _trigrams(word) for word in words}
            found += [f"{word} in the index {table}" for word in words if parts[word] <= terms]
    finally:
        store.close()
    return found


def _trigrams(word: str) -> set[str]:
    """Return the trigrams of a folded word; of a shorter one, what stands for it in the index."""
    word = word.casefold().ljust(3)
    return {word[start : start + 3] for start in range(len(word) - 2)}


def later(session: Session, *turns: Turn) -> list[Record]:
    """Return the records of a session that went on."""
    return replace(session, turns=(*session.turns, *turns)).records()


def fork(records: Sequence[Record], session: str) -> list[Record]:
    """Return the records as a fork copies them: the same uuids under another session."""
    origin = {"sessionId": records[0]["sessionId"]}
    return [
        {**record, "sessionId": session, "forkedFrom": {**origin, "messageUuid": record.get("uuid")}}
        for record in records
    ]


def renamed(records: Sequence[Record], session: str) -> list[Record]:
    """Return the records as an old resume copies them: other uuids under another session."""
    names = {
        record["uuid"]: str(uuid5(NAMESPACE_URL, record["uuid"])) for record in records if "uuid" in record
    }
    return [
        {
            **record,
            "sessionId": session,
            **{name: names.get(record[name]) for name in ("uuid", "parentUuid") if name in record},
        }
        for record in records
    ]


def follow(record: Record, name: str, seconds: int = 5, **fields: Any) -> Record:
    """Return a record that follows another one, like it but for what is given."""
    moment = datetime.fromisoformat(record["timestamp"]) + timedelta(seconds=seconds)
    return {
        **record,
        "uuid": str(uuid5(NAMESPACE_URL, name)),
        "parentUuid": record["uuid"],
        "timestamp": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        **fields,
    }


def user(text: str, **fields: Any) -> Record:
    """Return the fields of something typed."""
    return {"type": "user", "message": {"role": "user", "content": text}, **fields}


def answer(text: str, name: str) -> Record:
    """Return the fields of something the assistant said."""
    message = {"id": f"msg_{name}", "role": "assistant", "model": "claude-opus-4-8"}
    return {"type": "assistant", "message": {**message, "content": [{"type": "text", "text": text}]}}
