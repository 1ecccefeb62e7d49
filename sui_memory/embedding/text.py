"""What every model needs done to its input first: a bounded, encodable string, and batches of like length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

MAX_CHARS = 1_024
"""Characters of a text that are embedded. No passage is longer; more would cost time and blur the vector."""


def clean(text: str) -> str:
    """Return at most `MAX_CHARS` of `text` that every tokenizer accepts: no lone surrogates, no NUL."""
    head = text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")
    # C tokenizers would stop reading at a NUL.
    return head.replace("\0", " ").strip()


def batches(texts: Sequence[str], budget: int) -> Iterator[list[int]]:
    """Yield the indexes of `texts`, short ones first, in batches of `budget` characters when padded."""
    batch: list[int] = []
    for index in sorted(range(len(texts)), key=lambda i: len(texts[i])):
        if batch and (len(batch) + 1) * len(texts[index]) > budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
