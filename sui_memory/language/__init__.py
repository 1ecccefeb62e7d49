"""What the project knows of language: spelling, index terms, and where a long text may be cut."""

from sui_memory.language.analyzer import FTS_TOKENIZER, JapaneseAnalyzer
from sui_memory.language.normalise import fold, nfc, scrub_surrogates, strip_ansi
from sui_memory.language.passages import PASSAGE_LIMIT, cut

__all__ = [
    "FTS_TOKENIZER",
    "PASSAGE_LIMIT",
    "JapaneseAnalyzer",
    "cut",
    "fold",
    "nfc",
    "scrub_surrogates",
    "strip_ansi",
]
