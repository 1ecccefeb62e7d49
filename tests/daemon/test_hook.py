from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.daemon.hook import is_newer, parse, reply
from sui_memory.daemon.protocol import ProtocolError, Request

SAID = {
    "session_id": "s1",
    "transcript_path": "/home/mio/.claude/projects/-code-app/s1.jsonl",
    "cwd": "/code/app",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "鍵はどこに置いた？",
    "prompt_id": "p1",
}


def request(said, event="UserPromptSubmit", **options):
    return Request("hook", {"event": event, **options}, json.dumps(said).encode() + b"\n")


def test_what_claude_code_says_is_understood():
    hook = parse(request(SAID, pid="123", entry="cli", client="0.1.0"))

    assert (hook.event, hook.session, hook.prompt, hook.cwd) == (
        "UserPromptSubmit", "s1", "鍵はどこに置いた？", "/code/app",
    )  # fmt: skip
    assert (hook.pid, hook.entry, hook.prompt_name, hook.is_automated) == (123, "cli", "p1", False)


def test_a_prompt_without_an_id_is_known_by_its_words():
    old = parse(request({**SAID, "prompt_id": None}))
    other = parse(request({**SAID, "prompt_id": None, "prompt": "別の話"}))

    assert old.prompt_name == parse(request({**SAID, "prompt_id": None})).prompt_name
    assert old.prompt_name != other.prompt_name
    assert "鍵" not in old.prompt_name


@pytest.mark.parametrize("entry", ["sdk-cli", "sdk-py", "sdk-ts"])
def test_a_program_that_asks_is_known_by_its_entry(entry):
    assert parse(request(SAID, entry=entry)).is_automated


@pytest.mark.parametrize("path", [None, 7, "", "relative.jsonl", "/etc/passwd", "/a\0b.jsonl"], ids=repr)
def test_what_cannot_be_a_transcript_is_left_out(path):
    assert parse(request({**SAID, "transcript_path": path})).transcript is None


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{}", b'{"session_id": 5}', b"[" * 100_000, b"\xff\xfe", b'"text"'],
    ids=["nothing", "a list", "no session", "a number", "deeply nested", "no UTF-8", "a text"],
)
def test_what_is_no_hook_is_refused(body):
    with pytest.raises(ProtocolError):
        parse(Request("hook", {"event": "Stop"}, body))


def test_half_a_character_does_not_come_in():
    hook = parse(Request("hook", {"event": "Stop"}, b'{"session_id": "\\ud800", "cwd": "/code/\\udfff"}'))
    assert (hook.session, hook.cwd) == ("\ufffd", "/code/\ufffd")


@pytest.mark.parametrize(
    ("client", "newer"),
    [("0.1.0", False), ("0.1.1", True), ("0.2", True), ("0.0.9", False), ("0.10.0", True), ("x", False)],
)
def test_a_newer_client_is_known_by_its_version(client, newer):
    assert is_newer(client, "0.1.0") is newer


def test_an_event_of_another_kind_is_refused():
    with pytest.raises(ProtocolError):
        parse(request(SAID, event="PostToolUse"))


@given(st.binary(max_size=200))
def test_any_body_is_a_hook_or_refused(body):
    with suppress(ProtocolError):
        parse(Request("hook", {"event": "Stop"}, body))


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_reply_is_one_line_of_ascii_that_claude_code_understands(block):
    line = reply("UserPromptSubmit", block)

    assert line.isascii()
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    said = json.loads(line)["hookSpecificOutput"]
    assert said == {"hookEventName": "UserPromptSubmit", "additionalContext": block}


def test_silence_is_no_byte_at_all():
    assert reply("UserPromptSubmit", "") == b""
