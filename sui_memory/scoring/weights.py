"""What each ranking counts for, by the model whose vectors are one of them: learned, not set by hand.

`weights.json` is written by `python -m benchmarks.learning --write`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

Weights = Mapping[str, float]
"""Ranking → its share of the score; shares of the rankings that were asked are scaled to a sum of 1."""

NONE = "none"
"""Who stands for no model at all."""

UNMEASURED = "default"
"""Who stands for models that were never measured: even one that knows next to nothing does little harm."""


def weights_of(model_id: str | None) -> Weights:
    """Return the learned shares of the rankings with a model's vectors among them; `None` is no model."""
    known = learned()
    return known.get(model_id or NONE, known[UNMEASURED])


@cache
def learned() -> Mapping[str, Weights]:
    """Return model id → shares, as they were last learned."""
    text = files("sui_memory.scoring").joinpath("weights.json").read_text(encoding="utf-8")
    return {model: dict(shares) for model, shares in json.loads(text).items()}
