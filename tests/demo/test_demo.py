"""The demo's sessions are what a real client writes, and hold what the demo's questions ask for."""

import json
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest

from sui_memory.demo import QUESTIONS, sessions_dir

FILES = sorted(sessions_dir().rglob("*.jsonl"))


def records_of(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def conversation() -> str:
    """Return what was said in all sessions, as one text."""
    texts = []
    for file in FILES:
        for record in records_of(file):
            content = record.get("message", {}).get("content", "")
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            texts += [block["text"] for block in blocks if block["type"] == "text"]
    return "\n".join(texts)


def test_the_demo_is_small():
    assert len(FILES) == 8
    assert sum(file.stat().st_size for file in FILES) <= 60_000


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem[:8])
def test_every_line_is_one_json_object(file):
    assert file.read_bytes().endswith(b"\n")
    assert all(isinstance(record, dict) and record["type"] for record in records_of(file))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem[:8])
def test_every_record_hangs_below_the_one_before_it(file):
    chained = [record for record in records_of(file) if "uuid" in record]
    assert chained[0]["parentUuid"] is None
    assert all(after["parentUuid"] == before["uuid"] for before, after in pairwise(chained))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem[:8])
def test_time_never_runs_backwards(file):
    stamps = [record["timestamp"] for record in records_of(file) if "timestamp" in record]
    assert stamps == sorted(stamps)
    assert all(datetime.fromisoformat(stamp).tzinfo for stamp in stamps)


def test_no_uuid_comes_twice():
    uuids = [record["uuid"] for file in FILES for record in records_of(file) if "uuid" in record]
    assert len(uuids) == len(set(uuids))


def test_a_session_is_named_by_its_file_and_a_subagent_by_its_parent():
    for file in FILES:
        session = file.parents[1].name if file.parent.name == "subagents" else file.stem
        assert {record["sessionId"] for record in records_of(file) if "sessionId" in record} == {session}


def test_folders_are_named_after_the_working_directory():
    for file in FILES:
        folder = file.relative_to(sessions_dir()).parts[0]
        for record in records_of(file):
            cwd = record.get("cwd")
            assert cwd is None or "".join(c if c.isascii() and c.isalnum() else "-" for c in cwd) == folder


def test_every_tool_call_has_its_result():
    for file in FILES:
        calls, results = set(), set()
        for record in records_of(file):
            content = record.get("message", {}).get("content", "")
            for block in content if isinstance(content, list) else []:
                calls |= {block["id"]} if block["type"] == "tool_use" else set()
                results |= {block["tool_use_id"]} if block["type"] == "tool_result" else set()
        assert calls == results


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.prompt)
def test_the_answer_to_every_question_was_said_and_the_question_was_not(question):
    said = conversation()
    assert question.expects is None or question.expects in said
    assert question.prompt not in said


def test_there_is_something_to_redact_to_skip_and_to_outdate():
    raw = "".join(file.read_text(encoding="utf-8") for file in FILES)
    assert "sk-ant-api03-FAKE" in raw
    for machinery in (
        "<task-notification>",
        "bash_progress",
        "prompt_snapshot",
        "api-request-blob",
        "<command-name>",
    ):
        assert machinery in raw
    assert "リフレッシュトークンの期限は 30 日" in raw
