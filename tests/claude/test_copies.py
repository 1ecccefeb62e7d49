"""Sessions that the real client resumes, forks, branches or compacts: nothing twice, and nothing of ours."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.claude.clients import first_client
from tests.claude.laboratory import Laboratory
from tests.claude.story import AGAIN, ANSWER, FENCE, PROMPT, REMINDER, discuss

pytestmark = pytest.mark.claude

SUMMARY = "これまでの要約です。"


def assert_archived_once(lab: Laboratory, *prompts: str) -> None:
    """See that exactly these prompts were archived, each once, and no word that we put in between."""
    for prompt in prompts:
        lab.wait_for_memory(prompt)
    own = [memory for memory in lab.memories() if memory["cwd"].startswith(str(lab.cli.root))]
    assert Counter(memory["question"] for memory in own) == Counter(prompts)
    said = "\n".join("\n".join([it["question"], *it["followups"], it["answer"]]) for it in own)
    assert "recalled-memories" not in said
    assert said.count(ANSWER) == 1


@first_client
def test_what_we_put_into_a_session_is_not_archived_with_it(lab: Laboratory):
    discuss(lab)
    with lab.session(project="letters") as talk:
        talk.ask(REMINDER)
        talk.exit()
    assert FENCE in lab.api.asked(REMINDER)[0].text
    assert_archived_once(lab, PROMPT, REMINDER)


@first_client
def test_a_resumed_session_goes_on_and_is_not_told_what_it_said_itself(lab: Laboratory):
    decision = discuss(lab)
    with lab.session("--resume", decision["session"]) as talk:
        talk.ask(REMINDER)
        talk.exit()
    assert FENCE not in lab.api.asked(REMINDER)[0].text
    assert_archived_once(lab, PROMPT, REMINDER)


@first_client
def test_a_forked_session_is_archived_without_what_it_copied(lab: Laboratory):
    decision = discuss(lab)
    with lab.session("--resume", decision["session"], "--fork-session") as talk:
        talk.ask(REMINDER)
        talk.exit()
    assert_archived_once(lab, PROMPT, REMINDER)


@first_client
def test_a_forked_session_is_not_told_what_it_copied(lab: Laboratory):
    decision = discuss(lab)
    with lab.session("--resume", decision["session"], "--fork-session") as talk:
        talk.ask(REMINDER)
        talk.exit()
    assert FENCE not in lab.api.asked(REMINDER)[0].text


@first_client
def test_a_branch_within_a_session_is_archived_without_what_it_copied(lab: Laboratory):
    lab.api.answer(PROMPT, ANSWER)
    with lab.session() as talk:
        talk.ask(PROMPT)
        talk.command("/branch", done="SessionStart")
        talk.ask(REMINDER)
        talk.exit()
    assert FENCE not in lab.api.asked(REMINDER)[0].text
    assert_archived_once(lab, PROMPT, REMINDER)


@first_client
def test_a_compacted_session_may_be_told_again_what_it_said_before(lab: Laboratory):
    lab.api.answer("summary", SUMMARY)
    lab.api.answer(PROMPT, ANSWER)
    with lab.session() as talk:
        talk.ask(PROMPT)
        talk.ask(REMINDER)
        talk.command("/compact", done="SessionStart")
        talk.ask(AGAIN)
        talk.exit()
    assert FENCE not in lab.api.asked(REMINDER)[0].text
    after = lab.api.asked(AGAIN)[0].text
    assert SUMMARY in after
    assert lab.wait_for_memory(PROMPT)["id"] in after
    assert_archived_once(lab, PROMPT, REMINDER, AGAIN)
