from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.errors import UsageError
from sui_memory.mcp_server.arguments import Within, checked, parameters_of, schema_of
from sui_memory.mcp_server.catalogue import TOOLS
from sui_memory.mcp_server.library import Library
from sui_memory.mcp_server.tool import Result


class Tide(StrEnum):
    HIGH = "high"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Place:
    pier: str
    depth: Annotated[float, Within(0, 90)] = 1.5


def gauge(
    library: Library,
    name: str,
    level: Annotated[int, Within(1, 5), "in steps"] = 3,
    tide: Tide | None = None,
    at: Place | None = None,
    tags: tuple[str, ...] = (),
    loud: bool = False,
) -> Result:
    """Be a tool with one argument of each kind."""
    raise NotImplementedError


PARAMETERS = parameters_of(gauge)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def test_a_signature_becomes_the_schema_of_an_object():
    assert schema_of(PARAMETERS) == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "level": {"type": "integer", "minimum": 1, "maximum": 5, "default": 3, "description": "in steps"},
            "tide": {"type": "string", "enum": ["high", "low"]},
            "at": {
                "type": "object",
                "properties": {
                    "pier": {"type": "string"},
                    "depth": {"type": "number", "minimum": 0, "maximum": 90, "default": 1.5},
                },
                "required": ["pier"],
            },
            "tags": {"type": "array", "items": {"type": "string"}},
            "loud": {"type": "boolean", "default": False},
        },
        "required": ["name"],
    }


def test_a_call_is_given_what_its_function_takes():
    given = {
        "name": " 桟橋\r\n",
        "level": 4.0,
        "tide": "low",
        "at": {"pier": "北", "depth": 2},
        "tags": ["a", "a", "b"],
        "loud": True,
    }

    assert checked(PARAMETERS, given) == {
        "name": "桟橋",
        "level": 4,
        "tide": Tide.LOW,
        "at": Place("北", 2.0),
        "tags": ("a", "b"),
        "loud": True,
    }


def test_what_is_left_out_or_null_has_its_default():
    expected = {"name": "x", "level": 3, "tide": None, "at": None, "tags": (), "loud": False}

    assert checked(PARAMETERS, {"name": "x"}) == expected
    assert checked(PARAMETERS, {"name": "x", "level": None, "tide": None, "tags": None}) == expected


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "The argument name is missing: give text."),
        ({"name": "x", "nmae": 1}, "There is no argument 'nmae' here; those that are: name, level, "),
        ({"name": "x", "level": 6}, "level must be from 1 to 5, and 6 is not."),
        ({"name": "x", "level": float("nan")}, "level must be a whole number, and nan is not."),
        ({"name": "x", "level": float("inf")}, "level must be a whole number, and inf is not."),
        ({"name": "x", "level": "3"}, "level must be a whole number, and '3' is not."),
        ({"name": "x", "tide": "ebb"}, "tide must be one of high, low, and 'ebb' is not."),
        ({"name": "x", "tide": []}, "tide must be one of high, low, and [] is not."),
        ({"name": "x", "at": {"depth": 1}}, "The argument pier is missing: give text."),
        ({"name": "x", "tags": ["a"] * 201}, "tags must be a list of at most 200 texts."),
        ({"name": "\x00\x1b[31m"}, "name is empty"),
    ],
)
def test_what_cannot_be_used_is_named_with_what_would_do(given: dict, sentence: str):
    with pytest.raises(UsageError) as caught:
        checked(PARAMETERS, given)
    assert str(caught.value).startswith(sentence)


@given(st.sampled_from(sorted(TOOLS)), st.data())
def test_whatever_a_client_sends_is_taken_or_refused_in_one_sentence(tool: str, data: st.DataObject):
    parameters = TOOLS[tool]._parameters
    names = st.sampled_from([parameter.name for parameter in parameters] or ["x"]) | st.text(max_size=5)
    sent = data.draw(st.dictionaries(names, JSON, max_size=4))
    refused = taken = None
    try:
        taken = checked(parameters, sent)
    except UsageError as error:
        refused = str(error)
    if refused is None:
        assert list(taken) == [parameter.name for parameter in parameters]
    else:
        assert "\n" not in refused
        refused.encode()
