"""Scopes and hits as JSON, between the daemon and its other clients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from types import NoneType
from typing import Any, get_args, get_type_hints

from sui_memory.recall import Recollection
from sui_memory.searching import Found
from sui_memory.types import Branch, Exchange, Hit, Memory, Role, Scope, Status

_ENUMS = (Status, Branch, Role)


def scope_to_json(scope: Scope) -> dict[str, Any]:
    """Return a scope as JSON."""
    return _to_json(scope)


def scope_from_json(values: dict[str, Any]) -> Scope:
    """Return the scope that `scope_to_json` made; unknown fields are ignored."""
    return Scope(**_from_json(Scope, values))


def found_to_json(found: Found) -> dict[str, Any]:
    """Return what a search found as JSON."""
    return {"hits": _hits_to_json(found.hits), "milliseconds": found.milliseconds, "model": found.model}


def found_from_json(values: dict[str, Any]) -> Found:
    """Return what `found_to_json` was given."""
    return Found(_hits_from_json(values["hits"]), values["milliseconds"], values["model"])


def recollection_to_json(recollection: Recollection) -> dict[str, Any]:
    """Return what a prompt brought to mind as JSON, without what the bar turned away."""
    return {
        "hits": _hits_to_json(recollection.hits),
        "silence": recollection.silence,
        "terms": list(recollection.terms),
    }


def recollection_from_json(values: dict[str, Any]) -> Recollection:
    """Return what `recollection_to_json` was given."""
    return Recollection(tuple(_hits_from_json(values["hits"])), values["silence"], tuple(values["terms"]))


def _hits_to_json(hits: Sequence[Hit]) -> list[dict[str, Any]]:
    return [
        {
            "memory": {**_to_json(hit.memory), "exchange": _to_json(hit.memory.exchange)},
            "score": hit.score,
            "passage": list(hit.passage),
            "trace": [list(step) for step in hit.trace],
        }
        for hit in hits
    ]


def _hits_from_json(hits: Sequence[dict[str, Any]]) -> list[Hit]:
    return [
        Hit(
            _memory(hit["memory"]),
            hit["score"],
            tuple(hit["passage"]),
            tuple((name, value) for name, value in hit["trace"]),
        )
        for hit in hits
    ]


def _memory(values: dict[str, Any]) -> Memory:
    exchange = Exchange(**_from_json(Exchange, values["exchange"]))
    return Memory(**{**_from_json(Memory, values), "exchange": exchange})


def _to_json(value: Any) -> dict[str, Any]:
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, frozenset | tuple):
        return sorted(value) if isinstance(value, frozenset) else list(value)
    return value if isinstance(value, str | int | float | NoneType) else None


def _from_json(kind: type, values: dict[str, Any]) -> dict[str, Any]:
    types = get_type_hints(kind)
    return {name: _typed(types[name], value) for name, value in values.items() if name in types}


def _typed(wanted: Any, value: Any) -> Any:
    """Return a JSON value as the type of its field has it."""
    options = get_args(wanted) or (wanted,)
    if isinstance(value, str):
        if datetime in options:
            return datetime.fromisoformat(value)
        enum = next((enum for enum in _ENUMS if enum in options), None)
        return enum(value) if enum else value
    if isinstance(value, list):
        return frozenset(value) if "frozenset" in str(wanted) else tuple(value)
    return value
