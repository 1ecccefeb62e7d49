"""The memory as a server of the Model Context Protocol, for any client that speaks it (docs/mcp.md)."""
