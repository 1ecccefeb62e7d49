"""Memories from elsewhere: Markdown notes, exports of chats, and the files of memory servers, read only."""

from sui_memory.foreign.importing import Imported, import_memories
from sui_memory.foreign.places import Found, read_all

__all__ = ["Found", "Imported", "import_memories", "read_all"]
