"""`sui-memory mcp`: the memory for any client of the Model Context Protocol."""

from __future__ import annotations

import sys

import click

_NEEDED = ("mcp", "PIL")
"""The modules of the extra `mcp`."""


@click.command("mcp")
def mcp_command() -> None:
    """Serve the memory on stdin and stdout to a client of the Model Context Protocol (docs/mcp.md)."""
    from importlib.util import find_spec

    from sui_memory.config import load_settings
    from sui_memory.errors import UsageError

    if not all(map(find_spec, _NEEDED)):
        raise UsageError('The MCP server needs its extra: install it with `pip install "sui-memory[mcp]"`.')
    settings = load_settings()
    if sys.stdin.isatty():
        click.echo("Waiting for a client to speak on stdin: docs/mcp.md tells how one is set up.", err=True)
    from sui_memory.mcp_server.server import serve

    serve(settings)
