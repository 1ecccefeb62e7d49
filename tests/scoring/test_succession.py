from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from sui_memory.scoring import succeeded
from sui_memory.types import Exchange, Hit, Memory

START = datetime(2026, 3, 2, tzinfo=UTC)


def hit(name, score=0.9, covered=0.8, day=0, project="/code/app", session=None, asked="鍵の置き場所は?"):
    moment = None if day is None else START + timedelta(days=day)
    exchange = Exchange(
        key=name, fingerprint=name, session=session or name, project=project, question=asked, asked_at=moment
    )
    return Hit(Memory(exchange), score, (0, 0), (("covered", covered),))


def names(hits):
    return [hit.memory.exchange.key for hit in hits]


def test_the_later_of_two_decisions_comes_first():
    assert names(succeeded([hit("old"), hit("new", 0.7, day=30)])) == ["new", "old"]


def test_a_later_word_rises_past_all_that_it_succeeds():
    hits = [hit("first"), hit("second", 0.85, day=1), hit("third", 0.8, day=2)]
    assert names(succeeded(hits)) == ["third", "second", "first"]


def test_a_question_asked_again_in_other_words_is_known_and_another_one_is_not():
    for asked, first in (("鍵の置き場所を変えた?", "new"), ("会議は何時から?", "old")):
        assert names(succeeded([hit("old"), hit("new", day=30, asked=asked)]))[0] == first


def test_an_exact_answer_stays_before_a_fresh_vague_one():
    assert names(succeeded([hit("exact"), hit("vague", 0.5, day=300)])) == ["exact", "vague"]
    assert names(succeeded([hit("exact"), hit("other", 0.9, covered=0.4, day=300)])) == ["exact", "other"]


def test_only_what_was_said_later_in_the_same_project_and_elsewhere_succeeds():
    for other in (
        hit("earlier", day=-1),
        hit("undated", day=None),
        hit("elsewhere", day=1, project="/code/site"),
        hit("same talk", day=1, session="old"),
    ):
        assert names(succeeded([hit("old"), other]))[0] == "old"


HITS = st.lists(
    st.builds(
        hit,
        st.uuids().map(str),
        st.floats(0, 1),
        st.floats(0, 1),
        st.none() | st.integers(0, 5),
        st.sampled_from(["a", "b"]),
    ),
    max_size=8,
)


@given(HITS)
def test_nothing_is_lost_or_doubled(hits):
    hits = sorted(hits, key=lambda hit: -hit.score)
    assert sorted(names(succeeded(hits))) == sorted(names(hits))
