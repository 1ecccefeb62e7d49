"""The harness that measures recall: its figures by hand, its sets, and whole runs over a tiny archive."""

import json
import math
import sys
from datetime import UTC, datetime
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import quality
from benchmarks.evaluation.comparing import paired
from benchmarks.evaluation.metrics import interval, is_right_first, percentile, ranking_figures
from benchmarks.evaluation.running import run
from benchmarks.evaluation.sets import date_of, load_sets, read_set
from benchmarks.evaluation.stages import STAGES, WHOLE, switched_off
from benchmarks.evaluation.summary import means, summary
from benchmarks.evaluation.table import aligned
from sui_memory.config import Settings
from sui_memory.embedding.fake import FakeEmbedder
from sui_memory.recall import judging, prompt, search

names = st.text("abcdefgh", min_size=1, max_size=2)
shares = st.lists(st.floats(0, 1), min_size=1, max_size=30)
SETTINGS = Settings(home=None)  # a run makes homes of its own


def row(name, text, day, **more):
    return {"id": name, "text": text, "group": "g", "session": "s", "date": f"2026-0{day}-01", **more}


PLAIN = {
    "docs": [
        row("key", "The signing key is rotated by the night job.", 1),
        row("pool", "The connection pool holds twelve connections.", 2),
        row("fish", "A heron stood by the river all morning.", 3),
    ],
    "queries": [
        {"id": "q1", "text": "signing key", "gold": ["key"], "group": "g", "cat": 1},
        {"id": "q2", "text": "connection pool", "gold": ["pool"], "group": "g", "cat": 2},
    ],
}


def exchange(name, project, question, answer, day):
    text = f"{question}\n\n{answer}"
    return row(name, text, day, project=project, question=question, answer=answer)


TALK = {
    "now": "2026-06-30T18:30:00+09:00",
    "docs": [
        exchange("port-1", "kura", "dentalink のポートは？", "dentalink は 8081 番で待ちます。", 1),
        exchange("port-2", "kura", "dentalink のポートを変えたい", "dentalink は 9090 番にしました。", 6),
        exchange("cat", "niwa", "猫の名前を考えて", "むぎ、がいいと思います。", 4),
    ],
    "queries": [
        {
            "id": "port",
            "text": "dentalink のポートは何番？",
            "gold": ["port-2"],
            "older": ["port-1"],
            "answer": "9090 番",
            "group": "g",
            "project": "kura",
            "cat": "newer",
            "language": "ja",
            "split": "test",
        },
        {
            "id": "name",
            "text": "猫の名前は？",
            "gold": ["cat"],
            "answer": "むぎ",
            "group": "g",
            "project": "niwa",
            "cat": "name",
            "language": "ja",
            "split": "tune",
        },
    ],
    "nothing": [
        {
            "id": "hello",
            "text": "おはようございます",
            "gold": [],
            "group": "g",
            "project": "niwa",
            "cat": "small talk",
            "language": "ja",
            "split": "test",
        }
    ],
}


@pytest.fixture(name="folder")
def folder_fixture(tmp_path):
    """A folder with a plain set, one of talk, and JSON that is no set."""
    for name, data in (("plain", PLAIN), ("talk", TALK), ("notes", {"a": 1})):
        (tmp_path / f"{name}.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    return tmp_path


@pytest.fixture(name="asked")
def asked_fixture(folder, monkeypatch, capsys):
    """The command on that folder, without a model: what it prints."""

    def ask(*words, data=folder):
        where = ["--data", str(data)] if data else []
        monkeypatch.setattr(sys, "argv", ["quality", *where, "--model", "none", *map(str, words)])
        quality.main()
        return capsys.readouterr().out

    return ask


def test_figures_are_those_worked_out_by_hand():
    figures = ranking_figures(["x", "a", "y", "b"], {"a", "b"})
    ideal = 1 + 1 / math.log2(3)
    assert figures == {
        "recall@1": 0.0,
        "recall@3": 0.5,
        "recall@5": 1.0,
        "recall@10": 1.0,
        "mrr@10": 0.5,
        "ndcg@10": pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal),
    }


def test_what_ranks_below_the_tenth_counts_for_nothing():
    found = [f"x{place}" for place in range(10)] + ["a"]
    assert set(ranking_figures(found, {"a"}).values()) == {0.0}


@given(st.lists(names, max_size=15), st.sets(names, min_size=1, max_size=15))
def test_figures_are_shares_and_recall_only_grows_with_depth(found, gold):
    figures = ranking_figures(found, gold)
    assert all(0 <= value <= 1 + 1e-9 for value in figures.values())
    recalls = [figures[f"recall@{cut}"] for cut in (1, 3, 5, 10)]
    assert recalls == sorted(recalls)
    assert (figures["mrr@10"] > 0) == (figures["recall@10"] > 0)


@given(st.sets(names, min_size=1, max_size=10))
def test_all_gold_first_is_perfect(gold):
    figures = ranking_figures([*sorted(gold), "z"], gold)
    assert figures["mrr@10"] == 1
    assert figures["ndcg@10"] == pytest.approx(1)


@given(st.lists(names, min_size=1, max_size=8, unique=True), st.sets(names, min_size=1), st.data())
def test_what_is_found_further_up_never_counts_for_less(found, gold, data):
    place = data.draw(st.integers(0, len(found) - 1))
    gold = gold | {found[place]}
    raised = [found[place], *found[:place], *found[place + 1 :]]
    assert ranking_figures(raised, gold)["mrr@10"] >= ranking_figures(found, gold)["mrr@10"]


def test_the_newer_of_two_is_right_only_above_the_older():
    assert is_right_first(["x", "new", "old"], {"new"}, {"old"})
    assert is_right_first(["new"], {"new"}, {"old"})
    assert not is_right_first(["old", "new"], {"new"}, {"old"})
    assert not is_right_first(["x"], {"new"}, {"old"})


@given(shares, st.randoms(use_true_random=False))
def test_an_interval_holds_the_mean_whatever_the_order(values, random):
    low, high = interval(values)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
    shuffled = random.sample(values, len(values))
    assert interval(shuffled) == (low, high)


def test_an_interval_is_as_wide_as_the_theory_has_it():
    values = [0.0, 1.0] * 200
    low, high = interval(values)
    assert (low, high) == (pytest.approx(0.5 - 0.049, abs=0.006), pytest.approx(0.5 + 0.049, abs=0.006))


def test_percentiles_are_those_worked_out_by_hand():
    assert percentile([1.0, 2.0, 3.0, 4.0, 5.0], 50) == 3
    assert percentile([0.0, 10.0], 95) == pytest.approx(9.5)


@given(shares)
def test_a_run_compared_with_itself_has_not_changed(values):
    each = {"mrr@10": {str(place): value for place, value in enumerate(values)}}
    change = paired(each, each)["mrr@10"]
    assert (change["difference"], change["interval"]) == (0, [0, 0])
    assert (change["won"], change["lost"]) == (0, 0)


def test_only_the_queries_of_both_runs_are_compared():
    change = paired({"mrr@10": {"a": 0.5, "b": 1.0, "c": 1.0}}, {"mrr@10": {"a": 1.0, "b": 0.0, "d": 1.0}})
    assert change["mrr@10"]["queries"] == 2
    assert change["mrr@10"]["difference"] == -0.25
    assert (change["mrr@10"]["won"], change["mrr@10"]["lost"]) == (1, 1)
    assert paired({"mrr@10": {"a": 1.0}}, {}) == {}


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("2026-10-30T18:30:00+09:00", datetime(2026, 10, 30, 9, 30, tzinfo=UTC)),
        ("2026-10-30", datetime(2026, 10, 30, tzinfo=UTC)),
        ("last spring", None),
        (None, None),
    ],
)
def test_dates_of_every_known_form_are_read_as_utc(text, moment):
    assert date_of(text) == moment


def test_every_set_of_a_folder_is_read_and_other_json_is_passed_over(folder):
    assert [each.name for each in load_sets(folder)] == ["plain", "talk"]
    assert [each.name for each in load_sets(folder / "talk.json")] == ["talk"]


def test_a_plain_set_has_its_text_asked_and_its_kinds_named():
    plain = read_set("plain", PLAIN)
    assert plain.documents[0].question == PLAIN["docs"][0]["text"]
    assert plain.documents[0].answer == ""
    assert [query.kind for query in plain.queries] == ["1", "2"]
    assert not plain.has_prompts


def test_a_set_of_talk_has_both_sides_and_what_should_recall_nothing():
    talk = read_set("talk", TALK)
    assert talk.documents[0].answer == "dentalink は 8081 番で待ちます。"
    assert talk.queries[0].older == {"port-1"}
    assert talk.nothing[0].gold == frozenset()
    assert talk.now == datetime(2026, 6, 30, 9, 30, tzinfo=UTC)
    assert talk.has_prompts


def test_a_half_has_the_queries_of_its_split_and_a_set_without_splits_stays_whole():
    talk, plain = read_set("talk", TALK), read_set("plain", PLAIN)
    assert [query.id for query in talk.half("tune").queries] == ["name"]
    assert talk.half("tune").nothing == ()
    assert talk.half("all") == talk
    assert plain.half("test") == plain


@pytest.mark.parametrize("embedder", [None, FakeEmbedder()], ids=["words alone", "with a model"])
def test_a_run_finds_what_is_there_and_says_nothing_to_a_greeting(embedder):
    outcomes, _ = run(read_set("talk", TALK), SETTINGS, embedder)
    figures = summary(outcomes[WHOLE])
    assert figures["recall@3"] == 1
    assert figures["prompts"]["answerable"]["kinds"]["newer"]["answer in block"] == 1
    assert figures["prompts"]["nothing"]["injected"] == 0
    assert sum(figures["prompts"]["silences on nothing"].values()) == 1


def test_each_group_is_an_archive_of_its_own():
    docs = [*PLAIN["docs"], {**PLAIN["docs"][0], "id": "other", "group": "h"}]
    queries = [*PLAIN["queries"], {**PLAIN["queries"][0], "id": "q3", "gold": ["other"], "group": "h"}]
    outcomes, _ = run(read_set("two", {"docs": docs, "queries": queries}), SETTINGS, None)
    assert means(outcomes[WHOLE].searches)["recall@1"] == 1


def test_the_command_prints_figures_of_every_set_as_json(asked):
    result = json.loads(asked("--json"))
    assert result["model"] == "none"
    assert set(result["sets"]) == {"plain", "talk"}
    plain = result["sets"]["plain"]
    assert plain["queries"] == 2
    assert plain["recall@1"] == plain["mrr@10"] == plain["ndcg@10"] == 1
    assert plain["intervals"]["mrr@10"] == [1, 1]
    assert set(plain["kinds"]) == {"1", "2"}
    assert plain["each"]["mrr@10"] == {"q1": 1, "q2": 1}
    assert result["sets"]["talk"]["queries"] == 1


@pytest.mark.parametrize(
    "title",
    [
        "plain, searches",
        "talk, stages of a search",
        "talk, prompts with an answer",
        "talk, prompts that should recall nothing",
        "talk, silence",
        "talk, stages of a prompt",
    ],
)
def test_the_command_prints_tables(asked, title):
    assert title in asked("--split", "all")


def test_the_figures_come_out_the_same_twice(asked):
    first, second = (json.loads(asked("--json", "--split", "all"))["sets"]["talk"] for _ in range(2))
    assert first["each"] == second["each"]
    assert first["intervals"] == second["intervals"]
    assert first["prompts"]["answerable"]["intervals"] == second["prompts"]["answerable"]["intervals"]


def test_settings_come_from_the_file_and_the_command_line_comes_first(asked, tmp_path):
    config = tmp_path / "chosen.toml"
    config.write_text('fusion = "rrf"\ndecay = "factor"\nmemories = 2\n')
    settings = json.loads(asked("--json", "--config", config, "--no-decay"))["settings"]
    assert (settings["fusion"], settings["decay"], settings["memories"]) == ("rrf", "off", 2)


def test_a_setting_that_is_unknown_is_refused_in_words(asked, tmp_path):
    config = tmp_path / "chosen.toml"
    config.write_text("fusions = 1\n")
    with pytest.raises(SystemExit, match="unknown setting 'fusions'"):
        asked("--config", config)


def test_a_run_is_compared_with_an_earlier_one_or_two_that_are_kept(asked, tmp_path):
    before = tmp_path / "runs" / "before.json"
    before.parent.mkdir()
    before.write_text(asked("--json"), encoding="utf-8")
    assert "plain" in asked("--compare", before)
    changes = json.loads(asked("--compare", before, before, "--json", data=None))
    assert changes["talk"]["answer in block"]["difference"] == 0


def test_what_is_no_run_cannot_be_compared(asked, folder):
    with pytest.raises(SystemExit, match="holds no run"):
        asked("--compare", folder / "plain.json")


def test_a_query_without_gold_is_not_searched_for():
    queries = [*PLAIN["queries"], {**PLAIN["queries"][0], "id": "q3", "gold": []}]
    outcomes, _ = run(read_set("plain", {**PLAIN, "queries": queries}), SETTINGS, None)
    assert len(outcomes[WHOLE].searches) == 2


def test_the_command_without_sets_says_what_it_needs(asked, capsys):
    with pytest.raises(SystemExit):
        asked(data=None)
    assert "--data DIR is needed" in capsys.readouterr().err


def test_each_stage_is_switched_off_where_it_bears_on_something(asked):
    changes = json.loads(asked("--ablate", "--json"))["ablation"]
    assert set(changes["plain"]) == {
        "respelling",
        "named days",
        "words",
        "trigrams",
        "coverage",
        "context",
        "phrases",
        "decay",
    }
    assert set(changes["talk"]) == set(STAGES) - {"vectors", "z of vectors"}
    assert changes["plain"]["words"]["mrr@10"]["difference"] <= 0
    of_prompts = {"answer in block", "right first", "injected on nothing"}
    assert set(changes["talk"]["words"]) == {"mrr@10", *of_prompts}
    assert set(changes["talk"]["bar"]) == of_prompts


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_runs_without_and_is_put_back(stage):
    before = [vars(module).copy() for module in (judging, prompt, search)]
    outcomes, _ = run(read_set("talk", TALK), SETTINGS, FakeEmbedder(), (stage, WHOLE))
    assert [vars(module) for module in (judging, prompt, search)] == before
    assert len(outcomes[stage].answerable) == 2


@pytest.mark.parametrize("embedder", [None, FakeEmbedder()], ids=["words alone", "with a model"])
def test_every_stage_that_runs_is_timed(embedder):
    outcomes, _ = run(read_set("talk", TALK), SETTINGS, embedder)
    figures = summary(outcomes[WHOLE])
    stages = {"analysis", "rarity", "words", "trigrams", "coverage", "ranking"}
    stages |= {"model", "vectors"} if embedder else set()
    assert set(figures["stages"]) - {"substring"} == stages
    assert set(figures["prompts"]["stages"]) >= stages | {"evidence", "block"}
    assert figures["stages"]["ranking"]["calls"] == figures["queries"]


def test_a_stage_is_off_only_inside_its_block():
    decayed = search.decayed
    with switched_off("decay"):
        assert search.decayed is not decayed
    assert search.decayed is decayed


def test_the_mean_is_over_the_queries_that_have_the_figure():
    outcomes, _ = run(read_set("talk", TALK), SETTINGS, None)
    searches = outcomes[WHOLE].searches
    figures = means(searches)
    assert figures["mrr@10"] == round(fmean(each.figures["mrr@10"] for each in searches), 4)
    assert [("right first" in each.figures) for each in searches] == [True, False]
    assert means([]) == {"queries": 0}


def test_columns_are_aligned():
    assert aligned([("a", "bb"), ("ccc", "d")]) == "a    bb\nccc   d"
