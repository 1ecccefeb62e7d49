"""Whatever is left in the real client's settings, it never comes between a person and the answer."""

from __future__ import annotations

import pytest

from tests.claude.clients import any_client, first_client
from tests.claude.laboratory import Laboratory
from tests.claude.story import FENCE, PROMPT, REMINDER, discuss
from tests.claude.terminal import wait_until

pytestmark = pytest.mark.claude

QUESTION, ANSWER = "聞こえますか", "はい、聞こえます。"


@any_client
def test_hooks_whose_scripts_are_gone_let_every_prompt_through(lab: Laboratory):
    lab.lose_hooks()
    lab.api.answer(QUESTION, ANSWER)
    assert lab.say(QUESTION).strip() == ANSWER
    with lab.session() as talk:
        talk.ask(f"まだ{QUESTION}")
        talk.exit()
    assert len(lab.api.asked(QUESTION)) == 2


@first_client
def test_an_uninstalled_memory_is_silent_and_keeps_the_archive(lab: Laboratory):
    decision = discuss(lab)
    lab.cli("uninstall")
    wait_until(lambda: not lab.processes(), "the daemon's end")
    lab.say(REMINDER)
    assert FENCE not in lab.api.asked(REMINDER)[0].text
    assert not lab.processes()
    assert lab.memories(PROMPT) == [decision]
    assert lab.memories(REMINDER) == []
