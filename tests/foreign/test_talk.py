"""Exports of ChatGPT and Claude.ai: a question with its answer is an exchange, of the branch that is kept."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from sui_memory.app import App
from sui_memory.types import Exchange, Scope, Status
from tests.foreign.elsewhere import SAID_AT, chatgpt, claude_ai, node, take_in, write_json


def exchanges(app: App) -> list[Exchange]:
    return [memory.exchange for memory in app.store.scan(Scope())]


def said(app: App) -> list[tuple[str, str]]:
    return [(exchange.question, exchange.answer) for exchange in exchanges(app)]


TALK = chatgpt(
    node("n0", None),
    node("n1", "n0", "system", ""),
    node("n2", "n1", "user", "浮標は何色？"),
    node("n3", "n2", "assistant", "緑です。"),
    node("n4", "n3", "user", "灯台は？"),
    node("n5", "n4", "assistant", "白です。"),
)


def test_a_chatgpt_export_becomes_exchanges(app: App, tmp_path: Path) -> None:
    result = take_in(app, write_json(tmp_path / "conversations.json", [TALK]))
    assert (result.exchanges, result.new, result.problems) == (2, 2, [])
    first, second = exchanges(app)
    assert (first.question, first.answer, second.question) == ("浮標は何色？", "緑です。", "灯台は？")
    assert (first.agent, first.project, first.session) == ("chatgpt", "chatgpt", "c-1")
    assert (first.asked_at.second, first.answered_at.second) == (2, 3)
    assert first.asked_at.date() == SAID_AT.date()


def test_importing_twice_adds_nothing_and_a_talk_that_went_on_adds_the_rest(app: App, tmp_path: Path) -> None:
    whole = [*TALK["mapping"].values()]
    path = write_json(tmp_path / "conversations.json", [chatgpt(*whole[:4])])
    assert take_in(app, path).new == 1
    write_json(path, [chatgpt(*whole)])
    assert (take_in(app, path).new, take_in(app, path).new) == (1, 0)
    assert len(exchanges(app)) == 2


def test_what_an_edit_left_behind_is_left_out(app: App, tmp_path: Path) -> None:
    talk = chatgpt(
        node("n1", None, "user", "浮標は？"),
        node("n2", "n1", "assistant", "赤です。"),
        node("n3", "n1", "assistant", "緑です。"),
    )
    take_in(app, write_json(tmp_path / "conversations.json", [talk]))
    assert said(app) == [("浮標は？", "緑です。")]


def test_without_a_current_node_the_latest_leaf_is_the_end(app: App, tmp_path: Path) -> None:
    take_in(app, write_json(tmp_path / "conversations.json", [{**TALK, "current_node": None}]))
    assert len(exchanges(app)) == 2


def test_code_for_tools_thoughts_and_what_is_hidden_are_left_out(app: App, tmp_path: Path) -> None:
    talk = chatgpt(
        node("n1", None, "user", "隠れ", metadata={"is_visually_hidden_from_conversation": True}),
        node("n2", "n1", "user", "絵を見て", content={
            "content_type": "multimodal_text", "parts": [{"asset_pointer": "file://x"}, "何の絵？"],
        }),
        node("n3", "n2", "assistant", "print(1)", recipient="python"),
        node("n4", "n3", "assistant", content={"content_type": "thoughts", "thoughts": []}),
        node("n5", "n4", "tool", "1"),
        node("n6", "n5", "assistant", "港です。"),
        node("n7", "n6", "assistant", "夕方の。"),
    )  # fmt: skip
    take_in(app, write_json(tmp_path / "conversations.json", [talk]))
    assert said(app) == [("何の絵？", "港です。\n\n夕方の。")]


def test_a_question_without_an_answer_says_so(app: App, tmp_path: Path) -> None:
    talk = chatgpt(node("n1", None, "user", "聞こえる？"), node("n2", "n1", "user", "おーい"))
    take_in(app, write_json(tmp_path / "conversations.json", [talk]))
    assert [exchange.status for exchange in exchanges(app)] == [Status.UNANSWERED] * 2


def test_a_circle_in_the_tree_ends(app: App, tmp_path: Path) -> None:
    talk = chatgpt(node("n1", "n2", "user", "回る？"), node("n2", "n1", "assistant", "回る。"))
    take_in(app, write_json(tmp_path / "conversations.json", [talk]))
    assert said(app) == [("回る？", "回る。")]


def test_a_claude_ai_export_becomes_exchanges(app: App, tmp_path: Path) -> None:
    talk = claude_ai(("human", "潮は？"), ("assistant", "満ちます。"), ("human", "風は？"))
    talk["chat_messages"][1]["content"].insert(0, {"type": "tool_use", "name": "x", "input": {}})
    result = take_in(app, write_json(tmp_path / "conversations.json", [talk]))
    first, second = exchanges(app)
    assert result.new == 2
    assert (first.question, first.answer, first.agent) == ("潮は？", "満ちます。", "claude.ai")
    assert (first.session, first.project, first.asked_at.minute) == ("u-1", "claude.ai", 0)
    assert second.status is Status.UNANSWERED


def test_older_claude_ai_messages_without_blocks_are_read(app: App, tmp_path: Path) -> None:
    talk = claude_ai(("human", "潮は？"), ("assistant", "満ちます。"))
    for message in talk["chat_messages"]:
        del message["content"]
    take_in(app, write_json(tmp_path / "conversations.json", [talk]))
    assert said(app) == [("潮は？", "満ちます。")]


def test_a_whole_zip_is_read(app: App, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as packed:
        packed.writestr("chat.html", "<html>")
        packed.writestr("conversations.json", json.dumps([TALK]))
    assert take_in(app, tmp_path / "export.zip").new == 2


def test_a_damaged_zip_is_one_sentence(app: App, tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("conversations.json", json.dumps([TALK] * 20))
    damaged = bytearray(path.read_bytes())
    damaged[60:70] = bytes(10)
    path.write_bytes(damaged)
    (problem,) = take_in(app, path).problems
    assert "cannot be unpacked" in problem
    assert exchanges(app) == []


def test_one_broken_conversation_before_the_others_refuses_none(app: App, tmp_path: Path) -> None:
    talk = claude_ai(("human", "潮は？"), ("assistant", "満ちます。"))
    take_in(
        app, write_json(tmp_path / "conversations.json", [None, {"uuid": "u0", "chat_messages": None}, talk])
    )
    assert said(app) == [("潮は？", "満ちます。")]


def test_secrets_in_talk_are_masked(app: App, tmp_path: Path) -> None:
    talk = claude_ai(
        ("human", "password=hunter2-zyxquark"), ("assistant", "パスワード：hunter2-zyxquark ですね")
    )
    assert take_in(app, write_json(tmp_path / "conversations.json", [talk])).values == 2
    assert all("zyxquark" not in text for pair in said(app) for text in pair)


def test_a_project_can_be_named(app: App, tmp_path: Path) -> None:
    take_in(app, write_json(tmp_path / "conversations.json", [TALK]), project="/code/app")
    assert {exchange.project for exchange in exchanges(app)} == {"/code/app"}


BROKEN = {
    "nothing": [],
    "no objects": [TALK, None, 3, "x", []],
    "empty objects": [TALK, {}, {"mapping": {}}, {"mapping": [1]}],
    "odd nodes": [chatgpt(node("n1", None, "user", "a")) | {"mapping": {"n1": None, "n2": {"message": 3}}}],
    "odd messages": [chatgpt(node("n1", None, "user", content=None, author=None))],
    "odd times": [chatgpt(node("n1", None, "user", "a", create_time=1e300), create_time="x")],
    "lone surrogates": [chatgpt(node("n1", None, "user", "\ud800a", id="\udfff1"))],
}


@pytest.mark.parametrize("conversations", BROKEN.values(), ids=BROKEN)
def test_broken_conversations_are_passed_over(app: App, tmp_path: Path, conversations: list) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(conversations), encoding="utf-8")
    assert take_in(app, path).problems == []
    assert app.store.check() == []
