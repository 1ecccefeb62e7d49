"""However a session of the real client ends, what was said in it is in the archive."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.claude.clients import any_client, first_client
from tests.claude.laboratory import Conversation, Laboratory
from tests.claude.stand_in import STICKS
from tests.claude.story import ANSWER, PROMPT
from tests.claude.terminal import CTRL_C, CTRL_D

pytestmark = pytest.mark.claude

AT_ONCE = 5.0
"""Seconds after a session's end in which it must be in the archive."""


def type_exit(talk: Conversation) -> None:
    talk.exit()


def type_clear(talk: Conversation) -> None:
    talk.command("/clear", done="SessionEnd")


def press_ctrl_c_twice(talk: Conversation) -> None:
    press_twice(talk, CTRL_C)


def press_ctrl_d_twice(talk: Conversation) -> None:
    press_twice(talk, CTRL_D)


def terminate(talk: Conversation) -> None:
    talk.terminal.process.send_signal(signal.SIGTERM)


def hang_up(talk: Conversation) -> None:
    talk.terminal.process.send_signal(signal.SIGHUP)


def close_the_terminal(talk: Conversation) -> None:
    talk.terminal.close()


def press_twice(talk: Conversation, key: str) -> None:
    """Press a key that ends the session when it is pressed twice within a moment."""
    before = len(talk.terminal.shown)
    talk.terminal.send(key)
    talk.terminal.wait_for("again to exit", before)
    talk.terminal.send(key)


ENDINGS = [
    type_exit,
    type_clear,
    press_ctrl_c_twice,
    press_ctrl_d_twice,
    terminate,
    hang_up,
    close_the_terminal,
]


def discuss(lab: Laboratory, ending: Callable[[Conversation], None]) -> None:
    """Have a session with one decision, end it, and see that it is in the archive."""
    lab.api.answer(PROMPT, ANSWER)
    with lab.session() as talk:
        talk.ask(PROMPT)
        start = time.monotonic()
        ending(talk)
        if ending is not type_clear:
            talk.terminal.process.wait(AT_ONCE)
        memory = lab.wait_for_memory(PROMPT, AT_ONCE - (time.monotonic() - start))
    assert (memory["question"], memory["answer"], memory["auto"]) == (PROMPT, ANSWER, False)


@first_client
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_session_is_archived_however_it_ends(lab: Laboratory, ending: Callable[[Conversation], None]):
    discuss(lab, ending)


@first_client
@pytest.mark.parametrize("ending", [type_exit, close_the_terminal, type_clear])
def test_the_end_of_a_session_alone_is_enough_to_archive_it(
    lab: Laboratory, ending: Callable[[Conversation], None]
):
    lab.forget_hooks("SessionStart", "UserPromptSubmit", "Stop", "PreCompact")
    discuss(lab, ending)


@first_client
def test_an_answer_that_is_interrupted_is_archived_as_far_as_it_came(lab: Laboratory):
    lab.api.answer(PROMPT, f"{ANSWER}\n\n{STICKS}それから")
    with lab.session() as talk:
        talk.begin(PROMPT)
        talk.terminal.wait_for(ANSWER)
        talk.terminal.send(CTRL_C)
        talk.terminal.wait_for("Interrupted")
        talk.exit()
    memory = lab.wait_for_memory(PROMPT, AT_ONCE)
    assert (memory["answer"], memory["status"]) == (ANSWER, "interrupted")


@any_client
def test_every_client_that_leaves_by_exit_is_archived(lab: Laboratory):
    discuss(lab, type_exit)


@any_client
def test_a_run_for_one_prompt_is_archived(lab: Laboratory):
    assert archived_run(lab)["answer"] == ANSWER


@first_client
def test_a_run_for_one_prompt_is_marked_as_automated(lab: Laboratory):
    assert archived_run(lab)["auto"]


def archived_run(lab: Laboratory) -> dict[str, Any]:
    """Have a program ask for the decision, and return its memory."""
    lab.api.answer(PROMPT, ANSWER)
    assert lab.say(PROMPT).strip() == ANSWER
    return lab.wait_for_memory(PROMPT, AT_ONCE)


@first_client
def test_a_killed_session_is_archived_when_the_next_one_starts(lab: Laboratory):
    lab.api.answer(PROMPT, ANSWER)
    lab.forget_hooks("UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
    with lab.session() as talk:
        talk.ask(PROMPT)
        talk.terminal.process.kill()
        talk.terminal.process.wait()
    assert lab.memories(PROMPT) == []
    with lab.session(project="letters"):
        assert lab.wait_for_memory(PROMPT)["answer"] == ANSWER


@first_client
def test_a_session_that_is_not_kept_leaves_nothing_behind(lab: Laboratory):
    lab.say("これは残さないで", "--no-session-persistence")
    lab.say("これは残して")
    lab.wait_for_memory("これは残して")
    assert lab.memories("これは残さないで") == []
    assert len({injection["session"] for injection in lab.ledger()}) == 1
