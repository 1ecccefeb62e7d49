"""Each stage of recall taken out of the way, to see what it is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import MappingProxyType, ModuleType
from typing import Any
from unittest.mock import patch

from sui_memory.recall import cue, prompt, search
from sui_memory.recall.spelling import Spelling
from sui_memory.scoring import Rankings

WHOLE = "whole"
"""The pipeline as it is."""

_Replacement = tuple[ModuleType, str, Any]


def _without(ranking: str) -> tuple[_Replacement, ...]:
    """Return what keeps one ranking from fusion, as if it had never been asked."""
    asked = search.candidates

    def others(*args: Any, **options: Any) -> Rankings:
        return {name: found for name, found in asked(*args, **options).items() if name != ranking}

    return (search, "candidates", others), (prompt, "candidates", others)


def _nothing_said(*_: Any) -> None:
    return None


def _as_it_is(text: str, terms: Sequence[str], **_: Any) -> Spelling:
    return Spelling(text, tuple(terms))


STAGES: Mapping[str, tuple[_Replacement, ...]] = MappingProxyType(
    {
        "respelling": ((prompt, "respelled", _as_it_is), (search, "respelled", _as_it_is)),
        "words": _without("words"),
        "trigrams": _without("trigrams"),
        "vectors": _without("vectors"),
        "coverage": _without("coverage"),
        "context": _without("context"),
        "phrases": _without("phrases"),
        "asking words": ((cue, "ASKING", frozenset()),),
        "named days": ((prompt, "when_said", _nothing_said), (search, "when_said", _nothing_said)),
        "decay": ((search, "decayed", lambda score, fresh, mode="bonus": score),),
        "affinity": ((prompt, "affine", lambda score, near: score),),
        "succession": ((prompt, "succeeded", lambda hits: hits),),
        "diversity": ((prompt, "distinct", lambda hits, limit: hits[:limit]),),
        "gate": tuple((prompt, name, _nothing_said) for name in ("routine", "pointing", "vague")),
        "bar": ((prompt, "passes", lambda hit: True),),
    }
)
"""Stage → what stands in for its function, by module and name. A stage that moves fails here by name."""


def bears_on_search(stage: str) -> bool:
    """Say whether a search goes through a stage; the others serve prompts alone."""
    return stage == WHOLE or any(module is search for module, _, _ in STAGES[stage])


@contextmanager
def switched_off(stage: str) -> Iterator[None]:
    """Do without one stage, or without none for `WHOLE`, inside the block; one thread at a time."""
    replacements: Sequence[_Replacement] = () if stage == WHOLE else STAGES[stage]
    with ExitStack() as stack:
        for module, name, stand_in in replacements:
            stack.enter_context(patch.object(module, name, stand_in))
        yield
