"""Weights learned from sets, and the whole beside single methods: by hand, and over tiny archives."""

import json
import sys
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import learning, quality
from benchmarks.evaluation.baselines import bigrams, english, searched
from benchmarks.evaluation.collecting import Asked, collected, memories
from benchmarks.evaluation.learning import grid, harmless, held_out, learned, tried
from benchmarks.evaluation.sets import Question, read_set
from benchmarks.evaluation.weighing import RANKINGS, pool_of, reciprocal_ranks, row_of, simplex
from sui_memory.config import Settings
from sui_memory.embedding.fake import FakeEmbedder
from sui_memory.recall import Ranking, search
from sui_memory.types import Match

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SETTINGS = Settings(home=None)  # a run makes homes of its own
SUBJECTS = ("heron", "canary", "teapot", "鍵の回転", "会議の議事録", "useAuth", "E1101", "port 8081")
TINY = {
    "docs": [
        {"id": f"d{number}", "text": f"About the {subject}: it is {number}.", "group": "g", "session": "s"}
        for number, subject in enumerate(SUBJECTS)
    ],
    "queries": [
        {"id": f"q{number}", "text": f"the {subject}?", "gold": [f"d{number}"], "group": "g", "cat": "k"}
        for number, subject in enumerate(SUBJECTS)
    ],
}


def asked(name, rankings, gold="a", split="tune"):
    """A question that `gold` answers, and the memories that each ranking found, best first."""
    found = {
        ranking: [Match(memory, 0, 1 - place / 4) for place, memory in enumerate(order)]
        for ranking, order in rankings.items()
    }
    return Asked(Question(name, "", frozenset(), "g", "p", split=split), frozenset((gold,)), found, NOW)


def set_of(*questions, mode="blend"):
    return tried(questions, mode, SETTINGS, grid(with_vectors=True))


TRUE_WORDS = [asked(f"w{number}", {"words": "ab", "vectors": "ba"}) for number in range(9)]
TRUE_VECTORS = [asked(f"v{number}", {"words": "ba", "vectors": "ab"}) for number in range(9)]


@pytest.fixture(name="place")
def place_fixture(tmp_path):
    """A set in a file."""
    place = tmp_path / "tiny.json"
    place.write_text(json.dumps(TINY, ensure_ascii=False), encoding="utf-8")
    return place


def run(command, monkeypatch, capsys, *words):
    monkeypatch.setattr(sys, "argv", ["command", *map(str, words)])
    command.main()
    return capsys.readouterr().out


def test_what_ranks_the_answer_first_is_what_is_learned():
    by_words = learned({"set": set_of(*TRUE_WORDS)}, grid(with_vectors=True))
    by_vectors = learned({"set": set_of(*TRUE_VECTORS)}, grid(with_vectors=True))
    assert by_words["words"] > by_words.get("vectors", 0)
    assert by_vectors["vectors"] > by_vectors.get("words", 0)


def test_learned_weights_add_up_to_1_and_do_as_well_as_the_best_of_the_grid():
    for questions in (TRUE_WORDS, TRUE_VECTORS):
        weights = learned({"set": set_of(*questions)}, grid(with_vectors=True))
        assert sum(weights.values()) == pytest.approx(1)
        assert set_of(*questions).mrr(weights) == 1


def test_questions_that_are_not_for_tuning_are_not_learned_from():
    rest = [asked(f"r{number}", {"words": "ba", "vectors": "ab"}, split="test") for number in range(50)]
    weights = learned({"set": set_of(*TRUE_WORDS, *rest)}, grid(with_vectors=True))
    assert set_of(*TRUE_WORDS).mrr(weights) == 1


def test_a_small_set_counts_as_much_as_a_large_one():
    neither = {"large": set_of(*TRUE_WORDS), "small": set_of(TRUE_VECTORS[0], TRUE_VECTORS[1])}
    weights = learned(neither, grid(with_vectors=True))
    assert abs(weights.get("vectors", 0) - weights.get("words", 0)) < 0.2


def test_held_out_questions_are_answered_by_weights_learned_from_the_others():
    assert held_out({"set": set_of(*TRUE_WORDS)}, grid(with_vectors=True)) == {"set": 1.0}


def test_useless_vectors_get_no_larger_share_than_does_no_harm():
    without = {"words": 0.8, "trigrams": 0.2}
    assert harmless({"set": set_of(*TRUE_WORDS)}, without)["vectors"] <= 0.3
    useless = [
        asked(f"u{number}", {"words": "bac", "trigrams": "abc", "vectors": "bca"}) for number in range(9)
    ]
    sets = {"set": set_of(*useless)}
    assert sets["set"].mrr(harmless(sets, without)) >= sets["set"].mrr(without) - 0.01


def test_a_set_without_splits_is_halved_the_same_way_every_time():
    halves = [[asked(f"q{number}", {}, split="").is_tuning for number in range(200)] for _ in range(2)]
    assert halves[0] == halves[1]
    assert 70 < sum(halves[0]) < 130


@given(st.integers(1, 4), st.integers(1, 6))
def test_every_weighting_of_the_grid_adds_up_to_1(columns, steps):
    table = simplex(RANKINGS[:columns], steps)
    assert np.allclose(table.sum(axis=1), 1)
    assert len({tuple(row) for row in table}) == len(table)


@given(
    st.dictionaries(st.sampled_from(RANKINGS), st.permutations("abcdef").map("".join), min_size=1),
    st.sampled_from(["blend", "score", "rrf"]),
    st.lists(st.integers(1, 9), min_size=len(RANKINGS), max_size=len(RANKINGS)),
)
def test_weighed_at_once_or_ranked_by_the_pipeline_it_is_the_same(rankings, mode, numbers):
    question = asked("q", rankings)
    weights = dict(zip(RANKINGS, numbers, strict=True))
    ranked = search.ranked(question.rankings, NOW, Ranking(mode, weights=weights))
    place = [item.memory_id for item in ranked].index("a")
    pool = pool_of(question, mode, SETTINGS)
    assert reciprocal_ranks([pool], row_of(weights), SETTINGS)[0, 0] == pytest.approx(1 / (1 + place))


@pytest.mark.parametrize("embedder", [None, FakeEmbedder()], ids=["words alone", "with a model"])
def test_what_each_ranking_finds_is_kept_question_by_question(embedder):
    kept = collected(read_set("tiny", TINY), SETTINGS, embedder)
    assert [it.question.id for it in kept] == [query["id"] for query in TINY["queries"]]
    assert all(it.whole[0] in it.gold for it in kept)
    assert all(("vectors" in it.rankings) == (embedder is not None) for it in kept)
    assert kept[0].gold == memories(["d0"])


def test_the_command_prints_what_each_set_gets_and_the_weights(place, monkeypatch, capsys):
    printed = run(learning, monkeypatch, capsys, "--data", place, "--model", "none")
    for line in ("tiny, MRR@10", "as shipped", "learned", "words alone", "mode rrf", "held out", "none: {"):
        assert line in printed


def test_the_command_learns_the_same_twice_and_for_models_unmeasured_from_the_weakest(
    place, monkeypatch, capsys
):
    words = ("--data", place, "--model", "fake", "--json")
    first, second = (json.loads(run(learning, monkeypatch, capsys, *words)) for _ in range(2))
    assert first == second
    assert first["writes"] == "default"
    assert sum(first["weights"].values()) == pytest.approx(1)


def test_baselines_cut_texts_as_they_say():
    assert bigrams("鍵の回転 useAuth") == ["鍵の", "の回", "回転", "useauth"]
    assert english("Where is THE running heron") == ["running", "heron"]


@pytest.mark.parametrize(
    ("baseline", "text", "first"),
    [("bigrams", "議事録", "d4"), ("stemmed English", "herons", "d0"), ("stemmed English", "the", None)],
)
def test_baselines_find_what_is_theirs_to_find(baseline, text, first):
    tiny = read_set("tiny", TINY)
    question = Question("q", text, frozenset(), "g", "p")
    found = next(searched(baseline, tiny.documents, [question], 10))
    assert (found[0] if found else None) == first


def test_the_whole_is_set_beside_single_methods_and_comes_out_the_same_twice(place, monkeypatch, capsys):
    words = ("--data", place, "--model", "fake", "--baselines")
    first, second = (json.loads(run(quality, monkeypatch, capsys, *words, "--json")) for _ in range(2))
    assert first == second
    tiny = first["baselines"]["tiny"]
    assert list(tiny["methods"]) == ["whole", "words", "trigrams", "vectors", "bigrams", "stemmed English"]
    assert tiny["whole - best"]["mrr@10"]["queries"] == len(SUBJECTS)
    assert "whole - " in run(quality, monkeypatch, capsys, *words)
