"""Hits to text: the part of a memory that answers, and the dated block that is put into context."""

from sui_memory.context.block import render
from sui_memory.context.excerpt import excerpt, matches, reply, short_question, snippet, surface_terms

__all__ = ["excerpt", "matches", "render", "reply", "short_question", "snippet", "surface_terms"]
