"""`sui-memory mcp`: the memory for any client of the Model Context Protocol."""

from __future__ import annotations

import sys

import click

_NEEDED = ("mcp", "PIL")
"""The modules of the extra `mcp`."""


@click.command("mcp")
def mcp_command() -> None:
    """Serve the memory on stdin and stdout to a client of the Model Context Protocol (docs/mcp.md)."""
    from sui_memory.config import load_settings
    from sui_memory.embedding.failure import install_line, is_installed
    from sui_memory.errors import UsageError

    if not is_installed(*_NEEDED):
        raise UsageError(f"The MCP server needs the extra mcp: {install_line('mcp')}.")
    settings = load_settings()
    if sys.stdin.isatty():
        click.echo("Waiting for a client to speak on stdin: docs/mcp.md tells how one is set up.", err=True)
    from sui_memory.mcp_server.server import serve

    serve(settings)
