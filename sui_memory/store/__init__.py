"""Where memories are kept: the contract, and its SQLite backend."""

from sui_memory.store.base import (
    Change,
    Committed,
    MemoryStore,
    ModelRow,
    Pending,
    SessionRow,
    Source,
    SourceChange,
)
from sui_memory.store.sqlite import SqliteStore, open_store

__all__ = [
    "Change",
    "Committed",
    "MemoryStore",
    "ModelRow",
    "Pending",
    "SessionRow",
    "Source",
    "SourceChange",
    "SqliteStore",
    "open_store",
]
