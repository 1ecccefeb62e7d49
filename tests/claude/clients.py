"""Which clients the tests drive."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

VARIABLE = "SUI_MEMORY_CLAUDE"
"""Programs of Claude Code to test with, separated by colons. The one on the search path is a person's own,
of any version, and so it is never taken unasked."""

CLIENTS = [Path(name) for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]

_ABSENT = [pytest.param(None, marks=pytest.mark.skip(f"{VARIABLE} names no Claude Code"))]


def _version(client: Path) -> str:
    """Return the version that stands in the package beside a program."""
    import json

    manifest = client.resolve().with_name("package.json")
    return json.loads(manifest.read_text())["version"] if manifest.exists() else client.name


any_client = pytest.mark.parametrize("client", CLIENTS or _ABSENT, ids=CLIENTS and map(_version, CLIENTS))
"""Run a test with every client that was named."""

first_client = pytest.mark.parametrize(
    "client", CLIENTS[:1] or _ABSENT, ids=CLIENTS and [*map(_version, CLIENTS[:1])]
)
"""Run a test with the client that was named first: what older versions need not be tried with."""
