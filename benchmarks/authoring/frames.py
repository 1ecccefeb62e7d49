"""Talk around the hand-written exchanges: chatter, orders, follow-ups, and near misses of their words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.authoring.sources import Project, frames, pick

_SLOT = re.compile(r"\{(\w+)\}")
_POOLS = ("topical",) * 11 + ("orders",) * 4 + ("followups",) * 4 + ("chatter",)
"""What stands around an exchange, by its share: half of it is about the project, little is small talk."""
_REPORTED = frozenset({"topical", "vague"})
_WRITTEN = (0, 1, 2, 2, 3, 4, 5, 7)
_ANSWERED = (0, 0, 1, 2, 3, 5)
"""Paragraphs of prose around an answer, by chance: an assistant's answers are long, what is asked of them is
a sentence or two. Answers to orders and small talk stay as they are."""
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
    """Return a hand-written answer amid as much general prose as an assistant writes."""
    count = _WRITTEN[pick(f"{key}/long", len(_WRITTEN))]
    return _amid(answer, _prose(["asides"] * count, project, key), pick(f"{key}/place", count + 1))


def reported(answer: str, project: Project, key: str) -> str:
    """Return an answer amid what else an assistant reports of a change."""
    count = _ANSWERED[pick(f"{key}/long", len(_ANSWERED))]
    pools = ["preambles", *["remarks"] * (count - 2), "tails"][:count]
    return _amid(answer, _prose(pools, project, key), 1 + pick(f"{key}/place", max(count - 1, 1)))


def _amid(answer: str, prose: Sequence[str], place: int) -> str:
    return "\n\n".join((*prose[:place], answer, *prose[place:]))


def _prose(pools: Sequence[str], project: Project, key: str) -> list[str]:
    """Return a paragraph of each pool, none twice."""
    chosen = []
    for number, pool in enumerate(pools):
        texts = frames()[project.language][pool]
        chosen.append(str(texts[pick(f"{key}/{pool}/{number}", len(texts))]))
    return _filled(list(dict.fromkeys(chosen)), project, key)


def _row(pool: str, project: Project, key: str, about: str = "") -> tuple[str, str]:
    rows = frames()[project.language][pool]
    question, answer = _filled(rows[pick(f"{key}/{pool}", len(rows))], project, key, about)
    return question, reported(answer, project, key) if pool in _REPORTED else answer


def _filled(texts: Sequence[str], project: Project, key: str, about: str = "") -> list[str]:
    values = {
        "about": about,
        "word": project.words[pick(f"{key}/word", len(project.words))],
        "file": project.files[pick(f"{key}/file", len(project.files))],
        "person": project.people[pick(f"{key}/person", len(project.people))],
        "n": str(_COUNTS[pick(f"{key}/n", len(_COUNTS))]),
    }
    return [_SLOT.sub(lambda slot: values[slot[1]], text) for text in texts]
