"""Hits to text: the part of a memory that answers, and the dated block that is put into context."""

from sui_memory.context.block import fitting, render, told_lines, units
from sui_memory.context.excerpt import excerpt, matches, reply, short_question, snippet, surface_terms
from sui_memory.context.opening import render_opening

__all__ = [
    "excerpt",
    "fitting",
    "matches",
    "render",
    "render_opening",
    "reply",
    "short_question",
    "snippet",
    "surface_terms",
    "told_lines",
    "units",
]
