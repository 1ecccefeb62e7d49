"""The weighing of evidence is learnt from what was right and wrong, the same every time."""

import json
import random
import sys

import pytest

from benchmarks import calibration
from benchmarks.evaluation.evidence import BARS, Judged, cross_validated, fitted, passing
from sui_memory.scoring import Grounds, evidence_of

WORDS = ["鍵", "会議", "議事録", "在庫", "予約", "請求", "配色", "余白", "印刷", "検索", "移行", "監視"]


def judged(count: int = 300) -> list[Judged]:
    """Return prompts of which a hit is right when it holds more than it misses, with some noise."""
    chance = random.Random(7)
    made = []
    for number in range(count):
        kind = chance.choice(("own", "own", "nothing"))
        hits = []
        for _ in range(4):
            held, missed, score = chance.uniform(0, 4), chance.uniform(0, 4), chance.random()
            likely = held - missed + 3 * score + chance.gauss(0, 0.5) > 2
            hits.append((Grounds(held, missed, score), likely and kind == "own"))
        made.append(Judged(str(number), "made up", kind, tuple(hits)))
    return made


def test_what_speaks_for_a_hit_and_against_it_is_learnt():
    weighing = fitted(judged())
    assert weighing.held > 0 > weighing.missed
    assert weighing.score > 0
    sure = evidence_of(Grounds(4.0, 0.0, 1.0), weighing)
    assert sure > 0.5 > evidence_of(Grounds(0.5, 4.0, 0.1), weighing)


def test_the_same_prompts_teach_the_same():
    assert fitted(judged()) == fitted(judged())


def test_fewer_prompts_pass_a_higher_bar():
    asked = judged()
    for shares in passing(asked, cross_validated(asked)).values():
        assert list(shares) == [str(bar) for bar in BARS]
        assert sorted(shares.values(), reverse=True) == list(shares.values())


def test_the_command_prints_the_weighing_of_a_set(tmp_path, monkeypatch, capsys):
    docs = [
        {
            "id": f"d{number}",
            "text": f"{word}の担当は佐藤さん。{word}は毎週見る。",
            "group": "g",
            "session": "s",
        }
        for number, word in enumerate(WORDS)
    ]
    queries = [
        {"id": f"q{number}", "text": f"{word}の担当は？", "gold": [f"d{number}"], "group": "g", "cat": "k"}
        for number, word in enumerate(WORDS)
    ]
    nothing = [{"id": "n1", "text": "コーヒーの淹れ方を教えて", "gold": [], "group": "g"}]
    path = tmp_path / "made.json"
    path.write_text(json.dumps({"docs": docs, "queries": queries, "nothing": nothing}), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["calibration", "--data", str(tmp_path), "--model", "none", "--json"])
    calibration.main()
    found = json.loads(capsys.readouterr().out)
    assert set(found["weighing"]) == {"held", "missed", "score", "order", "bias"}
    assert found["shares"]["made own"]["0.03"] == pytest.approx(1.0)
