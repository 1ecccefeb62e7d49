"""The set that the project ships: what it promises to whoever measures with it."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import datetime, timedelta

import pytest

from benchmarks.authoring.__main__ import SET, assembled, counts, dumped
from benchmarks.authoring.sources import exchanges, language_of, projects

ANSWERABLE = {
    "code", "decision", "error", "far paraphrase", "identifier", "name", "newer", "old", "other day",
    "paraphrase", "project", "romaji", "short", "typo", "variant",
}  # fmt: skip
UNANSWERABLE = {"continuation", "new topic", "order", "small talk", "untouched"}
ENOUGH = 25  # queries of a kind
VERBATIM = 16  # characters: a name or a word stands in its question, a sentence must not


@pytest.fixture(scope="module", name="talk")
def talk_fixture():
    return json.loads(SET.read_text(encoding="utf-8"))


@pytest.fixture(scope="module", name="documents")
def documents_fixture(talk):
    return {document["id"]: document for document in talk["docs"]}


def at(document) -> datetime:
    return datetime.fromisoformat(document["date"])


def test_the_set_is_what_its_sources_make():
    assert SET.read_text(encoding="utf-8") == dumped(assembled())


def test_it_is_large_enough(talk):
    assert len(talk["docs"]) >= 1_500
    assert len({document["session"] for document in talk["docs"]}) >= 300
    assert len({document["project"] for document in talk["docs"]}) == len(projects()) >= 25
    assert len(exchanges()) >= 350
    assert len(talk["nothing"]) >= 150
    languages = Counter(query["language"] for query in talk["queries"])
    assert languages["ja"] >= 300
    assert languages["en"] >= 150
    assert languages["mixed"] >= 50


def test_every_kind_is_there_often_enough_and_in_both_halves(talk):
    for rows, kinds in ((talk["queries"], ANSWERABLE), (talk["nothing"], UNANSWERABLE)):
        assert {row["cat"] for row in rows} == kinds
        assert min(Counter(row["cat"] for row in rows).values()) >= ENOUGH
        halves = {(row["cat"], row["split"]) for row in rows}
        assert halves == {(kind, half) for kind in kinds for half in ("tune", "test")}


def test_the_halves_are_nearly_of_a_size(talk):
    rows = [*talk["queries"], *talk["nothing"]]
    tuned = sum(row["split"] == "tune" for row in rows)
    assert 0.45 <= tuned / len(rows) <= 0.55


def test_ids_are_unique(talk):
    for rows in (talk["docs"], [*talk["queries"], *talk["nothing"]]):
        assert max(Counter(row["id"] for row in rows).values()) == 1


def test_a_query_has_its_answer_in_its_gold_exchange(talk, documents):
    for query in talk["queries"]:
        assert query["gold"], query["id"]
        for gold in query["gold"]:
            assert query["answer"] in documents[gold]["answer"], query["id"]


def test_no_query_stands_verbatim_in_the_question_it_looks_for(talk, documents):
    for query in talk["queries"]:
        question = documents[query["gold"][0]]["question"]
        assert query["text"] != question, query["id"]
        assert len(query["text"]) <= VERBATIM or query["text"] not in question, query["id"]


def test_no_two_queries_are_the_same_in_one_project(talk):
    rows = [*talk["queries"], *talk["nothing"]]
    assert max(Counter((row["text"], row["project"]) for row in rows).values()) == 1


def test_what_should_recall_nothing_has_no_gold(talk):
    assert all(row["gold"] == [] for row in talk["nothing"])


def test_a_replaced_decision_is_an_earlier_one_of_the_same_project(talk, documents):
    for query in talk["queries"]:
        assert bool(query["older"]) == (query["cat"] == "newer"), query["id"]
        for older in query["older"]:
            newer = documents[query["gold"][0]]
            assert documents[older]["project"] == newer["project"]
            assert at(documents[older]) < at(newer)


def test_old_answers_are_a_year_old_and_the_other_day_is_this_month(talk, documents):
    now = datetime.fromisoformat(talk["now"])
    for query in talk["queries"]:
        age = now - at(documents[query["gold"][0]])
        assert query["cat"] != "old" or age > timedelta(days=365), query["id"]
        assert query["cat"] != "other day" or age < timedelta(days=31), query["id"]


def test_old_answers_have_fresher_talk_of_the_same_words_beside_them(talk, documents):
    about = {written.id: written.about for written in exchanges()}
    for query in (query for query in talk["queries"] if query["cat"] == "old"):
        gold = documents[query["gold"][0]]
        fresher = [
            document
            for document in documents.values()
            if about[gold["id"]] in document["question"] and at(document) > at(gold) + timedelta(days=365)
        ]
        assert fresher, query["id"]


def test_words_of_two_projects_are_asked_for_from_the_one_that_answers(talk, documents):
    asked = defaultdict(set)
    for query in (query for query in talk["queries"] if query["cat"] == "project"):
        assert query["project"] == documents[query["gold"][0]]["project"]
        asked[query["text"]].add(query["project"])
    assert sum(len(found) >= 2 for found in asked.values()) >= ENOUGH // 2


def test_sessions_are_of_one_project_and_one_day_in_order(talk):
    now = datetime.fromisoformat(talk["now"])
    sessions = defaultdict(list)
    for document in talk["docs"]:
        sessions[document["session"]].append(document)
    for documents in sessions.values():
        assert len({(document["project"], at(document).date()) for document in documents}) == 1
        assert [at(document) for document in documents] == sorted(at(document) for document in documents)
        assert at(documents[-1]) < now
    assert timedelta(days=500) < now - at(talk["docs"][0]) < timedelta(days=560)


def test_what_follows_stands_right_behind_what_it_follows(talk):
    order = [document["id"] for document in talk["docs"]]
    for written in exchanges():
        if written.after:
            assert order.index(written.id) == order.index(written.after) + 1


def test_the_text_of_a_document_is_its_question_and_its_answer(talk):
    for document in talk["docs"]:
        assert document["text"] == f"{document['question']}\n\n{document['answer']}"
        assert "{" not in document["question"] or document["origin"] != "frame"


def test_the_readme_has_the_numbers_of_the_set(talk):
    assert counts(talk) in (SET.parent / "README.md").read_text(encoding="utf-8")


def test_files_stay_of_a_size_that_can_be_read():
    assert SET.stat().st_size <= 3_000_000
    assert all(file.stat().st_size <= 400_000 for file in (SET.parent / "sources").iterdir())


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("鍵の置き場所", "ja"),
        ("where is the key", "en"),
        ("Prisma P2024 の対処は?", "mixed"),
        ("接続プールのpool_sizeって今いくつにしてる?", "ja"),  # a name in a Japanese sentence
    ],
)
def test_the_script_tells_the_language(text, language):
    assert language_of(text) == language
