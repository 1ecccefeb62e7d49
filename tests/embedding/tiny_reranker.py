"""Builds a cross-encoder of some 300 KB on disk: random weights over the tiny Ruri's tokenizer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path


def build(folder: Path, ruri: Path, outputs: int = 1) -> Path:
    """Write a model with so many outputs into `folder`, laid out as published rerankers are."""
    import torch
    from transformers import AutoConfig, ModernBertForSequenceClassification

    torch.manual_seed(0)
    config = AutoConfig.from_pretrained(ruri, num_labels=outputs)
    ModernBertForSequenceClassification(config).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(ruri / name, folder / name)
    assert json.loads((folder / "config.json").read_text())["model_type"] == "modernbert"
    return folder
