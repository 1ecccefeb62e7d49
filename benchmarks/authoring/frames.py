"""Talk around the hand-written exchanges: chatter, orders, follow-ups, and near misses of their words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.authoring.sources import Project, frames, pick

_SLOT = re.compile(r"\{(\w+)\}")
_POOLS = ("topical",) * 9 + ("orders",) * 4 + ("followups",) * 5 + ("chatter",) * 2
"""What stands around an exchange, by its share: half of it is about the project, a tenth small talk."""
_PADDED = 9  # of 20 hand-written answers get prose before or after them, as an assistant's have
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


def padded(answer: str, project: Project, key: str) -> str:
    """Return an answer as it is or, for nearly half of the keys, with prose before or after it."""
    if pick(f"{key}/padded", 20) >= _PADDED:
        return answer
    shape = pick(f"{key}/shape", 3)
    before = _prose("preambles", project, key) if shape != 1 else ""
    after = _prose("tails", project, key) if shape != 0 else ""
    return "\n\n".join(part for part in (before, answer, after) if part)


def _prose(pool: str, project: Project, key: str) -> str:
    texts = frames()[project.language][pool]
    return _filled([str(texts[pick(f"{key}/{pool}", len(texts))])], project, key)[0]


def _row(pool: str, project: Project, key: str, about: str = "") -> tuple[str, str]:
    rows = frames()[project.language][pool]
    question, answer = _filled(rows[pick(f"{key}/{pool}", len(rows))], project, key, about)
    return question, answer


def _filled(texts: Sequence[str], project: Project, key: str, about: str = "") -> list[str]:
    values = {
        "about": about,
        "word": project.words[pick(f"{key}/word", len(project.words))],
        "file": project.files[pick(f"{key}/file", len(project.files))],
        "person": project.people[pick(f"{key}/person", len(project.people))],
        "n": str(_COUNTS[pick(f"{key}/n", len(_COUNTS))]),
    }
    return [_SLOT.sub(lambda slot: values[slot[1]], text) for text in texts]
