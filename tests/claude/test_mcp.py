"""The real client with our server in its configuration: its model searches, remembers and recalls."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.claude.clients import first_client
from tests.claude.laboratory import Laboratory
from tests.claude.story import END_OF_FENCE, FENCE, REASON, REMINDER, discuss

pytestmark = pytest.mark.claude

TOOLS = ("search_memories", "remember", "recall", "forget_memory")
KEPT = "請求書は月末に送ると決めた"


@pytest.fixture
def options(lab: Laboratory) -> list[str]:
    """The options with which the client has our server and may use its tools."""
    server = {"type": "stdio", "command": sys.executable, "args": ["-m", "sui_memory", "mcp"]}
    configuration = lab.cli.root / "mcp.json"
    configuration.write_text(json.dumps({"mcpServers": {"sui-memory": server}}))
    return ["--mcp-config", str(configuration), "--allowedTools", ",".join(map(named, TOOLS))]


def named(tool: str) -> str:
    """Return the name by which the client's model knows a tool."""
    return f"mcp__sui-memory__{tool}"


def result_of(lab: Laboratory, options: list[str], prompt: str, tool: str, **given: object) -> str:
    """Have the model use a tool once and return what it is shown of the result."""
    before = len(lab.api.results())
    lab.api.use(prompt, named(tool), **given)
    lab.say(prompt, *options)
    (result,) = lab.api.results()[before:]
    return result


@first_client
def test_the_model_searches_remembers_and_recalls(lab: Laboratory, options: list[str]):
    decision = discuss(lab)

    found = result_of(lab, options, "探して", "search_memories", query=REMINDER)
    assert decision["id"] in found
    assert REASON in found.partition(FENCE)[2].partition(END_OF_FENCE)[0]
    kept = result_of(lab, options, "覚えて", "remember", content=KEPT, importance=4)
    (memory,) = lab.memories(KEPT)
    assert memory["id"] in kept
    assert memory["project"] == str(lab.folder("shop"))
    recalled = result_of(lab, options, "思い出して", "recall", context="請求書はいつ送ると決めた？")
    assert KEPT in recalled.partition(FENCE)[2]
    assert memory["id"] in recalled


@first_client
def test_the_documented_command_adds_the_server_for_all_projects(lab: Laboratory, client: Path):
    program = lab.cli.root / "bin" / "sui-memory"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sui_memory "$@"\n')
    program.chmod(0o755)
    environment = lab.environment()
    environment["PATH"] = f"{program.parent}:{environment['PATH']}"

    def claude(*words: str) -> str:
        """Run a command of the client in another project."""
        return subprocess.run(
            [client, "mcp", *words],
            env=environment,
            cwd=lab.folder("letters"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    claude("add", "--scope", "user", "sui-memory", "--", "sui-memory", "mcp")
    assert "Connected" in claude("list")


@first_client
def test_the_model_is_told_in_one_sentence_what_it_did_wrong(lab: Laboratory, options: list[str]):
    refused = result_of(lab, options, "覚えて", "remember", content=KEPT, importance=9)

    assert "importance must be from 1 to 5" in refused
    assert not lab.memories(KEPT)


@first_client
def test_what_a_tool_recalled_is_not_archived_again(lab: Laboratory, options: list[str], tmp_path: Path):
    discuss(lab)
    result_of(lab, options, "探して", "search_memories", query=REMINDER)
    lab.cli("backfill")

    (memory,) = lab.memories("探して")
    assert REASON not in memory["question"] + memory["answer"]
