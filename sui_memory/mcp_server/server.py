"""The server on stdin and stdout, by the official SDK: who asks is answered by one working thread."""

from __future__ import annotations

import asyncio
import gc
import sys
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from typing import Any, TypeVar

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    GetPromptRequestParams,
    GetPromptResult,
    ImageContent,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from mcp_types import Tool as ListedTool

from sui_memory.config import Settings
from sui_memory.context.block import clipped
from sui_memory.errors import SuiMemoryError
from sui_memory.mcp_server import reading
from sui_memory.mcp_server.arguments import LONGEST
from sui_memory.mcp_server.catalogue import INSTRUCTIONS, TOOLS
from sui_memory.mcp_server.finding import MEDIUM
from sui_memory.mcp_server.library import Library
from sui_memory.mcp_server.tool import Result, Tool

_Made = TypeVar("_Made")

_LONGEST_REFUSAL = 500  # UTF-16 units
_UNEXPECTED = (
    "That could not be done, for a reason that is not yours: `sui-memory doctor` checks the archive."
)


def serve(settings: Settings) -> None:
    """Serve until stdin ends."""
    gc.freeze()  # 90,000 objects of the SDK stay: to look through them again and again takes half of a call
    asyncio.run(_serve(Library(settings)))


async def _serve(library: Library) -> None:
    with ThreadPoolExecutor(1, "memory") as thread:
        server = Desk(library, thread).server()
        try:
            async with stdio_server() as (reading_from, writing_to):
                await server.run(reading_from, writing_to, server.create_initialization_options())
        finally:
            thread.submit(library.close)


class Desk:
    """Takes requests and hands them to the one thread that has the archive open."""

    def __init__(self, library: Library, thread: ThreadPoolExecutor) -> None:
        self._library = library
        self._thread = thread

    def server(self) -> Server[Any]:
        """Return the SDK's server with all that is offered here."""
        return Server(
            "sui-memory",
            version=version("sui-memory"),
            title="sui-memory",
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=_list_resources,
            on_list_resource_templates=_list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=_list_prompts,
            on_get_prompt=_get_prompt,
        )

    async def _list_tools(self, context: Any, params: Any) -> ListToolsResult:
        self._thread.submit(_quietly, self._library.warm)
        return ListToolsResult(tools=[_listed(tool) for tool in TOOLS.values()])

    async def _call_tool(self, context: Any, params: CallToolRequestParams) -> CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            return _refusal(f"There is no tool {params.name[:60]!r}; those that are: {', '.join(TOOLS)}.")
        try:
            return _told(await self._run(lambda: tool(self._library, params.arguments or {})))
        except SuiMemoryError as error:
            return _refusal(str(error))
        except Exception as error:
            _log(params.name, error)
            return _refusal(_UNEXPECTED)

    async def _read_resource(self, context: Any, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = params.uri
        try:
            contents = await self._run(lambda: reading.read(self._library, uri))
        except SuiMemoryError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from error
        except Exception as error:
            _log("a resource", error)
            raise MCPError(INVALID_PARAMS, _UNEXPECTED) from error
        return ReadResourceResult(contents=[_contents(uri, contents)])

    async def _run(self, work: Callable[[], _Made]) -> _Made:
        return await asyncio.wrap_future(self._thread.submit(work))


def _listed(tool: Tool) -> ListedTool:
    annotations = ToolAnnotations(read_only_hint=True) if tool.reads else None
    return ListedTool(
        name=tool.name, description=tool.description, input_schema=tool.schema, annotations=annotations
    )


def _told(result: Result) -> CallToolResult:
    content: list[ContentBlock] = [TextContent(text=result.text)]
    if result.picture is not None:
        content.append(ImageContent(data=b64encode(result.picture).decode(), mime_type="image/png"))
    return CallToolResult(content=content, structured_content=dict(result.data), is_error=False)


def _contents(uri: str, read: reading.Contents) -> TextResourceContents | BlobResourceContents:
    if isinstance(read.content, str):
        return TextResourceContents(uri=uri, text=read.content, mime_type=read.mime_type)
    return BlobResourceContents(uri=uri, blob=b64encode(read.content).decode(), mime_type=read.mime_type)


def _refusal(sentence: str) -> CallToolResult:
    """Return a tool error; what it quotes of the arguments may be a path of any length."""
    return CallToolResult(content=[TextContent(text=clipped(sentence, _LONGEST_REFUSAL))], is_error=True)


async def _list_resources(context: Any, params: Any) -> ListResourcesResult:
    return ListResourcesResult(
        resources=[
            Resource(
                uri=reading.SESSIONS,
                name="recent sessions",
                description="The latest conversations, with their projects and titles.",
                mime_type="text/plain",
            ),
            Resource(
                uri=reading.INJECTIONS,
                name="injection log",
                description="Which memories were shown to which session of late, or why none were.",
                mime_type="application/json",
            ),
        ]
    )


async def _list_templates(context: Any, params: Any) -> ListResourceTemplatesResult:
    exchange = ResourceTemplate(
        uri_template=f"{reading.EXCHANGE}{{id}}",
        name="exchange",
        description="One memory whole, by its id.",
        mime_type="text/plain",
    )
    medium = ResourceTemplate(
        uri_template=f"{MEDIUM}{{id}}",
        name="medium",
        description="The picture or sound of a memory, by its id.",
    )
    return ListResourceTemplatesResult(resource_templates=[exchange, medium])


async def _list_prompts(context: Any, params: Any) -> ListPromptsResult:
    prompt = Prompt(
        name=reading.DECIDED,
        description="What did we decide about …",
        arguments=[PromptArgument(name="topic", description="What it was about.", required=True)],
    )
    return ListPromptsResult(prompts=[prompt])


async def _get_prompt(context: Any, params: GetPromptRequestParams) -> GetPromptResult:
    topic = (params.arguments or {}).get("topic", "").strip()
    if params.name != reading.DECIDED or not topic:
        raise MCPError(INVALID_PARAMS, f"The prompt is {reading.DECIDED}, and it needs a topic.")
    words = TextContent(text=reading.decided(topic[:LONGEST]))
    return GetPromptResult(messages=[PromptMessage(role="user", content=words)])


def _quietly(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception as error:
        _log("opening the archive", error)


def _log(what: str, error: Exception) -> None:
    """Tell the client's log what went wrong, without any of what was said."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else "nowhere"
    sys.stderr.write(f"sui-memory mcp: {what}: {type(error).__name__} at {where}\n")
