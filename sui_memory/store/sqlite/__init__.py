"""The store in one SQLite file, on apsw, FTS5 and sqlite-vec."""

from sui_memory.store.sqlite.store import SqliteStore, open_store

__all__ = ["SqliteStore", "open_store"]
