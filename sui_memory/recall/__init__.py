"""The second use case: from a cue, or from a prompt, to the memories that bear on it."""

from sui_memory.recall.gate import Silence
from sui_memory.recall.opening import opening
from sui_memory.recall.prompt import Prompt, Recollection, recollect
from sui_memory.recall.search import Embed, Query, Ranking, recall, when_asked
from sui_memory.recall.usage import judge_shown

__all__ = [
    "Embed",
    "Prompt",
    "Query",
    "Ranking",
    "Recollection",
    "Silence",
    "judge_shown",
    "opening",
    "recall",
    "recollect",
    "when_asked",
]
