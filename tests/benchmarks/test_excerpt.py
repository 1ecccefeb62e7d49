"""The measure of what a block's characters buy, over a tiny archive."""

import json
import sys

import pytest

from benchmarks import excerpt
from benchmarks.evaluation.sets import read_set

FILLER = "これは前置きで、とくに意味はありません。"


def exchange(name, question, answer):
    known = {"group": "g", "session": name, "project": "kura", "date": "2026-03-01"}
    return {"id": name, "text": f"{question}\n\n{answer}", "question": question, "answer": answer, **known}


SET = {
    "docs": [
        exchange("port", "dentalink のポートは？", f"{FILLER * 60}dentalink は 9090 番です。{FILLER * 60}"),
        exchange("cat", "猫の名前を考えて", "むぎ、がいいと思います。"),
        exchange("tea", "お茶の温度は？", "煎茶なら 70 度です。"),
    ],
    "queries": [
        {
            "id": "p",
            "text": "dentalink のポートは何番？",
            "gold": ["port"],
            "answer": "9090 番",
            "group": "g",
        },
        {"id": "c", "text": "猫の名前は？", "gold": ["cat"], "answer": "むぎ", "group": "g"},
        {"id": "x", "text": "潮位計の電池は？", "gold": ["tea"], "answer": "煎茶", "group": "g"},
    ],
}
for one in SET["queries"]:
    one |= {"project": "kura", "cat": "short", "split": "test"}


def measured(tmp_path, monkeypatch, capsys, *options):
    (tmp_path / "tiny.json").write_text(json.dumps(SET), encoding="utf-8")
    monkeypatch.setattr(
        sys, "argv", ["excerpt", "--data", str(tmp_path), "--model", "none", "--json", *options]
    )
    excerpt.main()
    return json.loads(capsys.readouterr().out)["tiny"]


def test_an_answer_in_the_middle_is_in_the_excerpt_and_not_in_the_beginning(tmp_path, monkeypatch, capsys):
    found = measured(tmp_path, monkeypatch, capsys, "--by", "kind", "--missed", "--budget", "600")
    assert found["prompts"] == 2  # whose gold is shown
    ways = found["budgets"]["600"]
    assert (ways["excerpt"]["answer in block"], ways["beginning"]["answer in block"]) == (1.0, 0.5)
    assert ways["excerpt"]["characters"] <= 600
    assert found["budgets"]["any"]["whole"]["answer in block"] == 1.0
    assert found["kind"]["short"] == {"prompts": 2, "excerpt": 1.0, "beginning": 0.5}
    assert found["missed"] == []


def test_the_same_prompts_are_asked_of_longer_answers(tmp_path, monkeypatch, capsys):
    short = measured(tmp_path, monkeypatch, capsys)
    long = measured(tmp_path, monkeypatch, capsys, "--among", "5000")
    assert long["prompts"] == short["prompts"]
    characters = [each["budgets"]["any"]["whole"]["characters"] for each in (short, long)]
    assert characters[0] < characters[1]


def test_a_longer_answer_holds_the_own_one_and_is_the_same_twice():
    chosen = read_set("tiny", SET)
    recalled = list(excerpt.recalled_in(chosen, None))
    first, second = (excerpt.among(recalled, chosen, 5_000) for _ in range(2))
    assert first == second
    for before, after in zip(recalled, first, strict=True):
        for short, long in zip(before.hits, after.hits, strict=True):
            assert short.memory.exchange.answer in long.memory.exchange.answer


@pytest.mark.parametrize("budget", [300, 3_000])
def test_a_block_keeps_to_its_budget(budget):
    recalled = list(excerpt.recalled_in(read_set("tiny", SET), None))
    assert all(block.characters <= budget for block in excerpt.shown(recalled, budget))
