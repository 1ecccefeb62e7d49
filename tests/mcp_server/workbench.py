"""The server as a real process, spoken to by the SDK's own client."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent

from sui_memory.context import units
from tests.builders import CommandLine

BUDGET = 4_000
FENCE, END_OF_FENCE = "<recalled-memories>", "</recalled-memories>"


class Talk:
    """A client that is connected to a server of its own."""

    def __init__(self, portal: BlockingPortal, client: Client, cli: CommandLine) -> None:
        self._portal = portal
        self._client = client
        self.cli = cli

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method of the client."""
        return self._portal.call(getattr(self._client, method), *arguments)

    def begin(self, method: str, *arguments: Any) -> Future[Any]:
        """Call a method of the client without waiting for it."""
        return self._portal.start_task_soon(getattr(self._client, method), *arguments)

    def call(self, tool: str, /, **arguments: Any) -> tuple[str, dict[str, Any]]:
        """Call a tool that must succeed; return its text and its data."""
        result: CallToolResult = self.ask("call_tool", tool, arguments)
        text = said(result)
        assert not result.is_error, text
        data = json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
        for shown in (text, data):
            assert tool == "get_exchange" or units(shown) <= BUDGET
        return text, result.structured_content

    def refusal(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that must fail, and return its one sentence."""
        result: CallToolResult = self.ask("call_tool", tool, arguments)
        sentence = said(result)
        assert result.is_error, sentence
        assert "Traceback" not in sentence
        assert "\n" not in sentence
        assert len(sentence) < 1_000
        return sentence

    def remember(self, content: str, **arguments: Any) -> str:
        """Keep something and return its id."""
        return str(self.call("remember", content=content, **arguments)[1]["id"])


def said(result: CallToolResult) -> str:
    """Return the text of a result."""
    content = result.content[0]
    assert isinstance(content, TextContent)
    return content.text


def ids(data: dict[str, Any]) -> list[str]:
    """Return the ids of the memories in a tool's data."""
    return [memory["id"] for memory in data["memories"]]


@contextmanager
def talk_with(cli: CommandLine, folder: Path | None = None, **environment: str) -> Iterator[Talk]:
    """Start a server on an archive, and a client that speaks with it."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "sui_memory", "mcp"],
        env=cli.environment(**environment),
        cwd=folder or cli.root,
    )
    with (
        (cli.root / "mcp.log").open("w") as log,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(stdio_client(server, errlog=log))) as client,
    ):
        yield Talk(portal, client, cli)
