"""What the real client sends of lessons: with a prompt, and with the result of the tool that one is about."""

from __future__ import annotations

import json

import pytest

from tests.claude.clients import any_client, first_client
from tests.claude.laboratory import Laboratory
from tests.claude.story import FENCE

pytestmark = pytest.mark.claude

PUSH = "上げておいて"
README = "check that README exists"


@any_client
def test_a_lesson_comes_with_the_prompt_that_it_is_about(lab: Laboratory):
    lab.cli("lesson", "add", "--if", "上げて", README)
    with lab.session() as talk:
        talk.ask("続けて")
        talk.ask(PUSH)
        talk.exit()
    (before,), (request,) = lab.api.asked("続けて"), lab.api.asked(PUSH)
    assert README not in before.text
    assert request.text.count(f"- Lesson: if 上げて, then {README} (priority 3)") == 1


@first_client  # 2.0.77 runs the hook and passes over what it says
def test_a_lesson_comes_before_the_tool_that_it_is_about_and_lets_it_run(lab: Laboratory):
    lab.cli("lesson", "add", "--tool", "Bash", "--if", "git push", README)
    lab.api.use(PUSH, "Bash", command="echo git push", description="push")
    with lab.session("--allowedTools", "Bash") as talk:
        talk.ask(PUSH)
        talk.exit()
    (asked,) = lab.api.asked(PUSH)
    assert README not in asked.text
    after = lab.api.requests[-1]
    assert '"content": "git push"' in json.dumps(after.body["messages"])
    assert after.text.count(README) == 1
    assert FENCE in after.text


@any_client
def test_without_a_lesson_about_a_tool_nothing_is_called_before_one(lab: Laboratory):
    assert "PreToolUse" not in lab.settings.read_text()
    lab.cli("lesson", "add", "--tool", "Bash", "--if", "git push", README)
    assert "PreToolUse" in lab.settings.read_text()
    lab.cli("lesson", "remove", "1")
    assert "PreToolUse" not in lab.settings.read_text()
