"""What a night would change: every rule and every protection, on values alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from math import cos, radians, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.sleep import Plan, Thresholds, plan
from sui_memory.sleep.rules import STRENGTHS, protection, retention
from sui_memory.sleep.summary import gist
from sui_memory.store.kept import Category, Emotion, KeptMemory, Note
from tests.sleep.notes import NOW, dull, kept, pair, vectors


def planned(*memories: KeptMemory, episodes: tuple[str, ...] = (), slept_at: datetime | None = None) -> Plan:
    return plan(memories, {}, episodes, NOW, slept_at=slept_at)


PROTECTED = {
    "importance 4": {"importance": 4},
    "importance 5": {"importance": 5},
    "happy": {"emotion": Emotion.HAPPY},
    "moved": {"emotion": Emotion.MOVED},
    "excited": {"emotion": Emotion.EXCITED},
    "surprised": {"emotion": Emotion.SURPRISED},
    "pinned": {"pinned": True},
    "first, in kanji": {"text": "初めて港で泳いだ。"},
    "first, in kana": {"text": "はじめて帆を張った"},
    "first, in English": {"text": "The First  Time I saw the buoy"},
    "first, full width": {"text": "ＦＩＲＳＴ ＴＩＭＥ at sea"},
}


@pytest.mark.parametrize("fields", PROTECTED.values(), ids=PROTECTED)
def test_a_protected_memory_is_neither_merged_nor_faded_nor_forgotten(fields: dict) -> None:
    memories = [dull(days=90, **fields, key=f"note:{number}") for number in (1, 2)]
    found = plan(memories, vectors(*memories, cosine=1.0), (), NOW)
    assert found.is_empty


@pytest.mark.parametrize("emotion", [Emotion.SAD, Emotion.NOSTALGIC, Emotion.CURIOUS, Emotion.NEUTRAL])
def test_no_other_emotion_protects(emotion: Emotion) -> None:
    assert protection(kept(importance=3, emotion=emotion)) is None


@pytest.mark.parametrize(
    "text", ["初日に港で泳いだ", "はじめに帆を張った", "the first buoy, this time green"]
)
def test_words_like_those_of_a_first_time_protect_nothing(text: str) -> None:
    assert protection(kept(text)) is None


def test_what_an_episode_holds_may_fade_but_is_neither_merged_nor_forgotten() -> None:
    alike = pair()
    faint = dull()
    ids = tuple(memory.id for memory in (*alike, faint))
    found = plan((*alike, faint), vectors(*alike), ids, NOW)
    assert (found.merged, found.forgotten) == ((), ())
    assert [fade.memory_id for fade in found.faded] == [memory.id for memory in alike]


MERGES = {
    "alike and old": ({}, {}, 0.9, True),
    "not alike enough": ({}, {}, 0.85, False),
    "just alike enough": ({}, {}, 0.8501, True),
    "of two categories": ({}, {"category": Category.TECHNICAL}, 0.9, False),
    "one too young": ({}, {"days": 14}, 0.9, False),
    "just old enough": ({}, {"days": 14.01}, 0.9, True),
    "one protected": ({}, {"importance": 4}, 0.9, False),
}


@pytest.mark.parametrize(("one", "other", "cosine", "is_merged"), MERGES.values(), ids=MERGES)
def test_two_old_memories_of_a_category_that_are_alike_become_one(
    one: dict, other: dict, cosine: float, is_merged: bool
) -> None:
    memories = [kept("浮標を緑に塗った", **one), kept("The harbour is closed", **other)]
    found = plan(memories, vectors(*memories, cosine=cosine), (), NOW)
    assert bool(found.merged) is is_merged


def test_groups_are_chains_of_alike_pairs() -> None:
    memories = [kept(f"第{number}の船", 60 - number) for number in range(4)]
    angles = {memory.id: radians(25 * place) for place, memory in enumerate(memories)}
    turned = {name: [cos(angle), sin(angle)] for name, angle in angles.items()}
    (merge,) = plan(memories, turned, (), NOW).merged
    assert merge.note.sources == tuple(memory.id for memory in memories)
    assert merge.likeness == pytest.approx(cos(radians(25)))


def test_a_threshold_can_be_chosen() -> None:
    memories = pair(days=10)
    near = vectors(*memories, cosine=0.7)
    assert plan(memories, near, (), NOW, thresholds=Thresholds(5, 0.6)).merged
    assert not plan(memories, near, (), NOW).merged


def test_without_vectors_only_near_identical_words_are_merged() -> None:
    same = kept("浮標を緑に塗り直した。雨だった。", 50), kept("浮標を緑に塗り直した。 雨だった", 40)
    found = planned(*same, kept("ブイの色は緑になった。", 45))
    (merge,) = found.merged
    assert merge.note.sources == tuple(memory.id for memory in same)
    assert (merge.by, found.wordwise) == ("letters", 3)


def test_a_memory_without_a_vector_is_compared_by_letters_with_those_that_have_one() -> None:
    same = kept("浮標を緑に塗り直した。雨だった。", 50), kept("浮標を緑に塗り直した。雨だった！", 40)
    found = plan(same, {same[0].id: [1.0, 0.0]}, (), NOW)
    assert [merge.by for merge in found.merged] == ["letters"]


def test_a_summary_has_the_first_sentences_and_the_best_of_its_sources() -> None:
    older, newer = pair()
    older = replace(older, note=replace(older.note, emotion=Emotion.SAD, tags=("港", "船"), accessed=2))
    newer = replace(newer, note=replace(newer.note, importance=2, tags=("船", "色"), accessed_at=NOW))
    (merge,) = plan((newer, older), vectors(newer, older), (), NOW).merged
    assert merge.summary.question == (
        "- 2026-10-01: 浮標を緑に塗り直した。雨だった。\n- 2026-10-02: ブイの色は緑になった。"
    )
    assert (merge.summary.asked_at, merge.summary.agent) == (NOW, "kept")
    assert merge.note == Note(
        emotion=Emotion.SAD,
        importance=3,
        category=Category.DAILY,
        tags=("港", "船", "色"),
        accessed=2,
        accessed_at=NOW,
        sources=(older.id, newer.id),
    )


def test_a_summary_has_the_strongest_emotion_whichever_came_first() -> None:
    older, newer = pair()
    newer = replace(newer, note=replace(newer.note, emotion=Emotion.CURIOUS))
    older = replace(older, note=replace(older.note, emotion=Emotion.NOSTALGIC))
    (merge,) = plan((older, newer), vectors(older, newer), (), NOW).merged
    assert merge.note.emotion is Emotion.CURIOUS


def test_the_dates_in_a_summary_are_those_of_the_sleepers_time_zone() -> None:
    memories = [kept("港の灯が消えた。", 60.4, key=f"note:{number}") for number in (1, 2)]
    tokyo = NOW.astimezone(timezone(timedelta(hours=9)))
    assert plan(memories, {}, (), tokyo).merged[0].summary.question == "- 2026-10-01: 港の灯が消えた。"
    assert plan(memories, {}, (), NOW).merged[0].summary.question == "- 2026-09-30: 港の灯が消えた。"


def test_the_bullets_of_a_summary_are_taken_over_when_it_is_merged_again() -> None:
    old = kept("- 2026-01-02, 2026-01-09: 潮を測った。\n- 2026-02-03: 網を干した。", 40, sources=("a", "b"))
    new = kept("網を干した。", 30)
    (merge,) = plan((old, new), vectors(old, new), (), NOW).merged
    assert merge.summary.question == (
        "- 2026-01-02, 2026-01-09: 潮を測った。\n- 2026-02-03, 2026-10-31: 網を干した。"
    )


@pytest.mark.parametrize(("projects", "project"), [(("/a", "/a"), "/a"), (("/a", "/b"), ""), (("", ""), "")])
def test_a_summary_has_the_project_that_its_sources_share(projects: tuple[str, str], project: str) -> None:
    memories = [kept("網を干した。", 60 + place, project=name) for place, name in enumerate(projects)]
    assert planned(*memories).merged[0].summary.project == project


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("短い。次も短い。", "短い。次も短い。"),
        ("One. Two!\nThree", "One. Two! Three"),
        ("長" * 200 + "。次。", "長" * 200 + "。"),
        ("長" * 900, "長" * 400),
        ("v1.2 で直した", "v1.2 で直した"),
        (" \n ", ""),
    ],
)
def test_a_gist_is_the_first_sentence_and_those_that_fit(text: str, first: str) -> None:
    assert gist(text) == first


RETAINED = {
    "fresh": (Note(importance=3), 0, 0.48),
    "a month old": (Note(importance=3), 30, 0.18 + 0.3 / 2.718281828),
    "felt": (Note(importance=3, emotion=Emotion.EXCITED), 10_000, 0.38),
    "often recalled": (Note(importance=3, accessed=10), 10_000, 0.38),
    "more often than counts": (Note(importance=3, accessed=99), 10_000, 0.38),
    "half as often": (Note(importance=3, accessed=5), 10_000, 0.28),
    "as much as there is": (Note(importance=5, emotion=Emotion.EXCITED, accessed=10), 0, 1.0),
}


@pytest.mark.parametrize(("note", "age", "held"), RETAINED.values(), ids=RETAINED)
def test_retention_follows_the_formula(note: Note, age: float, held: float) -> None:
    assert retention(note, age) == pytest.approx(held, abs=1e-6)


def test_every_emotion_has_a_strength() -> None:
    assert set(STRENGTHS) == set(Emotion)
    assert all(0 <= strength <= 1 for strength in STRENGTHS.values())


FADES = {
    "far gone": ({"importance": 3}, 60, 2),
    "two becomes one": ({"importance": 2}, 60, 1),
    "never below one": ({"importance": 1}, 60, None),
    "still fresh": ({"importance": 3}, 5, None),
    "just held": ({"importance": 3, "emotion": Emotion.CURIOUS, "accessed": 6}, 10_000, None),  # .40
    "just lost": ({"importance": 3, "emotion": Emotion.CURIOUS, "accessed": 5}, 10_000, 2),  # .38
}


@pytest.mark.parametrize(("fields", "days", "after"), FADES.values(), ids=FADES)
def test_importance_drops_by_one_where_little_is_retained(fields: dict, days: float, after: int) -> None:
    (memory,) = [kept(days=days, **fields)]
    found = planned(memory, episodes=(memory.id,))
    assert [fade.after for fade in found.faded] == ([] if after is None else [after])


FORGETS = {
    "all rules met": ({}, 60, True),
    "just old enough": ({}, 14.01, True),
    "too young": ({}, 14, False),
    "recalled three times": ({"accessed": 3}, 60, True),
    "recalled four times": ({"accessed": 4}, 60, False),
    "sad": ({"emotion": Emotion.SAD}, 60, False),
    "curious": ({"emotion": Emotion.CURIOUS}, 60, False),
    "nostalgic": ({"emotion": Emotion.NOSTALGIC}, 60, False),
    "of importance three": ({"importance": 3}, 60, False),
    "faded to one this night": ({"importance": 2}, 60, True),
}


@pytest.mark.parametrize(("fields", "days", "is_gone"), FORGETS.values(), ids=FORGETS)
def test_what_is_dull_old_and_never_asked_for_is_let_go(fields: dict, days: float, is_gone: bool) -> None:
    memory = dull(days=days, **fields)
    assert [gone.memory_id for gone in planned(memory).forgotten] == ([memory.id] if is_gone else [])


def test_what_was_merged_neither_fades_nor_is_forgotten() -> None:
    memories = dull(days=60), dull(days=61)
    found = planned(*memories)
    assert (len(found.merged), found.faded, found.forgotten) == (1, (), ())


def test_what_has_no_date_is_never_old() -> None:
    undated = dull()
    exchange = replace(undated.memory.exchange, asked_at=None)
    assert planned(replace(undated, memory=replace(undated.memory, exchange=exchange))).is_empty


@pytest.mark.parametrize(("hours", "fades"), [(0, False), (17, False), (18, True), (24, True)])
def test_a_memory_fades_once_a_night(hours: int, fades: bool) -> None:
    found = planned(kept(importance=3), slept_at=NOW - timedelta(hours=hours))
    assert (bool(found.faded), found.rested) == (fades, not fades)


NOTES = st.builds(
    Note,
    emotion=st.sampled_from(Emotion),
    importance=st.integers(1, 5),
    category=st.sampled_from(list(Category)[:2]),
    accessed=st.integers(0, 12),
)
TEXTS = st.sampled_from(["網を干した。", "網を干した！", "初めての海。", "Our first time out", "港は静か。"])
MEMORIES = st.lists(st.tuples(NOTES, TEXTS, st.integers(0, 90), st.booleans()), max_size=12)


def dreamt(drawn: list) -> tuple[list[KeptMemory], set[str]]:
    memories, episodes = [], set()
    for number, (note, text, days, is_in_episode) in enumerate(drawn):
        memory = replace(kept(text, days, key=f"note:{number}"), note=note)
        memories.append(memory)
        episodes |= {memory.id} if is_in_episode else set()
    return memories, episodes


@given(MEMORIES)
def test_no_protected_memory_ever_goes_to_rest_or_fades(drawn: list) -> None:
    memories, episodes = dreamt(drawn)
    found = plan(memories, {}, episodes, NOW)
    at_rest = {name for merge in found.merged for name in merge.note.sources}
    at_rest |= {gone.memory_id for gone in found.forgotten}
    safe = {memory.id for memory in memories if protection(memory)}
    assert not at_rest & (safe | episodes)
    assert not {fade.memory_id for fade in found.faded} & safe


@given(MEMORIES)
def test_a_second_run_at_the_same_time_finds_nothing_left(drawn: list) -> None:
    memories, episodes = dreamt(drawn)
    found = plan(memories, {}, episodes, NOW)
    after = {fade.memory_id: fade.after for fade in found.faded}
    gone = {name for merge in found.merged for name in merge.note.sources}
    gone |= {each.memory_id for each in found.forgotten}
    left = [
        replace(memory, note=replace(memory.note, importance=after.get(memory.id, memory.note.importance)))
        for memory in memories
        if memory.id not in gone
    ]
    assert plan(left, {}, episodes, NOW, slept_at=NOW).is_empty
