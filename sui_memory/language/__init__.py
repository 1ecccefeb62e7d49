"""What the project knows of language: index terms, and where a long text may be cut."""

from sui_memory.language.analyzer import FTS_TOKENIZER, JapaneseAnalyzer
from sui_memory.language.passages import PASSAGE_LIMIT, cut

__all__ = [
    "FTS_TOKENIZER",
    "PASSAGE_LIMIT",
    "JapaneseAnalyzer",
    "cut",
]
