"""Talk around the hand-written exchanges: chatter, orders, follow-ups, and near misses of their words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.authoring.sources import Project, frames, pick

_SLOT = re.compile(r"\{(\w+)\}")
_POOLS = ("topical",) * 11 + ("orders",) * 4 + ("followups",) * 4 + ("chatter",)
"""What stands around an exchange, by its share: half of it is about the project, little is small talk."""
_LONG = {"written": (0, 1, 2, 2, 3, 4, 5, 7), "topical": (0, 0, 1, 2, 3, 5), "vague": (0, 0, 1, 2, 3, 5)}
"""Paragraphs of prose around an answer, by chance: an assistant's answers are long, what is asked of them
is a sentence or two. Answers to orders and small talk stay as they are."""
_COUNTS = (2, 3, 4, 5, 6, 7, 9, 12, 14, 18, 23, 31, 48)


def opening(project: Project, key: str) -> tuple[str, str]:
    """Return how a session begins."""
    return _row("openings", project, key)


def small_talk(project: Project, key: str) -> tuple[str, str]:
    """Return an exchange of no consequence."""
    return _row(_POOLS[pick(f"{key}/pool", len(_POOLS))], project, key)


def near_miss(project: Project, about: str, key: str) -> tuple[str, str]:
    """Return an exchange that shares the words `about`, and says nothing of what was decided on it."""
    return _row("vague", project, key, about)


def padded(answer: str, project: Project, key: str, kind: str = "written") -> str:
    """Return an answer with as much prose before and after it as an assistant writes."""
    lengths = _LONG.get(kind, (0,))
    count = lengths[pick(f"{key}/long", len(lengths))]
    pools = ["preambles", *["remarks"] * (count - 2), "tails"][:count] if count else []
    prose = list(dict.fromkeys(_prose(pool, project, f"{key}/{n}") for n, pool in enumerate(pools)))
    place = 1 + pick(f"{key}/place", max(len(prose) - 1, 1))
    return "\n\n".join((*prose[:place], answer, *prose[place:]))


def _prose(pool: str, project: Project, key: str) -> str:
    texts = frames()[project.language][pool]
    return _filled([str(texts[pick(f"{key}/{pool}", len(texts))])], project, key)[0]


def _row(pool: str, project: Project, key: str, about: str = "") -> tuple[str, str]:
    rows = frames()[project.language][pool]
    question, answer = _filled(rows[pick(f"{key}/{pool}", len(rows))], project, key, about)
    return question, padded(answer, project, key, pool)


def _filled(texts: Sequence[str], project: Project, key: str, about: str = "") -> list[str]:
    values = {
        "about": about,
        "word": project.words[pick(f"{key}/word", len(project.words))],
        "file": project.files[pick(f"{key}/file", len(project.files))],
        "person": project.people[pick(f"{key}/person", len(project.people))],
        "n": str(_COUNTS[pick(f"{key}/n", len(_COUNTS))]),
    }
    return [_SLOT.sub(lambda slot: values[slot[1]], text) for text in texts]
