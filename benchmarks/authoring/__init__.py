"""Puts the project's own retrieval set together from its hand-written sources, the same every time."""
