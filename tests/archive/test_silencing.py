"""Forgetting any part of a realistic tree of transcripts leaves every other exchange as it was."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic_core import to_json

from benchmarks.corpus import Spec, generate
from benchmarks.corpus_machinery import LEAN
from sui_memory.archive.family import cut_family
from sui_memory.archive.silencing import Lines
from sui_memory.transcript.claude_code import ClaudeCode
from sui_memory.transcript.reader import open_transcript
from sui_memory.types import Exchange
from tests.archive.archives import TOOLS
from tests.transcript.script import Script

SPEC = Spec(sessions=12, exchanges=60, seed=5, mix=LEAN)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[bytes]]:
    """The slim records of all files of a small corpus, as one family."""
    folder = tmp_path_factory.mktemp("corpus")
    generate(folder, SPEC)
    return {str(found.path): read(found.path) for found in TOOLS.adapter.discover([folder])}


def read(path: Path) -> list[bytes]:
    with open_transcript(path) as file:
        return TOOLS.adapter.read(file, 0, TOOLS.new_redactor).records


def cut(lines: Lines, *doomed: Exchange) -> tuple[list[Exchange], dict[str, list[bytes]]]:
    """Return what is left without some exchanges, and all lines after that."""
    marks = {mark for exchange in doomed for mark in (exchange.key, exchange.fingerprint)}
    cutting = cut_family(lines, marks, TOOLS)
    return list(cutting.exchanges), {path: cutting.silenced.get(path, list(lines[path])) for path in lines}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_the_others_stay_as_they_were_and_the_words_are_gone(
    tree: dict[str, list[bytes]], data: st.DataObject
) -> None:
    exchanges, _ = cut(tree)
    places = data.draw(st.sets(st.integers(0, len(exchanges) - 1), min_size=1))
    doomed = [exchanges[place] for place in sorted(places)]
    expected = [exchange for place, exchange in enumerate(exchanges) if place not in places]
    left, lines = cut(tree, *doomed)
    assert left == expected
    assert cut(lines) == (expected, lines)
    again = {path: [*lines[path], *(line for line in tree[path] if line not in lines[path])] for path in tree}
    assert cut(again) == (expected, lines)
    kept = "\n".join(exchange.text for exchange in expected)
    raw = b"\n".join(line for each in lines.values() for line in each)
    for exchange in doomed:
        for text in (exchange.question, *exchange.followups, *exchange.answer.split("\n\n")):
            if len(text) > 20 and text not in kept:
                assert to_json(text)[1:-1] not in raw


def test_queues_of_two_sessions_at_one_moment_are_told_apart() -> None:
    lines: dict[str, list[bytes]] = {}
    for name, words in (("one", "残す追記"), ("two", "忘れる追記")):
        script = Script(name)
        script.user(f"{name} の依頼")
        script.queue("enqueue", words)
        script.queue("remove")
        script.say(f"{name} の答え")
        lines[name] = TOOLS.adapter.read(BytesIO(script.data()), 0, TOOLS.new_redactor).records
    kept, doomed = cut(lines)[0]
    left, after = cut(lines, doomed)
    assert (left, left[0].followups) == ([kept], ("残す追記",))
    assert "忘れる追記" not in b"".join(after["two"]).decode()
    assert cut(after) == (left, after)


class OtherAgent(ClaudeCode):
    """An agent that writes as Claude Code does."""

    agent = "other-agent"


def test_the_agent_is_the_adapters() -> None:
    script = Script()
    script.turn("鍵は？", "受付です。")
    tools = replace(TOOLS, adapter=OtherAgent())
    lines = {"s": tools.adapter.read(BytesIO(script.data()), 0, tools.new_redactor).records}
    assert [exchange.agent for exchange in cut_family(lines, (), tools).exchanges] == ["other-agent"]
