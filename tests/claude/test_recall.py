"""What the real client sends to the model: the memories that bear on a prompt, once, or nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.claude.clients import any_client, first_client
from tests.claude.laboratory import Laboratory
from tests.claude.stand_in import Request
from tests.claude.story import AGAIN, END_OF_FENCE, FENCE, REASON, REMINDER, discuss
from tests.claude.terminal import wait_until

pytestmark = pytest.mark.claude

CLIENTS_LIMIT = 10_000
"""UTF-16 units of a hook's words; more than that the client puts into a file."""

SMALL_TALK = ("ありがとう！", "ok, go on", "はい、続けて")

CHECKOUT = Path(__file__).parents[2]


def sent(lab: Laboratory, prompt: str) -> Request:
    """Return the one request that carried a prompt."""
    (request,) = lab.api.asked(prompt)
    return request


def block(request: Request) -> str:
    """Return the one block of memories in a request."""
    assert (request.text.count(FENCE), request.text.count(END_OF_FENCE)) == (1, 1), request.text
    return request.text.partition(FENCE)[2].partition(END_OF_FENCE)[0]


@any_client
def test_a_decision_comes_back_in_another_project_and_in_other_words_once(lab: Laboratory):
    decision = discuss(lab)
    with lab.session(project="letters") as talk:
        talk.ask(REMINDER)
        talk.ask(AGAIN)
        talk.exit()
    remembered = block(sent(lab, REMINDER))
    assert remembered.count(decision["id"]) == 1
    assert REASON in remembered
    assert len(remembered.encode("utf-16-le")) // 2 < CLIENTS_LIMIT
    # The client sends the whole conversation again, and so the first block; a second one would be too much.
    assert sent(lab, AGAIN).text.count(decision["id"]) == 1


@any_client
def test_small_talk_brings_nothing_to_mind(lab: Laboratory):
    discuss(lab)
    with lab.session() as talk:
        for words in SMALL_TALK:
            talk.ask(words)
        talk.exit()
    for words in SMALL_TALK:
        assert FENCE not in sent(lab, words).text


@first_client
def test_a_daemon_that_has_to_be_started_first_answers_the_first_prompt(lab: Laboratory):
    decision = discuss(lab)
    lab.stop_daemon()
    with lab.session() as talk:
        talk.ask(REMINDER)
        talk.exit()
    assert decision["id"] in block(sent(lab, REMINDER))


@first_client
def test_a_program_that_asks_is_answered_like_a_person(lab: Laboratory):
    decision = discuss(lab)
    lab.say(REMINDER)
    assert decision["id"] in block(sent(lab, REMINDER))


@first_client
def test_hooks_in_two_files_answer_a_prompt_once(lab: Laboratory):
    decision = discuss(lab)
    second = lab.cli.root / "second.json"
    second.write_text(json.dumps(json.loads(lab.settings.read_text())))
    with lab.session("--settings", str(second)) as talk:
        talk.ask(REMINDER)
        talk.exit()
    assert decision["id"] in block(sent(lab, REMINDER))


@first_client
def test_the_plugin_beside_the_hooks_answers_a_prompt_once(lab: Laboratory):
    decision = discuss(lab)
    with lab.session("--plugin-dir", str(CHECKOUT)) as talk:
        talk.ask(REMINDER)
        talk.exit()
    assert decision["id"] in block(sent(lab, REMINDER))


@first_client
def test_the_plugin_alone_archives_and_answers(lab: Laboratory):
    lab.forget_hooks("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
    decision = discuss(lab, "--plugin-dir", str(CHECKOUT))
    with lab.session("--plugin-dir", str(CHECKOUT)) as talk:
        talk.ask(REMINDER)
        talk.exit()
    assert decision["id"] in block(sent(lab, REMINDER))


@first_client
def test_a_memory_that_is_switched_off_says_nothing_and_starts_nothing(lab: Laboratory):
    discuss(lab)
    lab.stop_daemon()
    with lab.session(SUI_MEMORY_DISABLE="1") as talk:
        talk.ask(REMINDER)
        assert not any(process.is_daemon for process in lab.processes())
        talk.exit()
    assert FENCE not in sent(lab, REMINDER).text
    assert not any(process.is_daemon for process in lab.processes())


@first_client
@pytest.mark.parametrize("model", ["auto"])
def test_the_model_that_is_the_default_learns_of_a_session_by_itself(lab: Laboratory):
    decision = discuss(lab)
    wait_until(lambda: missing_vectors(lab) == 0, lambda: f"{missing_vectors(lab)} vectors")
    with lab.session(project="letters") as talk:
        talk.ask(REMINDER)
        talk.exit()
    assert decision["id"] in block(sent(lab, REMINDER))


def missing_vectors(lab: Laboratory) -> int:
    """Return how many passages the model in use has no vector of."""
    (active,) = (model for model in lab.cli("model", "--json").json["models"] if model["active"])
    return int(active["pending"])
