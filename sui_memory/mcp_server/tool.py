"""A tool: a function on the library, and what a client is told of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sui_memory.mcp_server.arguments import Parameter, checked, parameters_of, schema_of
from sui_memory.mcp_server.library import Library


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool returns: a text for the model within a budget, and the same as data for a program.

    Some clients show their model the one, some the other, so both hold everything that was recalled. A
    `picture` is a small PNG.
    """

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    picture: bytes | None = None


class Tool:
    """A function of the library; its docstring tells a model when to use it, its signature with what."""

    def __init__(self, function: Callable[..., Result], *, reads: bool = False) -> None:
        self.name = function.__name__
        self.description = " ".join((function.__doc__ or "").split())
        self.reads = reads
        self._function = function
        self._parameters: tuple[Parameter, ...] = parameters_of(function)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        return schema_of(self._parameters)

    def __call__(self, library: Library, arguments: Mapping[str, Any]) -> Result:
        """Check the arguments and run; what cannot be done is a `SuiMemoryError` of one sentence."""
        return self._function(library, **checked(self._parameters, arguments))
