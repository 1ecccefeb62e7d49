"""Numbered SQL files that make the schema; applied in order, never changed once released."""
