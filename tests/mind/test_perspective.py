from __future__ import annotations

import pytest

from sui_memory.errors import UsageError


def test_a_frame_holds_what_is_known_of_the_person_and_of_like_situations(world):
    mind = world.mind
    likes = mind.remember("ミオは静かな席がほしいと言っていた").id
    glad = mind.remember("ミオに花を渡した", "happy").id
    unsure = mind.remember("ミオは辛い物を食べるかどうか？ 勘違いしたかも").id
    cafe = mind.remember("カフェで注文に迷って、席を替わった").id
    mind.remember("船の修理が終わった")
    frame = mind.tom("カフェで席を選ぶ", "ミオ")
    assert {hit.memory.id for hit in frame.of_person} == {likes, glad, unsure}
    assert cafe in {hit.memory.id for hit in frame.of_situation}
    assert not {hit.memory.id for hit in frame.of_situation} & {likes, glad, unsure}
    aspects = {aspect.name: aspect for aspect in frame.aspects}
    assert list(aspects) == ["knows", "wants", "feels", "misreads", "open"]
    assert set(aspects["knows"].memory_ids) == {likes, glad, unsure}
    assert likes in aspects["wants"].memory_ids
    assert aspects["feels"].memory_ids == (glad,)
    assert aspects["misreads"].memory_ids == (unsure,)
    assert aspects["open"].memory_ids == (unsure,)
    assert all("ミオ" in aspect.question for aspect in frame.aspects)


def test_an_english_name_is_known_in_any_case_and_width(mind):
    kept = mind.remember("Ｓａｍ prefers tea and was upset about the coffee").id
    aspects = {aspect.name: aspect.memory_ids for aspect in mind.tom("ordering drinks", "sam").aspects}
    assert aspects["knows"] == aspects["wants"] == aspects["feels"] == (kept,)


def test_of_a_stranger_the_frame_is_empty_and_still_asks(mind):
    frame = mind.tom("a first meeting", "Nobody")
    assert (frame.of_person, frame.of_situation) == ((), ())
    assert [aspect.memory_ids for aspect in frame.aspects] == [()] * 5
    assert all(aspect.question.endswith("?") for aspect in frame.aspects)


@pytest.mark.parametrize("given", [("", "Mio"), ("x", " "), ("x", "y" * 101)])
def test_a_frame_needs_a_situation_and_a_name(mind, given):
    with pytest.raises(UsageError):
        mind.tom(*given)
