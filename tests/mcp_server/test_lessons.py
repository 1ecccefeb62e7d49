"""A lesson about a tool that a model keeps is told before that tool runs, as one kept by hand is."""

from __future__ import annotations

import json
from pathlib import Path

from tests.builders import CommandLine
from tests.mcp_server.workbench import talk_with


def test_a_lesson_about_a_tool_is_hooked_where_our_hooks_are(tmp_path: Path):
    cli = CommandLine(tmp_path)
    cli.archive()
    settings = cli.config / "settings.json"
    with talk_with(cli) as talk:
        before, _ = talk.call("add_lesson", action="look", keywords=["git push"], tool="Bash")
        cli.process("setup", "--no-backfill")
        try:
            after, _ = talk.call("add_lesson", action="ask", keywords=["schema"], tool="Edit")
        finally:
            cli.process("daemon", "stop", code=None)
    assert "once `sui-memory setup`" in before
    assert "told it before the tool runs" in after
    (group,) = json.loads(settings.read_text())["hooks"]["PreToolUse"]
    assert group["matcher"] == "Bash|Edit"
