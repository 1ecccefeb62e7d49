"""Prompts typed while the agent works: each one once, and those taken back not at all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.transcript.script import SAID, Script, cut, talk


def busy() -> Script:
    script = Script()
    script.user("再送の間隔を広げて")
    script.say("送信部を読みます。")
    script.tool("Read", {"file_path": "mail.py"})
    return script


def finish(script: Script, answer: str = "広げました。") -> None:
    script.result("x")
    script.say(answer)


@pytest.mark.parametrize(
    "removal",
    [{}, {"content": "上限は五回で"}, {"reason": "absorbed_mid_turn"}],
    ids=["bare", "with content", "with reason"],
)
@pytest.mark.parametrize("as_list", [False, True], ids=["string", "list"])
def test_a_prompt_taken_up_in_mid_turn_is_a_follow_up(removal: dict[str, Any], as_list: bool) -> None:
    script = busy()
    script.queue("enqueue", [{"type": "text", "text": "上限は五回で"}] if as_list else "上限は五回で")
    script.queue("remove", **removal)
    finish(script)
    assert talk(script) == [("再送の間隔を広げて\n\n上限は五回で", "送信部を読みます。\n\n広げました。")]


def test_two_prompts_queued_and_removed_in_the_same_millisecond_are_both_kept() -> None:
    script = busy()
    for words in ("一つ目", "二つ目"):
        script.queue("enqueue", words, pause=0)
    script.queue("remove", pause=0)
    script.queue("remove", pause=0)
    finish(script)
    (exchange,) = cut(script)
    assert exchange.followups == ("一つ目", "二つ目")


def test_the_same_words_queued_twice_are_two_prompts() -> None:
    script = busy()
    for _ in range(2):
        script.queue("enqueue", "続けて")
        script.queue("remove")
    finish(script)
    (exchange,) = cut(script)
    assert exchange.followups == ("続けて", "続けて")


def test_a_prompt_pulled_back_into_the_editor_counts_as_it_was_sent_in_the_end() -> None:
    script = busy()
    script.queue("enqueue", "log each retry?")
    script.queue("popAll", "log each retry?")
    script.queue("enqueue", "log each retry? at WARN")
    finish(script)
    script.queue("dequeue")
    script.turn("log each retry? at WARN", "Every retry is logged.")
    assert [human for human, _ in talk(script)] == ["再送の間隔を広げて", "log each retry? at WARN"]


def test_a_prompt_pulled_back_and_queued_again_unchanged_counts_once() -> None:
    script = busy()
    script.queue("enqueue", "急いで")
    script.queue("popAll", "急いで")
    script.queue("enqueue", "急いで")
    script.queue("remove")
    finish(script)
    (exchange,) = cut(script)
    assert exchange.followups == ("急いで",)


def test_several_queued_prompts_sent_as_one_count_once() -> None:
    script = busy()
    script.queue("enqueue", "first, the docs")
    script.queue("enqueue", "then the tests")
    finish(script)
    script.queue("dequeue")
    script.queue("dequeue")
    script.turn("first, the docs\nthen the tests", "Both done.")
    assert [human for human, _ in talk(script)] == ["再送の間隔を広げて", "first, the docs\nthen the tests"]


def test_several_queued_prompts_sent_as_one_by_a_single_dequeue_count_once() -> None:
    script = busy()
    script.queue("enqueue", "first, the docs")
    script.queue("enqueue", "then the tests")
    finish(script)
    script.queue("dequeue")
    script.turn("first, the docs\nthen the tests", "Both done.")
    assert [human for human, _ in talk(script)] == ["再送の間隔を広げて", "first, the docs\nthen the tests"]


def test_a_lone_prompt_stands_where_it_was_typed() -> None:
    script = busy()
    script.queue("enqueue", "宛先は記録しないで")
    script.queue("dequeue")
    finish(script)
    script.turn("次の話", "はい。")
    assert [human for human, _ in talk(script)] == ["再送の間隔を広げて", "宛先は記録しないで", "次の話"]


def test_a_dequeued_prompt_that_never_came_back_is_kept_as_unanswered() -> None:
    script = busy()
    script.queue("enqueue", "宛先は記録しないで")
    script.queue("dequeue")
    finish(script)
    exchanges = cut(script)
    assert "宛先は記録しないで" in "\n".join(exchange.human for exchange in exchanges)


@pytest.mark.parametrize("origin", [None, "human", {"kind": "human"}], ids=["none", "string", "object"])
@pytest.mark.parametrize("as_list", [False, True], ids=["string", "list"])
@pytest.mark.parametrize("queued", [True, False], ids=["with the queue's records", "alone"])
def test_a_queued_attachment_is_a_follow_up_once(origin: Any, as_list: bool, queued: bool) -> None:
    script = busy()
    words = "期限も見て"
    if queued:
        script.queue("enqueue", words)
    script.result("x")
    if queued:
        script.queue("remove", reason="absorbed_mid_turn")
    script.attach(
        type="queued_command",
        prompt=[{"type": "text", "text": words}] if as_list else words,
        commandMode="prompt",
        **({} if origin is None else {"origin": origin}),
    )
    script.say("期限を縮めました。")
    assert talk(script) == [(f"再送の間隔を広げて\n\n{words}", "送信部を読みます。\n\n期限を縮めました。")]


@pytest.mark.parametrize("user_first", [True, False], ids=["user first", "attachment first"])
@pytest.mark.parametrize("named", [True, False], ids=["by its source", "by its place"])
def test_an_attachment_that_is_also_a_user_record_counts_once(user_first: bool, named: bool) -> None:
    script = busy()
    script.result("x")
    attachment = {"type": "queued_command", "prompt": "期限も見て", "commandMode": "prompt"}
    source = {"source_uuid": "11111111-2222-4333-8444-555555555555"} if named else {}
    own = {"uuid": source["source_uuid"]} if named else {}
    if user_first:
        script.user("期限も見て", **own)
        script.attach(**attachment, **source)
    else:
        script.attach(**attachment, **source)
        script.user("期限も見て", **own)
    script.say("見ました。")
    exchanges = cut(script)
    assert "\n".join(exchange.human for exchange in exchanges).count("期限も見て") == 1
    assert exchanges[-1].answer.endswith("見ました。")


def test_words_said_in_mid_turn_and_asked_again_later_are_two_prompts() -> None:
    script = busy()
    script.attach(type="queued_command", prompt="続けて", commandMode="prompt")
    finish(script)
    script.turn("続けて", "続けました。")
    assert [human for human, _ in talk(script)] == ["再送の間隔を広げて\n\n続けて", "続けて"]


@pytest.mark.parametrize(
    "words",
    [
        "<task-notification>\n<summary>NOTIF</summary>\n</task-notification>",
        "<agent-notification>\n<summary>NOTIF</summary>\n</agent-notification>",
        "[SYSTEM NOTIFICATION - NOT USER INPUT]\nNOTIF",
        '<teammate-message teammate_id="a">NOTIF</teammate-message>',
    ],
)
def test_notifications_that_travel_in_the_queue_are_nobodys_words(words: str) -> None:
    script = busy()
    script.queue("enqueue", words)
    script.queue("remove")
    script.attach(type="queued_command", prompt=words, commandMode="task-notification")
    script.queue("enqueue", "本当の追記")
    script.queue("remove")
    finish(script)
    assert talk(script) == [("再送の間隔を広げて\n\n本当の追記", "送信部を読みます。\n\n広げました。")]


def test_a_machine_attachment_is_told_by_its_fields() -> None:
    script = busy()
    script.attach(
        type="queued_command", prompt="node 7 drains", commandMode="prompt", origin={"kind": "peer"}
    )
    script.attach(type="queued_command", prompt="do it again", commandMode="prompt", isMeta=True)
    finish(script)
    (exchange,) = cut(script)
    assert exchange.followups == ()


def test_queued_commands_of_the_client_are_no_prompts() -> None:
    script = busy()
    script.queue("enqueue", "/model opus")
    script.queue("remove")
    script.attach(type="queued_command", prompt="! git status", commandMode="bash")
    finish(script)
    (exchange,) = cut(script)
    assert "/model" not in exchange.human


def test_a_queued_path_is_a_prompt_and_no_command() -> None:
    script = busy()
    script.queue("enqueue", "/etc/hosts も確認して")
    script.queue("remove")
    finish(script)
    (exchange,) = cut(script)
    assert exchange.followups == ("/etc/hosts も確認して",)


def test_queues_of_two_sessions_in_one_file_do_not_mix() -> None:
    script = busy()
    script.queue("enqueue", "よその依頼", sessionId="another")
    script.queue("enqueue", "この依頼")
    script.queue("remove")
    finish(script)
    (exchange, *_) = cut(script)
    assert exchange.followups == ("この依頼",)


def test_lone_prompts_of_one_moment_have_keys_of_their_own() -> None:
    script = busy()
    for words in ("一つ目", "二つ目"):
        script.queue("enqueue", words, pause=0)
    finish(script)
    exchanges = cut(script)
    assert [e.question for e in exchanges[1:]] == ["一つ目", "二つ目"]
    assert len({e.key for e in exchanges}) == 3


@pytest.mark.parametrize("words", ["/src を見て", "/tana-check 三段目", "/docs also need it"])
def test_words_with_a_slash_that_were_taken_up_are_kept(words: str) -> None:
    script = busy()
    script.queue("enqueue", words)
    script.queue("remove")
    finish(script)
    (exchange,) = cut(script)
    assert exchange.followups == (words,)


@pytest.mark.parametrize("way", ["dequeue", "remove"])
def test_a_queued_command_that_comes_back_as_a_command_counts_once(way: str) -> None:
    script = busy()
    script.queue("enqueue", "/tana-check 三段目")
    finish(script)
    script.queue(way)
    script.user("<command-name>/tana-check</command-name><command-args>三段目</command-args>")
    script.say("三段目を見ました。")
    assert [human for human, _ in talk(script)] == ["再送の間隔を広げて", "/tana-check 三段目"]


def test_a_queued_command_that_the_client_ran_is_no_prompt() -> None:
    script = busy()
    script.queue("enqueue", "/my-panel")
    finish(script)
    script.queue("dequeue")
    script.user("<command-name>/my-panel</command-name>")
    script.user("<local-command-stdout>opened</local-command-stdout>")
    script.queue("enqueue", "/other-panel")
    script.queue("dequeue")
    assert [human for human, _ in talk(script)] == ["再送の間隔を広げて"]


def test_follow_ups_stand_in_the_order_in_which_they_were_taken_up() -> None:
    script = busy()
    script.queue("enqueue", "一つ目")
    script.queue("remove")
    script.result(f"{SAID}二つ目", error=True)
    script.queue("enqueue", "三つ目")
    script.queue("remove")
    script.tool("Read")
    script.result("x", beside=["四つ目"])
    script.say("はい。")
    (exchange,) = cut(script)
    assert exchange.followups == ("一つ目", "二つ目", "三つ目", "四つ目")


@pytest.mark.parametrize("replied", [True, False], ids=["each replied to", "the last replied to"])
def test_prompts_sent_one_after_another_from_the_queue_are_no_rewind(replied: bool) -> None:
    script = busy()
    script.queue("enqueue", "二つ目")
    script.queue("enqueue", "三つ目")
    finish(script)
    fork = script.last
    script.queue("dequeue")
    script.user("二つ目", below=fork)
    if replied:
        script.say("二つ目の答え")
    script.queue("dequeue")
    script.user("三つ目", below=fork)
    script.say("三つ目の答え")
    script.user("巻き戻した", below=fork)
    script.say("はい。")
    marks = {e.question: str(e.branch) for e in cut(script)}
    assert marks["三つ目"] == "abandoned"
    assert marks["二つ目"] == ("abandoned" if replied else "main")
    without = {e.question: str(e.branch) for e in cut(b"\n".join(script.lines[:-2]) + b"\n")}
    assert set(without.values()) == {"main"}
