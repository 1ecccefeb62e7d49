"""`edit`, `pin` and `unpin` as commands."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.archive.workbench import traces
from tests.builders import CommandLine


def editor(cli: CommandLine, script: str) -> str:
    """Return the command of an editor that runs a shell script on the file."""
    path = cli.root / "editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    return str(path)


def test_words_given_replace_the_old_ones(cli: CommandLine) -> None:
    cli.archive()
    (memory,) = cli.ids("書庫")[:1]
    done = cli("edit", memory[:6], "--answer", "鍵は受付で聞いてください。")
    assert done.out == f"Edited: {memory}.\n"
    shown = cli("show", memory, "--json").json
    assert (shown["question"], shown["answer"]) == ("鍵は？", "鍵は受付で聞いてください。")
    assert shown["edited"]
    assert traces(cli.database, "書庫", "引き出し") == []
    assert cli("backfill", "--json").json["exchanges"]["updated"] == 0
    assert cli("rebuild", "--json").json["updated"] == 0
    assert cli("show", memory, "--json").json == shown


def test_an_editor_shows_both_sides_and_takes_them_back(cli: CommandLine) -> None:
    cli.archive()
    (memory,) = cli.ids("CI green")[:1]
    words = '"----- question" "Is CI red?" "" "----- answer" "- No." "- Yes."'
    script = f'cp "$1" seen.md; printf "%s\\n" {words} > "$1"'
    cli("edit", memory, EDITOR=editor(cli, script))
    seen = (cli.root / "seen.md").read_text(encoding="utf-8")
    assert "----- question\nIs the CI green now?\n----- answer\nYes, all 214 tests" in seen
    shown = cli("show", memory, "--json").json
    assert (shown["question"], shown["answer"], shown["followups"]) == ("Is CI red?", "- No.\n- Yes.", [])


@pytest.mark.parametrize(
    ("script", "code", "words"),
    [
        ("exit 0", 0, "Nothing was changed."),  # left without saving
        (': > "$1"', 0, "Nothing was changed."),  # emptied
        ('touch -d 2001-01-01 "$1"', 0, "Nothing was changed."),  # saved as it was
        ('echo oops > "$1"', 1, "question' is missing: nothing was changed."),
        ('printf "%s\\n" "----- question" "----- answer" "x" > "$1"', 2, "A memory needs a question"),
        ("exit 3", 1, "Editing failed"),
    ],
)
def test_what_comes_back_is_checked(cli: CommandLine, script: str, code: int, words: str) -> None:
    cli.archive()
    before = cli("export").out
    (memory,) = cli.ids("E1101")[:1]
    assert words in cli("edit", memory, code=code, EDITOR=editor(cli, script)).err
    assert cli("export").out == before


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["zzzz", "--answer", "x"], 1, "No memory has the id 'zzzz'"),
        (["", "--question", " "], 2, "A memory needs a question"),
        ([""], 2, "There is no terminal to edit on"),
    ],
)
def test_a_wrong_call_changes_nothing(
    archive: CommandLine, arguments: list[str], code: int, words: str
) -> None:
    (memory,) = archive.ids("E1101")[:1]
    arguments[0] = arguments[0] or memory
    assert words in archive("edit", *arguments, code=code).err


def test_pins_are_set_and_taken_away_together_or_not_at_all(cli: CommandLine) -> None:
    cli.archive()
    one, other = cli.ids("CI green")[0], cli.ids("書庫")[0]
    assert cli("pin", one, other).out == f"Pinned: {one}, {other}.\n"
    assert cli("stats", "--json").json["pinned"] == 2
    cli("unpin", one, "zzzz", code=1)
    assert cli("stats", "--json").json["pinned"] == 2
    assert cli("unpin", one).out == f"Unpinned: {one}.\n"
    assert cli("stats", "--json").json["pinned"] == 1
    cli("pin", code=2)


def test_the_file_for_the_editor_is_private_and_does_not_stay(cli: CommandLine, tmp_path: Path) -> None:
    cli.archive()
    folder = tmp_path / "temporary"
    folder.mkdir()
    cli(
        "edit",
        cli.ids("CI green")[0],
        EDITOR=editor(cli, 'stat -c %a "$1" > mode; exit 0'),
        TMPDIR=str(folder),
    )
    assert int((cli.root / "mode").read_text(), 8) & (stat.S_IRWXG | stat.S_IRWXO) == 0
    assert list(folder.iterdir()) == []
