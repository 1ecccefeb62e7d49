"""docs/json.md says of every key what it means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sui_memory.cli.log import injection_json
from sui_memory.store.ledger import Injection, Shown
from tests.builders import CommandLine

DOCUMENT = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
SECTIONS = {
    section.partition("`")[0]: section.partition("\n")[2]
    for section in re.split(r"^## `", DOCUMENT, flags=re.MULTILINE)[1:]
}
OPEN_ENDED = {"skipped", "passed_over", "versions"}
"""Objects whose keys are data."""


def keys(value: Any) -> Iterator[str]:
    """Yield the keys of a document, however deep."""
    if isinstance(value, list):
        for item in value:
            yield from keys(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            if key not in OPEN_ENDED:
                yield from keys(item)


def documented(section: str) -> set[str]:
    """Return the keys that a section names, and those of the sections it refers to."""
    text = SECTIONS[section]
    names = {
        word for code in re.findall(r"`([^`]+)`", text) for word in re.findall(r"[a-z_]+(?![a-z])", code)
    }
    for other in re.findall(r"\]\(#(\w+)\)", text):
        names |= documented(other)
    return names


@pytest.mark.parametrize(
    "command",
    [
        ("chunks", "."),
        ("backfill", "--dry-run"),
        ("search", "tide", "--all"),
        ("show", "TIDE"),
        ("sessions", "--all"),
        ("stats",),
        ("model",),
        ("doctor",),
        ("forget", "TIDE", "--dry-run"),
        ("scrub", "--dry-run"),
        ("log", "--all"),
        ("why", "TIDE"),
        ("never",),
    ],
    ids=lambda command: command[0],
)
def test_every_key_is_documented(archive: CommandLine, command: tuple[str, ...]):
    given = [archive.ids("E1101")[0] if word == "TIDE" else word for word in command]
    printed = archive(*given, "--json").json
    assert printed
    assert set(keys(printed)) <= documented(command[0])


def test_every_key_of_an_export_is_documented(archive: CommandLine):
    lines = archive("export").out.splitlines()
    assert len(lines) == 7
    for line in lines[1:]:
        assert set(re.findall(r'"(\w+)":', re.sub(r':"(?:[^"\\]|\\.)*"', ":0", line))) <= documented("export")


def test_every_key_of_an_injection_is_documented():
    shown = (Shown("v5kt5oxkgfcy", 0.9, (("words", 0.6),)),)
    injection = Injection(
        datetime(2026, 3, 2, tzinfo=UTC), "s1", "UserPromptSubmit", "0f", memories=shown, refused=shown
    )
    assert set(keys(injection_json(injection))) <= documented("log")
