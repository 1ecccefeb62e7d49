"""Turns a scope into a `where` clause over `exchanges e`, and, for a role, `passages p`."""

from __future__ import annotations

from typing import Any

from sui_memory.store.sqlite.packing import packed_uuid
from sui_memory.store.sqlite.rows import to_microseconds
from sui_memory.types import Branch, Role, Scope

# A passage has a part of the question when it starts before the border, one of the answer when it ends
# after the two line feeds behind the border.
_ROLE_CLAUSES = {Role.QUESTION: "p.start < e.border", Role.ANSWER: "p.stop > e.border + 2"}


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
