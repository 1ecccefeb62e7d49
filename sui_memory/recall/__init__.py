"""The second use case: from a cue, or from a prompt, to the memories that bear on it."""

from sui_memory.recall.prompt import Embed, Prompt, Recollection
from sui_memory.recall.search import Query, Ranking, recall

__all__ = ["Embed", "Prompt", "Query", "Ranking", "Recollection", "recall"]
