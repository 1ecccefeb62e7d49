"""Turns a scope into a `where` clause over `exchanges e`, and, for a role, `passages p`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import apsw

from sui_memory.store.sqlite.packing import packed_uuid
from sui_memory.store.sqlite.rows import to_microseconds
from sui_memory.types import Branch, Role, Scope

# A passage has a part of the question when it starts before the border, one of the answer when it ends
# after the two line feeds behind the border.
_ROLE_CLAUSES = {Role.QUESTION: "p.start < e.border", Role.ANSWER: "p.stop > e.border + 2"}

_EXCLUDED = "e.name not in (select value from json_each(:exclude))"
_BARRED = """
    select p.id from passages p where p.exchange_id in (
        select id from exchanges where name in (select value from json_each(:exclude))
        union all select id from exchanges where :hide_muted and muted = 1
    )
"""


def where(scope: Scope, *, role: bool = False) -> tuple[str, dict[str, Any]]:
    """Return an SQL condition and its bindings; `role` says whether to filter `p` by the scope's role."""
    clauses: list[str] = []
    bindings: dict[str, Any] = {}
    for column, value in _equalities(scope).items():
        if value is not None:
            clauses.append(f"e.{column} = :{column}")
            bindings[column] = value
    if scope.since is not None:
        clauses.append("ifnull(e.asked_at, 0) >= :since")
        bindings["since"] = to_microseconds(scope.since)
    if scope.until is not None:
        clauses.append("ifnull(e.asked_at, 0) < :until")
        bindings["until"] = to_microseconds(scope.until)
    if not scope.muted:
        clauses.append("e.muted = 0")
    if not scope.rest:
        clauses.append("e.rest is null")
    if scope.exclude:
        clauses.append(_EXCLUDED)
        bindings["exclude"] = json.dumps(list(scope.exclude))
    if role and scope.role is not None:
        clauses.append(_ROLE_CLAUSES[scope.role])
    return " and ".join(clauses) or "true", bindings


def _equalities(scope: Scope) -> dict[str, Any]:
    return {
        "project": scope.project,
        "session": None if scope.session is None else packed_uuid(scope.session),
        "git_branch": scope.git_branch,
        "auto": None if scope.auto else 0,
        "sidechain": None if scope.sidechains else 0,
        "branch": None if scope.abandoned else Branch.MAIN.value,
    }


def barred(connection: apsw.Connection, scope: Scope) -> frozenset[int]:
    """Return the passages that a scope shuts out one by one, as excluded or muted.

    They are few and may be the very best of a ranking, as what a session has just said itself is. A ranking
    that is asked for as many more and drops them first is as if they were not there.
    """
    if scope.muted and not scope.exclude:
        return frozenset()
    bindings = {"exclude": json.dumps(list(scope.exclude)), "hide_muted": not scope.muted}
    return frozenset(row[0] for row in connection.execute(_BARRED, bindings))


def unbarred(scope: Scope) -> Scope:
    """Return the scope for passages of which those barred have been dropped."""
    return replace(scope, muted=True, exclude=frozenset())
