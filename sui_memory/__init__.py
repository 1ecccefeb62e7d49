"""Long-term memory for Claude Code: a local archive that is consulted with every prompt."""
