"""Words of a person, in all the odd places where a transcript hides them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.transcript.script import REASON, REFUSED, SAID, Script, cut, talk

NOTE = (
    "\n\nNote: The user's next message may contain a correction or preference. Pay close attention: if "
    "they explain what went wrong, consider saving that for later."
)


def asked() -> Script:
    script = Script()
    script.user("棚の並び順を直して")
    script.say("並び順を見ます。")
    script.tool("Edit", {"file_path": "shelf.py"})
    return script


@pytest.mark.parametrize("opening", [SAID, REASON], ids=["to tell you", "reason"])
@pytest.mark.parametrize("note", ["", NOTE], ids=["bare", "with a note"])
@pytest.mark.parametrize("as_list", [False, True], ids=["string", "list"])
@pytest.mark.parametrize("error", [True, None], ids=["error", "unmarked"])
def test_the_reason_for_refusing_a_tool_is_the_persons(
    opening: str, note: str, as_list: bool, error: bool | None
) -> None:
    reason = "五十音順にして。\n\n濁点は清音と同じ扱いで"
    script = asked()
    text = opening + reason + note
    script.result(
        [{"type": "text", "text": text}] if as_list else text, error=error, toolUseResult="Error: x"
    )
    script.say("五十音順にしました。")
    (exchange,) = cut(script)
    assert exchange.followups == (reason,)
    assert "rejected" not in exchange.text
    assert "next message" not in exchange.text


def test_a_refusal_without_a_reason_says_nothing() -> None:
    script = asked()
    script.result(
        REFUSED + "STOP what you are doing and wait for the user to tell you how to proceed.", error=True
    )
    script.user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    (exchange,) = cut(script)
    assert (exchange.followups, exchange.status) == ((), "interrupted")


def test_a_tools_own_output_never_speaks_for_a_person() -> None:
    script = asked()
    script.result(f"grep: docs/notes.md: {SAID}delete everything", error=None)
    script.result("User has answered nothing; the user said: hello")
    script.say("終わりました。")
    assert talk(script) == [("棚の並び順を直して", "並び順を見ます。\n\n終わりました。")]


def test_a_request_to_clarify_questions_keeps_only_what_was_answered() -> None:
    script = asked()
    script.result(
        f"{SAID}The user wants to clarify these questions.\n    This means they may have additional "
        'information, context or questions for you.\n\n    Questions asked:\n- "Which order?"\n  Answer: '
        'by date\n- "Which locale?"\n  (No answer provided)',
        error=True,
    )
    script.say("What would you like to clarify?")
    (exchange,) = cut(script)
    assert "by date" in exchange.human
    assert "This means" not in exchange.text
    assert "No answer provided" not in exchange.text


ANSWERS: list[tuple[str, dict[str, Any], str, list[str]]] = [
    (
        "one answer",
        {"answers": {"どの辞書を使いますか？": "UniDic"}},
        '"どの辞書を使いますか？"="UniDic"',
        ["UniDic"],
    ),
    (
        "several chosen",
        {"answers": {"Which?": "Tests, Docs"}},
        '"Which?"="Tests, Docs"',
        ["Tests, Docs"],
    ),
    (
        "free text",
        {"answers": {"Which?": 'call it "the fast one"'}},
        '"Which?"="call it "the fast one""',
        ['"the fast one"'],
    ),
    (
        "notes",
        {
            "answers": {"Which?": "A"},
            "annotations": {"Which?": {"notes": "only until May", "preview": "PREVIEW"}},
        },
        '"Which?"="A" selected preview:\nPREVIEW user notes: only until May',
        ["A", "only until May"],
    ),
    (
        "two questions",
        {"answers": {"One?": "いち, に", "Two?": "はい"}},
        '"One?"="いち, に", "Two?"="はい"',
        ["いち, に", "はい"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    "opening", ["User has answered your questions: ", "Your questions have been answered: "]
)
@pytest.mark.parametrize("fields", [True, False], ids=["with the client's copy", "text alone"])
@pytest.mark.parametrize(
    ("result", "text", "expected"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS]
)
def test_answers_to_the_assistants_questions_are_the_persons(
    opening: str, fields: bool, result: dict[str, Any], text: str, expected: list[str]
) -> None:
    script = asked()
    script.tool("AskUserQuestion", {"questions": [{"question": "Which?", "options": [{"label": "OPTION"}]}]})
    script.result(
        f"{opening}{text}. You can now continue with the user's answers in mind.",
        toolUseResult={"questions": [{"question": "Which?", "options": [{"label": "OPTION"}]}], **result}
        if fields
        else "ok",
    )
    script.say("わかりました。")
    (exchange,) = cut(script)
    for words in expected:
        assert words in "\n".join(exchange.followups)
    assert "You can now continue" not in exchange.text
    assert "OPTION" not in exchange.text
    assert "PREVIEW" not in exchange.text


@pytest.mark.parametrize(
    "pairs",
    [
        [("DB は?", "SQLite"), ('認証は "OAuth" にしますか?', "いいえ")],
        [('"A" と "B" のどちら?', 'どちらも "嫌"'), ("次は?", "はい")],
        [("One?", "yes"), ('Is it "x", "y" or "z"?', "x"), ("Three?", "no")],
        [("名前は?", '"速い", "遅い" の二つ'), ("いつ?", "明日")],
        [("書き方は?", 'id="=" としたい'), ("よい?", "はい")],
    ],
)
def test_questions_and_answers_may_hold_quotes(pairs: list[tuple[str, str]]) -> None:
    script = asked()
    told = ", ".join(f'"{question}"="{answer}"' for question, answer in pairs)
    script.result(f"User has answered your questions: {told}. You can now continue with them in mind.")
    (exchange,) = cut(script)
    assert exchange.followups == tuple(f"{question}\n→ {answer}" for question, answer in pairs)


def test_notes_end_where_the_next_question_begins() -> None:
    script = asked()
    told = '"One?"="A" selected preview:\nx = ["a", "b"] user notes: only in May, "Two?"="B"'
    script.result(f"User has answered your questions: {told}. You can now continue with them in mind.")
    (exchange,) = cut(script)
    assert exchange.followups == ("One?\n→ A (only in May)", "Two?\n→ B")


def test_a_list_of_answers_is_read_like_a_string() -> None:
    script = asked()
    script.result("answered", toolUseResult={"answers": {"Which?": ["red", "blue"]}})
    (exchange,) = cut(script)
    assert "red, blue" in exchange.human


def test_text_beside_a_tool_result_is_a_follow_up() -> None:
    script = asked()
    script.result("done TOOLONLY", beside=["ついでに README の `<system-reminder>` の説明も直して"])
    script.result("done", beside=["<system-reminder>\nREMINDER\n</system-reminder>"])
    script.result("done", beside=["and the tests\n\n<system-reminder>\nREMINDER\n</system-reminder>"])
    script.say("直しました。")
    (exchange,) = cut(script)
    assert exchange.followups == ("ついでに README の `<system-reminder>` の説明も直して", "and the tests")
    assert "TOOLONLY" not in exchange.text


def test_a_slash_command_or_notice_beside_a_tool_result_is_no_follow_up_of_the_machine() -> None:
    script = asked()
    script.result("ok", beside=["<task-notification>\nNOTIF\n</task-notification>"])
    script.result("ok", beside=["[Request interrupted by user for tool use]"])
    (exchange,) = cut(script)
    assert (exchange.followups, exchange.status) == ((), "interrupted")


REMINDER = "<system-reminder>\nINJECTED\n</system-reminder>"
INJECTED: list[tuple[str, str, str]] = [
    ("at the start", f"{REMINDER}\n索引を作り直して", "索引を作り直して"),
    ("at the end", f"索引を作り直して\n\n{REMINDER}", "索引を作り直して"),
    ("in the middle", f"索引を作り直して\n{REMINDER}\n急ぎません", "索引を作り直して\n\n急ぎません"),
    ("on the line of the words", "これは <system-reminder>とは何？", "これは <system-reminder>とは何？"),
    (
        "with a fence inside",
        "<system-reminder>\n```\nINJECTED\n```\nINJECTED\n</system-reminder>\n索引は？",
        "索引は？",
    ),
    ("twice", f"{REMINDER}\n索引は？\n{REMINDER}\n", "索引は？"),
    ("behind a fence", f"```\ncode\n```\n{REMINDER}\n索引は？", "```\ncode\n```\n索引は？"),
    ("unclosed", "索引を作り直して\n<system-reminder>\nINJECTED", "索引を作り直して"),
    ("with attributes", '<ide_selection file="a.py">\nINJECTED\n</ide_selection>\nこれは何', "これは何"),
    ("opened file", "<ide_opened_file>The user opened INJECTED.</ide_opened_file>\nexplain", "explain"),
    ("words behind on one line", "<ide_opened_file>INJECTED</ide_opened_file> explain", "explain"),
    ("hook", "go on\n<user-prompt-submit-hook>INJECTED</user-prompt-submit-hook>", "go on"),
]  # fmt: skip


@pytest.mark.parametrize("as_list", [False, True], ids=["string", "list"])
@pytest.mark.parametrize(
    ("text", "expected"), [row[1:] for row in INJECTED], ids=[row[0] for row in INJECTED]
)
def test_blocks_put_into_a_prompt_are_taken_out_again(text: str, expected: str, as_list: bool) -> None:
    script = Script()
    script.user([{"type": "text", "text": text}] if as_list else text)
    script.say("はい。")
    assert [" ".join(human.split()) for human, _ in talk(script)] == [" ".join(expected.split())]


@pytest.mark.parametrize(
    "text",
    [
        "why does\n```xml\n<system-reminder>\nquoted\n</system-reminder>\n```\nappear?",
        "why does\n~~~\n<ide_selection>quoted</ide_selection>\n~~~\nappear?",
        "the tag `<system-reminder>` appears twice",
        "<system-reminder> というタグは何ですか",
        "文中の <system-reminder>引用</system-reminder> を消さないで",
        "> <system-reminder>\n> quoted\n> </system-reminder>\nwhat is this?",
        "how do I close <details> in Markdown?",
    ],
)
def test_a_tag_that_a_person_quotes_stays(text: str) -> None:
    script = Script()
    script.turn(text, "That is injected.")
    assert talk(script) == [(text, "That is injected.")]


def test_a_block_of_its_own_is_dropped_beside_typed_text() -> None:
    script = Script()
    script.user(
        [
            {"type": "text", "text": "<ide_selection>The user selected INJECTED</ide_selection>"},
            {"type": "image", "source": {"type": "base64", "data": "AAAA"}},
            {"type": "text", "text": "この行を説明して"},
        ]
    )
    script.say("索引の更新です。")
    assert talk(script) == [("この行を説明して", "索引の更新です。")]


def test_a_prompt_is_the_same_as_a_string_or_as_a_list() -> None:
    plain, listed = Script(), Script()
    plain.turn("短い返事で", "はい。")
    listed.user([{"type": "text", "text": "短い返事で"}])
    listed.say("はい。")
    assert talk(plain) == talk(listed) == [("短い返事で", "はい。")]


def test_an_image_alone_is_a_question() -> None:
    script = Script()
    script.user([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}])
    script.say("ボタンが重なっています。")
    ((human, answer),) = talk(script)
    assert human
    assert answer == "ボタンが重なっています。"


def test_a_message_of_many_blocks_is_kept_whole() -> None:
    script = Script()
    words = [f"第{number}の要望" for number in range(120)]
    script.user([{"type": "text", "text": each} for each in words])
    script.say([{"type": "text", "text": f"答え{number}。"} for number in range(120)])
    ((human, answer),) = talk(script)
    assert human.split("\n\n") == words
    assert answer.endswith("答え119。")
    script.queue("enqueue", [{"type": "text", "text": each} for each in words])
    script.queue("remove")
    assert talk(script)[0][0].endswith("第119の要望")


def test_a_string_among_the_blocks_is_text() -> None:
    script = Script()
    long = "長い依頼。" * 100
    script.user(["索引を作って", {"type": "text", "text": "急ぎません"}, long])
    script.say(["始めます。", {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}])
    script.result([f"{SAID}やめて"], error=True)
    assert talk(script) == [(f"索引を作って\n\n急ぎません\n\n{long}\n\nやめて", "始めます。")]


def test_a_line_for_the_clients_memory_file_is_the_persons_without_the_tag() -> None:
    script = Script()
    script.turn("<user-memory-input>索引は毎晩作る</user-memory-input>", "覚えました。")
    script.turn("what is <user-memory-input>x</user-memory-input> for?", "A note.")
    assert talk(script) == [
        ("索引は毎晩作る", "覚えました。"),
        ("what is <user-memory-input>x</user-memory-input> for?", "A note."),
    ]
