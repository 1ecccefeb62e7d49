"""What a tool may be given: its signature as JSON Schema, and a call checked against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from inspect import Parameter as Argument
from inspect import signature
from math import isfinite
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from sui_memory.errors import UsageError
from sui_memory.text import clean

LONGEST = 100_000
"""Characters of a text that a tool takes: a long article. Whole files belong into the project."""

_MOST_ITEMS = 200
_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean"}
_SPOKEN = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True, slots=True)
class Within:
    """The smallest and the largest number that will do."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool. `kind` is its type without None; without a `default` it is required."""

    name: str
    kind: Any
    default: Any = Argument.empty
    within: Within | None = None
    text: str = ""

    @property
    def is_required(self) -> bool:
        """Say whether a call must give it."""
        return self.default is Argument.empty


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Return the parameters of a tool's function, but for the first, which is the library."""
    hints = get_type_hints(function, include_extras=True)
    _, *rest = signature(function).parameters.values()
    return tuple(_parameter(each.name, hints[each.name], each.default) for each in rest)


def _parameter(name: str, hint: Any, default: Any = Argument.empty) -> Parameter:
    remarks: list[Any] = []
    while get_origin(hint) is Annotated or NoneType in get_args(hint):
        inner, *others = get_args(hint)
        if get_origin(hint) is Annotated:
            remarks += others
        hint = inner if inner is not NoneType else others[0]
    within = next((remark for remark in remarks if isinstance(remark, Within)), None)
    text = next((remark for remark in remarks if isinstance(remark, str)), "")
    return Parameter(name, hint, default, within, text)


def schema_of(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return parameters as the JSON Schema of an object, as short as it can be."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {parameter.name: _schema(parameter) for parameter in parameters},
    }
    if required := [parameter.name for parameter in parameters if parameter.is_required]:
        schema["required"] = required
    return schema


def _schema(parameter: Parameter) -> dict[str, Any]:
    schema = _type_schema(parameter.kind)
    if parameter.within is not None:
        schema |= {"minimum": parameter.within.least, "maximum": parameter.within.most}
    if not parameter.is_required and parameter.default not in (None, ()):
        schema["default"] = parameter.default
    if parameter.text:
        schema["description"] = parameter.text
    return schema


def _type_schema(kind: Any) -> dict[str, Any]:
    if _is_enum(kind):
        return {"type": "string", "enum": [member.value for member in kind]}
    if is_dataclass(kind):
        return schema_of(_fields(kind))
    if get_origin(kind) is tuple:
        return {"type": "array", "items": {"type": "string"}}
    return {"type": _NAMES[kind]}


def checked(parameters: Sequence[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call as the function takes them; raises `UsageError`.

    What is left out or null gets its default. Text comes out as it is stored: `text.clean`.
    """
    names = [parameter.name for parameter in parameters]
    if unknown := [name for name in given if name not in names]:
        known = ", ".join(names) or "none"
        raise UsageError(f"There is no argument {_quoted(unknown[0])} here; those that are: {known}.")
    return {parameter.name: _checked(parameter, given.get(parameter.name)) for parameter in parameters}


def _checked(parameter: Parameter, given: Any) -> Any:
    if given is None:
        if parameter.is_required:
            raise UsageError(f"The argument {parameter.name} is missing: give {_wanted(parameter.kind)}.")
        return parameter.default
    value = _value(parameter, given)
    within = parameter.within
    if within is not None and not within.least <= value <= within.most:
        limits = f"{within.least:g} to {within.most:g}"
        raise UsageError(f"{parameter.name} must be from {limits}, and {_quoted(given)} is not.")
    return value


def _value(parameter: Parameter, given: Any) -> Any:
    """Return a JSON value as the type of its parameter; a whole number may be written as 3.0."""
    kind = parameter.kind
    if is_dataclass(kind) and isinstance(given, Mapping):
        assert isinstance(kind, type)  # noqa: S101 - for mypy: our dataclasses are no instances
        return kind(**checked(_fields(kind), given))
    if get_origin(kind) is tuple and isinstance(given, list):
        return _texts(parameter.name, given)
    if _is_enum(kind) and given in list(kind):
        return kind(given)
    if kind is str and isinstance(given, str):
        return _text(parameter.name, given)
    if kind is bool and isinstance(given, bool):
        return given
    is_number = isinstance(given, int | float) and not isinstance(given, bool) and isfinite(given)
    if is_number and (kind is float or (kind is int and given == int(given))):
        return kind(given)
    raise UsageError(f"{parameter.name} must be {_wanted(kind)}, and {_quoted(given)} is not.")


def _text(name: str, given: str) -> str:
    if len(given) > LONGEST:
        raise UsageError(f"{name} has {len(given):,} characters, and {LONGEST:,} are the most it may have.")
    text = clean(given)
    if not text:
        raise UsageError(f"{name} is empty: give some text, or leave it out where it may be.")
    return text


def _texts(name: str, given: Sequence[Any]) -> tuple[str, ...]:
    if len(given) > _MOST_ITEMS or not all(isinstance(item, str) for item in given):
        raise UsageError(f"{name} must be a list of at most {_MOST_ITEMS} texts.")
    return tuple(dict.fromkeys(_text(name, item) for item in given))


def _wanted(kind: Any) -> str:
    if _is_enum(kind):
        return f"one of {', '.join(kind)}"
    if is_dataclass(kind):
        return f"an object with {' and '.join(field.name for field in fields(kind))}"
    return _SPOKEN.get(kind, "a list of texts")


def _fields(kind: Any) -> list[Parameter]:
    hints = get_type_hints(kind, include_extras=True)
    return [_parameter(it.name, hints[it.name], it.default) for it in signature(kind).parameters.values()]


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, StrEnum)


def _quoted(value: Any) -> str:
    """Return what was given on one line, short."""
    shown = " ".join(repr(value).split())
    return shown if len(shown) <= 60 else f"{shown[:59]}…"
