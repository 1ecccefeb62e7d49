"""Which answer belongs to which question: messages over many records, chains, rewinds, compaction."""

from __future__ import annotations

from typing import Any

import pytest

from sui_memory.types import Branch, Status
from tests.transcript.script import Script, cut, talk


def boundary(script: Script, **fields: Any) -> None:
    script.write(
        {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", **fields},
        below=None,
    )


def summary(script: Script, **fields: Any) -> None:
    script.user("要約: SUMMARY 利用者は索引を頼んだ", **{"isCompactSummary": True, **fields})


def test_the_texts_of_a_message_are_joined_over_its_records() -> None:
    script = Script()
    script.user("索引の形は？")
    script.say([{"type": "thinking", "thinking": "THINKING", "signature": "c2ln"}], id="m1")
    script.say("見てみます。", id="m1")
    script.tool("Read", {"file_path": "/home/kei/src/shiori/index.py"}, id="m1")
    script.result("def index(): TOOLTEXT")
    script.say("転置索引です。", id="m1")
    script.say(
        [{"type": "redacted_thinking", "data": "xx"}, {"type": "text", "text": "更新は毎晩。"}], id="m2"
    )
    (exchange,) = cut(script)
    assert exchange.answer == "見てみます。\n\n転置索引です。\n\n更新は毎晩。"
    assert (exchange.tools, exchange.files) == (("Read",), ("/home/kei/src/shiori/index.py",))
    assert "THINKING" not in exchange.text
    assert "TOOLTEXT" not in exchange.text


def test_growing_rows_of_a_message_are_one_text() -> None:
    script = Script()
    script.user("Explain the index.")
    script.say("It maps", id="m1", requestId="r")
    script.say("It maps words", id="m1", below=script.records[0]["uuid"])
    script.say(
        [
            {"type": "text", "text": "It maps words to books."},
            {"type": "tool_use", "id": "t", "name": "Read", "input": {}},
        ],
        id="m1",
    )
    script.say(
        [{"type": "text", "text": "It maps words to books."}, {"type": "text", "text": "Nightly."}], id="m1"
    )
    assert talk(script) == [("Explain the index.", "It maps words to books.\n\nNightly.")]


def test_growing_rows_under_one_uuid_keep_the_longest() -> None:
    script = Script()
    script.user("Explain the index.")
    below = script.last
    for text in ("It maps", "It maps words to books."):
        script.say(text, id="m1", uuid="77777777-0000-4000-8000-000000000000", below=below)
    assert talk(script) == [("Explain the index.", "It maps words to books.")]


def test_equal_texts_of_different_messages_are_both_kept() -> None:
    script = Script()
    script.user("二回試して")
    script.say("通りました。")
    script.say("通りました。")
    assert talk(script) == [("二回試して", "通りました。\n\n通りました。")]


def test_parallel_tools_do_not_split_a_turn() -> None:
    script = Script()
    script.user("両方読んで")
    first = script.tool("Read", id="m1")
    second = script.tool("Read", id="m1")
    script.result("b", below=second)
    script.result("a", below=first)
    script.say("読みました。")
    script.turn("ありがとう", "どういたしまして。")
    assert talk(script) == [("両方読んで", "読みました。"), ("ありがとう", "どういたしまして。")]


def test_records_behind_the_answer_change_nothing() -> None:
    script = Script()
    script.turn("終わり？", "終わりです。")
    script.system("stop_hook_summary", hookCount=1)
    script.system("turn_duration", durationMs=10)
    script.attach(type="task_reminder", content=[])
    script.raw({"type": "last-prompt", "lastPrompt": "終わり？", "sessionId": script.session})
    assert talk(script) == [("終わり？", "終わりです。")]


@pytest.mark.parametrize("with_boundary", [True, False], ids=["boundary", "no boundary"])
@pytest.mark.parametrize("logical", [True, False], ids=["inside", "outside"])
@pytest.mark.parametrize("times", [1, 2])
def test_work_after_a_compaction_answers_the_question_before_it(
    with_boundary: bool, logical: bool, times: int
) -> None:
    script = Script()
    script.user("蔵書の移行を進めて")
    script.say("始めます。")
    for _ in range(times):
        if with_boundary:
            boundary(
                script, logicalParentUuid=script.last if logical else "99999999-0000-4000-8000-000000000000"
            )
        summary(script, below="last" if with_boundary else None)
        script.tool("Bash", {"command": "migrate"})
        script.result("x")
    script.say("移行しました。")
    script.turn("次は？", "検証です。")
    assert talk(script) == [("蔵書の移行を進めて", "始めます。\n\n移行しました。"), ("次は？", "検証です。")]


@pytest.mark.parametrize("fields", [{"isVisibleInTranscriptOnly": True}, {"isCompactSummary": True}])
def test_a_summary_is_told_by_either_flag(fields: dict[str, Any]) -> None:
    script = Script()
    script.turn("一", "いち")
    script.user("まとめ SUMMARY", **fields)
    script.turn("二", "に")
    assert talk(script) == [("一", "いち"), ("二", "に")]


def test_a_compaction_by_hand_is_no_exchange() -> None:
    script = Script()
    script.turn("一", "いち")
    boundary(script, logicalParentUuid=script.last, compactMetadata={"trigger": "manual"})
    summary(script)
    script.user("<local-command-caveat>Caveat</local-command-caveat>", isMeta=True)
    script.user("<command-name>/compact</command-name><command-args>要点だけ</command-args>")
    script.user("<local-command-stdout>Compacted (ctrl+o to see full summary)</local-command-stdout>")
    script.turn("二", "に")
    assert talk(script) == [("一", "いち"), ("二", "に")]


def test_a_microcompaction_changes_nothing() -> None:
    script = Script()
    script.user("一")
    script.say("い")
    script.system("microcompact_boundary", content="Context microcompacted")
    script.say("ち")
    assert talk(script) == [("一", "い\n\nち")]


def test_messages_preserved_by_a_compaction_count_once() -> None:
    script = Script()
    script.turn("一", "いち")
    script.turn("二", "に")
    kept = [dict(record) for record in script.records[2:]]
    boundary(script, logicalParentUuid=script.last)
    summary(script)
    kept[0]["parentUuid"] = script.last
    for record in kept:
        script.raw(record)
    script.last = kept[-1]["uuid"]
    script.turn("三", "さん")
    assert talk(script) == [("一", "いち"), ("二", "に"), ("三", "さん")]


def test_an_interrupted_answer_keeps_what_there_was() -> None:
    script = Script()
    script.user("全部書き直して")
    script.say("まず一章を")
    script.user([{"type": "text", "text": "[Request interrupted by user]"}])
    script.turn("やっぱり二章から", "二章からにします。")
    first, second = cut(script)
    assert (first.answer, first.status) == ("まず一章を", Status.INTERRUPTED)
    assert (second.answer, second.status) == ("二章からにします。", Status.COMPLETE)


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": "[Request interrupted by user]"}, {"type": "text", "text": "二章から"}],
        "[Request interrupted by user]\n二章から",
        "[Request interrupted by user for tool use]二章から",
    ],
)
def test_words_beside_an_interrupt_mark_are_the_next_question(content: Any) -> None:
    script = Script()
    script.user("全部書き直して")
    script.say("まず一章を")
    script.user(content)
    script.say("わかりました。")
    assert talk(script) == [("全部書き直して", "まず一章を"), ("二章から", "わかりました。")]


def test_a_cancelled_question_never_gets_the_next_answer() -> None:
    script = Script()
    script.turn("一", "いち")
    script.user("やめる質問")
    script.user([{"type": "text", "text": "[Request interrupted by user]"}])
    script.turn("二", "に")
    answers = dict(talk(script))
    assert answers.get("やめる質問", "") == ""
    assert answers["二"] == "に"


def test_an_interrupt_inside_a_tool_result_marks_the_turn() -> None:
    script = Script(version="1.0.43")
    script.user("走らせて")
    script.say("走らせます。")
    script.tool("Bash")
    script.result(
        "[Request interrupted by user for tool use]", error=True, toolUseResult="Error: interrupted"
    )
    (exchange,) = cut(script)
    assert (exchange.status, exchange.human) == (Status.INTERRUPTED, "走らせて")


def test_a_rewind_keeps_both_branches_and_marks_the_old_one() -> None:
    script = Script()
    script.turn("間隔を調整したい", "案は？")
    fork = script.last
    script.user("案A")
    late = script.tool("Bash")
    script.user("案B", below=fork)
    script.say("Bにしました。")
    end = script.last
    script.result("x", below=late)
    script.say("Aの結果です。")
    script.user("確定", below=end)
    script.say("はい。")
    exchanges = cut(script)
    assert [(e.question, e.answer, e.branch) for e in exchanges] == [
        ("間隔を調整したい", "案は？", Branch.MAIN),
        ("案A", "Aの結果です。", Branch.ABANDONED),
        ("案B", "Bにしました。", Branch.MAIN),
        ("確定", "はい。", Branch.MAIN),
    ]


@pytest.mark.parametrize("taken_up", [True, False])
def test_a_prompt_that_nothing_came_of_was_not_rewound(taken_up: bool) -> None:
    script = Script()
    script.turn("根", "はい")
    fork = script.last
    script.user("二つ目")
    if taken_up:
        script.user([{"type": "text", "text": "[Request interrupted by user]"}])
    script.user("三つ目", below=fork)
    script.say("両方しました。")
    marks = {e.question: e.branch for e in cut(script)}
    assert marks["二つ目"] is (Branch.ABANDONED if taken_up else Branch.MAIN)
    assert marks["三つ目"] is Branch.MAIN


def test_everything_behind_an_abandoned_turn_is_abandoned() -> None:
    script = Script()
    script.turn("根", "はい")
    fork = script.last
    script.turn("枝1", "一")
    script.turn("枝1の続き", "続き")
    inner = script.records[-3]["uuid"]
    script.user("枝1の別の続き", below=inner)
    script.say("別")
    script.user("枝2", below=fork)
    script.say("二")
    marks = {e.question: e.branch for e in cut(script)}
    assert marks == {
        "根": Branch.MAIN, "枝1": Branch.ABANDONED, "枝1の続き": Branch.ABANDONED,
        "枝1の別の続き": Branch.ABANDONED, "枝2": Branch.MAIN,
    }  # fmt: skip


def test_a_rewind_onto_the_clients_own_record_is_seen() -> None:
    script = Script()
    script.turn("根", "はい")
    script.system("stop_hook_summary")
    duration = script.system("turn_duration")
    script.turn("枝1", "一")
    script.user("枝2", below=duration)
    script.say("二")
    assert [(e.question, e.branch) for e in cut(script)] == [
        ("根", Branch.MAIN), ("枝1", Branch.ABANDONED), ("枝2", Branch.MAIN),
    ]  # fmt: skip


def test_a_rewind_to_the_very_first_prompt_keeps_the_answers_apart() -> None:
    script = Script()
    script.user("最初の案")
    first = script.tool("Bash")
    script.user("書き直した案", below=None)
    script.say("書き直しの答え")
    script.result("x", below=first)
    script.say("最初の答え")
    assert dict(talk(script)) == {"最初の案": "最初の答え", "書き直した案": "書き直しの答え"}


def test_a_record_with_a_missing_parent_joins_the_turn_before_it() -> None:
    script = Script()
    script.user("切れた鎖は？")
    script.say("つなぎます。", below="99999999-0000-4000-8000-000000000001")
    script.user("次", below="99999999-0000-4000-8000-000000000002")
    script.say("はい。", below="99999999-0000-4000-8000-000000000003")
    assert talk(script) == [("切れた鎖は？", "つなぎます。"), ("次", "はい。")]


def test_a_late_record_of_an_old_branch_does_not_draw_broken_ones_to_it() -> None:
    script = Script()
    script.turn("根", "はい")
    fork = script.last
    script.user("枝A")
    late = script.tool("Bash")
    script.user("枝B", below=fork)
    script.say("Aの遅れた答え", below=late)
    script.say("Bの答え", below="99999999-0000-4000-8000-000000000001")
    assert dict(talk(script))["枝B"] == "Bの答え"


def test_a_child_that_was_written_before_its_parent_finds_it() -> None:
    script = Script()
    script.turn("一", "いち")
    script.user("二")
    prompt = script.lines.pop()
    script.say("に")
    script.lines.append(prompt)
    script.turn("三", "さん")
    assert talk(script) == [("一", "いち"), ("二", "に"), ("三", "さん")]


def test_a_ring_of_parents_is_survived() -> None:
    script = Script()
    script.user(
        "一", uuid="aaaaaaaa-0000-4000-8000-000000000000", below="bbbbbbbb-0000-4000-8000-000000000000"
    )
    script.say(
        "い", uuid="bbbbbbbb-0000-4000-8000-000000000000", below="aaaaaaaa-0000-4000-8000-000000000000"
    )
    script.say("ち", below="bbbbbbbb-0000-4000-8000-000000000000")
    assert talk(script) == [("一", "い\n\nち")]


def test_parents_are_followed_through_the_clients_own_records() -> None:
    script = Script()
    script.user("根")
    script.say("はい")
    script.write({"type": "progress", "data": {"type": "bash_progress", "output": "x"}})
    script.system("informational")
    middle = script.attach(type="hook_success", content="x")
    script.turn("枝1", "一")
    script.say("根の続き", below=middle)
    assert dict(talk(script))["根"] == "はい\n\n根の続き"


def test_file_order_counts_and_not_the_clock() -> None:
    script = Script()
    script.user("先", timestamp="2026-04-06T10:00:00.000Z")
    script.say("答え一", timestamp="2026-04-06T09:00:00.000Z")
    script.say("答え二", timestamp="2026-04-06T08:00:00.000Z")
    assert talk(script) == [("先", "答え一\n\n答え二")]


@pytest.mark.parametrize("text", ["", "(no content)", "No response requested."])
def test_empty_and_made_up_replies_are_no_answers(text: str) -> None:
    script = Script()
    script.user("続けて")
    script.say(text, model="<synthetic>")
    script.say(text)
    script.say("続けました。")
    assert talk(script) == [("続けて", "続けました。")]


def test_an_api_error_is_no_answer_and_the_retry_is_one_exchange() -> None:
    script = Script()
    script.user("要約して")
    script.system("api_error", error={"status": 529})
    script.say("API Error: 529 Overloaded", isApiErrorMessage=True, model="<synthetic>")
    script.turn("要約して", "三行です。")
    assert talk(script) == [("要約して", "三行です。")]


def test_one_word_prompts_stay_with_their_answers() -> None:
    script = Script()
    script.turn("y", "進めます。")
    script.turn("鍵", "受付です。")
    assert talk(script) == [("y", "進めます。"), ("鍵", "受付です。")]
