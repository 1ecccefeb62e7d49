"""One exchange, however often resuming, forking and branching wrote it down."""

from __future__ import annotations

import json
from itertools import permutations

import pytest

from sui_memory.types import Branch
from tests.transcript.script import Script, copied, cut, talk

TALK = [("予備の鍵は？", "受付です。"), ("本数は？", "三本です。")]


def original() -> Script:
    script = Script("original")
    for question, answer in TALK:
        script.turn(question, answer)
    return script


def test_a_resume_that_repeats_the_last_record_adds_nothing() -> None:
    script = original()
    last = json.loads(json.dumps(script.records[-1]))
    script.raw({**last, "version": "2.1.99", "cwd": "/elsewhere", "gitBranch": "topic", "parentUuid": None})
    script.turn("続き", "はい。")
    assert talk(script) == [*TALK, ("続き", "はい。")]


@pytest.mark.parametrize("new_uuids", [False, True], ids=["fork", "old resume"])
def test_copies_count_once_in_any_order_of_the_files(new_uuids: bool) -> None:
    first = original()
    second = copied(first, "second", new_uuids=new_uuids, version="2.1.50")
    second.turn("写しは？", "一枚です。")
    third = copied(first, "third", forkedFrom={"sessionId": first.session, "messageUuid": "x"})
    third.turn("返却は？", "五時です。")
    expected = {*TALK, ("写しは？", "一枚です。"), ("返却は？", "五時です。")}
    results = []
    for files in permutations([("b.jsonl", first), ("a.jsonl", second), ("c.jsonl", third)]):
        exchanges = cut(*files)
        assert len(exchanges) == 4
        assert {(e.question, e.answer) for e in exchanges} == expected
        assert {e.branch for e in exchanges} == {Branch.MAIN}
        results.append(exchanges)
    assert all(result == results[0] for result in results)


def test_a_resume_without_message_ids_is_told_by_time_and_words() -> None:
    first = original()
    second = copied(first, "second", new_uuids=True)
    for record in second.records:
        record["message"].pop("id", None)
    second.lines = [json.dumps(record).encode() for record in second.records]
    second.turn("続き", "はい。")
    assert talk(first, second) == [*TALK, ("続き", "はい。")]


def test_records_that_a_branch_wrote_twice_count_once() -> None:
    first = original()
    branch = copied(first, "branch", forkedFrom={"sessionId": first.session})
    for record in first.records:
        branch.raw({**record, "sessionId": branch.session, "parentUuid": None})
    branch.turn("枝", "はい。")
    assert talk(first, branch) == [*TALK, ("枝", "はい。")]
    assert talk(branch) == [*TALK, ("枝", "はい。")]


def test_records_without_uuid_count_once() -> None:
    script = Script()
    for _ in range(2):
        script.now = script.now.replace(second=0)
        script.user("版のない記録", uuid=..., parentUuid=...)
        script.say("古い版です。", uuid=..., parentUuid=...)
    assert talk(script) == [("版のない記録", "古い版です。")]


def test_queued_prompts_in_a_growing_copy_count_once() -> None:
    short = original()
    short.user("忙しい")
    short.tool("Bash")
    short.queue("enqueue", "一つ目")
    short.queue("remove")
    short.queue("enqueue", "二つ目")
    long = Script("original")
    for record in short.records:
        long.raw(record)
    long.last, long.now = short.last, short.now
    long.result("x")
    long.queue("remove")
    long.say("終わりました。")
    for files in ([("a.jsonl", short), ("b.jsonl", long)], [("b.jsonl", short), ("a.jsonl", long)]):
        assert talk(*files) == [*TALK, ("忙しい\n\n一つ目\n\n二つ目", "終わりました。")]


def test_two_sessions_in_one_file_keep_their_ids() -> None:
    script = Script()
    script.turn("一", "いち")
    script.user("二", sessionId="another", version="2.1.60")
    script.say("に", sessionId="another", version="2.1.60")
    assert [(e.session, e.version) for e in cut(script)] == [
        (script.session, "2.1.40"),
        ("another", "2.1.60"),
    ]


def test_an_exchange_keeps_its_key_however_far_it_was_read() -> None:
    script = Script()
    script.user("一")
    before = cut(script)
    script.say("いち")
    after = cut(script)
    assert before[0].key == after[0].key == script.records[0]["uuid"]
