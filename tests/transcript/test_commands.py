"""Slash commands, skills and `!` lines."""

from __future__ import annotations

from typing import Any

import pytest

from tests.transcript.script import CAVEAT, Script, cut, read, talk


def name_first(name: str, args: str = "") -> str:
    return (
        f"<command-name>/{name}</command-name>\n            <command-message>{name}</command-message>\n"
        f"            <command-args>{args}</command-args>"
    )


def message_first(name: str, args: str = "") -> str:
    tail = f"\n<command-args>{args}</command-args>" if args else ""
    return (
        f"<command-message>{name} is running…</command-message>\n<command-name>/{name}</command-name>{tail}"
    )


@pytest.mark.parametrize("shape", [name_first, message_first])
@pytest.mark.parametrize("as_list", [False, True], ids=["string", "list"])
@pytest.mark.parametrize("args", ["", "本棚 3段目 だけ", "line one\nline two"])
def test_an_own_command_asks_what_was_typed_and_keeps_its_answer(
    shape: Any, as_list: bool, args: str
) -> None:
    script = Script()
    text = shape("tana-check", args)
    script.user([{"type": "text", "text": text}] if as_list else text)
    script.user([{"type": "text", "text": f"You are a librarian. BODY {args}"}], isMeta=True)
    script.say("棚を確かめました。")
    ((human, answer),) = talk(script)
    assert (human, answer) == (f"/tana-check {args}".strip(), "棚を確かめました。")


def test_the_body_of_a_command_in_the_same_record_is_dropped() -> None:
    script = Script()
    script.user(
        [{"type": "text", "text": message_first("init")}, {"type": "text", "text": "Please analyze BODY"}]
    )
    script.say("Wrote CLAUDE.md.")
    assert talk(script) == [("/init", "Wrote CLAUDE.md.")]


def test_a_skill_that_a_tool_starts_belongs_to_the_turn() -> None:
    script = Script()
    script.user("題名を決めたい")
    script.tool("Skill", {"skill": "titles"})
    script.result("Launching skill: titles")
    script.user(
        [{"type": "text", "text": "Base directory for this skill: /x\n\nBODY"}],
        isMeta=True,
        sourceToolUseID="t",
    )
    script.say("三案あります。")
    assert talk(script) == [("題名を決めたい", "三案あります。")]


@pytest.mark.parametrize("shape", [name_first, message_first])
@pytest.mark.parametrize(
    "output",
    [
        "<local-command-stdout>Set model to \x1b[1mopus\x1b[22m</local-command-stdout>",
        "<local-command-stderr>Error: no such model</local-command-stderr>",
        "<local-command-stdout></local-command-stdout>",
    ],
)
def test_a_command_of_the_client_is_no_question(shape: Any, output: str) -> None:
    script = Script()
    script.user(f"<local-command-caveat>{CAVEAT}</local-command-caveat>", isMeta=True)
    script.user(shape("model", "opus"))
    script.user(output)
    script.turn("どの版で動いていますか", "3.11 です。")
    assert talk(script) == [("どの版で動いていますか", "3.11 です。")]


def test_a_command_of_the_client_in_mid_turn_does_not_split_it() -> None:
    script = Script()
    script.user("試験を直して")
    script.tool("Bash", {"command": "make test"})
    tool = script.last
    script.user(name_first("cost"))
    script.user("<local-command-stdout>$1.20</local-command-stdout>")
    script.result("ok", below=tool)
    script.say("直しました。")
    assert talk(script) == [("試験を直して", "直しました。")]


def test_a_command_without_output_or_answer_is_no_exchange() -> None:
    script = Script()
    script.user(name_first("clear"))
    script.turn("こんにちは", "こんにちは。")
    assert talk(script) == [("こんにちは", "こんにちは。")]


def test_commands_in_system_records_are_no_exchange() -> None:
    script = Script()
    script.turn("一行で", "はい。")
    script.system("local_command", content=name_first("context"))
    script.system("local_command", content="<local-command-stdout>18k tokens</local-command-stdout>")
    script.turn("もう一行", "どうぞ。")
    assert talk(script) == [("一行で", "はい。"), ("もう一行", "どうぞ。")]


def test_shell_lines_are_context_of_the_next_question() -> None:
    script = Script()
    script.turn("最初", "はい。")
    script.user(f"<local-command-caveat>{CAVEAT}</local-command-caveat>", isMeta=True)
    script.user("<bash-input>make lint</bash-input>")
    script.user("<bash-stdout>OUTPUT</bash-stdout><bash-stderr>ERRORS</bash-stderr>")
    script.turn("上の警告を消して", "消しました。")
    script.user("<bash-input>git push</bash-input>")
    script.user("<bash-stdout>OUTPUT</bash-stdout><bash-stderr></bash-stderr>")
    first, second = cut(script)
    assert (first.question, second.question) == ("最初", "上の警告を消して")
    assert second.followups == ("! make lint",)
    assert "OUTPUT" not in second.text + first.text


def test_a_command_without_output_does_not_swallow_the_shell_lines() -> None:
    script = Script()
    script.user("<bash-input>make lint</bash-input>")
    script.user(name_first("clear"))
    script.turn("上の警告を消して", "消しました。")
    assert talk(script) == [("上の警告を消して\n\n! make lint", "消しました。")]


def test_what_is_said_while_a_command_runs_is_kept_without_an_answer() -> None:
    script = Script()
    script.user(name_first("tana-check"))
    script.queue("enqueue", "三段目だけでいい")
    script.queue("remove")
    script.user([{"type": "text", "text": "[Request interrupted by user]"}])
    assert [human for human, _ in talk(script)] == ["/tana-check\n\n三段目だけでいい"]


def test_a_plan_to_implement_is_marked_and_keeps_its_answer() -> None:
    script = Script()
    script.user("棚卸しの計画を立てて")
    script.tool("ExitPlanMode", {"plan": "# 棚卸し\n1. 数える\n2. 記録する"})
    script.result("User has approved your plan. You can now start coding. TOOLTEXT")
    script.say("始めます。")
    script.user("Implement the following plan:\n\n# 棚卸し\n1. 数える", planContent="# 棚卸し\n1. 数える")
    script.say("数えました。")
    first, second = cut(script)
    assert "2. 記録する" in first.answer
    assert "始めます。" in first.answer
    assert "TOOLTEXT" not in first.text
    assert (first.plan, second.plan, second.answer) == (False, True, "数えました。")


@pytest.mark.parametrize("words", ["次の計画を実装して:\n\n# 棚卸し", "Build what we agreed on:\n# Shelves"])
def test_a_plan_is_told_by_its_field_whatever_its_words(words: str) -> None:
    script = Script()
    script.user(words, planContent="# 棚卸し PLANFIELD")
    script.say("数えました。")
    script.turn("次は?", "以上です。")
    first, second = cut(script)
    assert (first.question, first.plan, second.plan) == (words, True, False)
    assert b"PLANFIELD" not in b"".join(read(script.data()).records)


def test_a_plan_that_was_refused_keeps_plan_and_reason() -> None:
    script = Script()
    script.user("計画を")
    script.tool("ExitPlanMode", {"plan": "一気に全部"})
    script.result(
        "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to "
        "proceed, the user said:\n半分ずつにして",
        error=True,
    )
    script.tool("ExitPlanMode", {"plan": "半分ずつ"})
    (exchange,) = cut(script)
    assert exchange.answer == "一気に全部\n\n半分ずつ"
    assert exchange.followups == ("半分ずつにして",)
