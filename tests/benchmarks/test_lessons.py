"""The prepared lessons fire where they should, and nearly nowhere else."""

from __future__ import annotations

import json

from benchmarks import lessons

ENTRIES = json.loads(lessons._PREPARED.read_text("utf-8"))["lessons"]
NOTHING = json.loads((lessons._SETS / "talk.json").read_text("utf-8"))["nothing"]


def test_every_prepared_prompt_fires_and_none_that_only_looks_like_one():
    figures = lessons._firing(ENTRIES)
    assert (figures["rate"], figures["others"]) == (1.0, 0.0)


def test_of_the_prompts_without_recall_one_in_a_hundred_fires_wrongly_at_most():
    assert lessons._false(ENTRIES, [prompt["text"] for prompt in NOTHING])["rate"] <= 0.01
