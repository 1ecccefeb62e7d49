"""A model without a model: hashed words and character pairs. Deterministic, instant, for tests."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from math import sqrt
from zlib import crc32

from sui_memory.embedding.text import clean
from sui_memory.types import Vector

MODEL_ID = "fake"
DIM = 64

_WORD = re.compile(r"[a-z0-9_]+|[^\W_a-z0-9]+")


class FakeEmbedder:
    """64-dimensional vectors by feature hashing (Weinberger et al. 2009): texts that share words are near."""

    @property
    def model_id(self) -> str:
        """Name of the model."""
        return MODEL_ID

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return DIM

    def embed_query(self, text: str) -> Vector:
        """Return the unit vector of something asked for."""
        values = [0.0] * DIM
        for feature in _features(clean(text).casefold()):
            code = crc32(feature.encode())
            values[code % DIM] += 1.0 if code & 0x10000 else -1.0
        length = sqrt(sum(value * value for value in values))
        if not length:
            values[0] = length = 1.0
        return array("f", [value / length for value in values])

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector for each text, in order."""
        return [self.embed_query(text) for text in texts]


def _features(text: str) -> Iterator[str]:
    """Yield whole ASCII words, and the character pairs of every other run."""
    for word in _WORD.findall(text):
        if word.isascii() or len(word) == 1:
            yield word
        else:
            yield from (word[i : i + 2] for i in range(len(word) - 1))
