"""What the server offers: names, arguments and defaults as documented, in few characters."""

from __future__ import annotations

import json
import re
from pathlib import Path

from mcp_types import ListToolsResult

from tests.mcp_server.workbench import FENCE, Talk, ids

MOST_CHARACTERS = 12_000
DOCUMENT = Path(__file__).parents[2] / "docs" / "mcp.md"

DEFAULTS = {
    "search_memories": {"n_results": 5},
    "recall": {"n_results": 3},
    "recall_divergent": {"n_results": 5, "max_branches": 3, "max_depth": 3, "temperature": 0.7},
    "recall_with_associations": {"n_results": 3, "chain_depth": 2},
    "get_exchange": {"before": 1, "after": 1},
    "list_recent_memories": {"limit": 10},
    "get_memory_stats": {},
    "remember": {"emotion": "neutral", "importance": 3, "category": "daily"},
    "update_memory": {},
    "forget_memory": {"confirm": False},
    "get_working_memory": {"n_results": 10},
    "refresh_working_memory": {},
    "consolidate_memories": {"window_hours": 24, "max_replay_events": 200, "link_update_strength": 0.2},
    "save_visual_memory": {"emotion": "neutral", "importance": 3},
    "save_audio_memory": {"emotion": "neutral", "importance": 3},
    "recall_by_camera_position": {"tolerance": 15},
    "create_episode": {"auto_summarize": True},
    "search_episodes": {"n_results": 5},
    "get_episode_memories": {},
    "link_memories": {},
    "get_causal_chain": {"direction": "backward", "max_depth": 3},
    "tom": {},
    "get_association_diagnostics": {"sample_size": 20},
    "sleep": {"dry_run": True, "min_age_days": 14, "similarity_threshold": 0.85},
    "add_lesson": {"priority": 3},
    "list_lessons": {},
}
"""Every tool, and what its arguments are when they are left out."""


def listed(talk: Talk) -> ListToolsResult:
    return talk.ask("list_tools")


def test_the_tools_are_those_that_were_asked_for_with_their_defaults(talk: Talk):
    offered = {
        tool.name: {
            name: schema["default"]
            for name, schema in tool.input_schema["properties"].items()
            if "default" in schema
        }
        for tool in listed(talk).tools
    }
    assert offered == DEFAULTS


def test_all_tools_are_told_in_few_characters(talk: Talk):
    tools = [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed(talk).tools]

    assert len(json.dumps({"tools": tools}, ensure_ascii=False)) < MOST_CHARACTERS


def test_every_description_is_one_sentence_that_tells_when_to_use_the_tool(talk: Talk):
    for tool in listed(talk).tools:
        assert re.fullmatch(r"[A-Z][^.]*; use it [^.]*\.|[A-Z][^.]*; use [^.]*\.", tool.description), (
            tool.name
        )


def test_every_tool_is_in_the_document(talk: Talk):
    document = DOCUMENT.read_text(encoding="utf-8")
    for tool in listed(talk).tools:
        row = re.search(rf"^\| `{tool.name}` \| (.*?) \|", document, re.MULTILINE)
        assert row, tool.name
        assert re.findall(r"`(\w+)[=?`]", row[1]) == list(tool.input_schema["properties"]), tool.name


def test_what_only_looks_says_so_and_what_changes_does_not(talk: Talk):
    looking = {
        tool.name for tool in listed(talk).tools if tool.annotations and tool.annotations.read_only_hint
    }
    assert {"search_memories", "recall", "get_exchange", "tom"} <= looking
    assert not looking & {
        "remember",
        "update_memory",
        "forget_memory",
        "sleep",
        "link_memories",
        "add_lesson",
    }


def test_sessions_exchanges_and_the_log_can_be_read(talk: Talk):
    uris = [resource.uri for resource in talk.ask("list_resources").resources]
    templates = talk.ask("list_resource_templates").resource_templates
    read = {uri: talk.ask("read_resource", uri).contents[0].text for uri in uris}

    assert uris == ["memory://sessions/recent", "memory://injections"]
    assert [each.uri_template for each in templates] == ["memory://exchange/{id}", "memory://medium/{id}"]
    assert "tidepool" in read["memory://sessions/recent"].partition(FENCE)[2]
    assert json.loads(read["memory://injections"]) == {"injections": []}
    found = ids(talk.call("search_memories", query="返却期限")[1])[0]
    assert "14 日" in talk.ask("read_resource", f"memory://exchange/{found}").contents[0].text


def test_a_prompt_asks_what_was_decided(talk: Talk):
    (prompt,) = talk.ask("list_prompts").prompts
    assert [argument.name for argument in prompt.arguments] == ["topic"]
    (message,) = talk.ask("get_prompt", prompt.name, {"topic": "返却期限"}).messages
    assert "返却期限" in message.content.text
    assert "search_memories" in message.content.text
