from __future__ import annotations

import os

import pytest

from sui_memory.app import open_app
from sui_memory.archive.family import indexed
from sui_memory.config import Settings
from sui_memory.store.kept import Category, Emotion, Link, LinkType, Medium, Note, Rest, Slept
from tests.builders import CommandLine
from tests.store.behaviours.keeping import kept

PICTURE = Medium("picture", "image/png", "harbour.png", b"x" * 2_000)
HARBOUR, GULL = kept(1, "the harbour at dawn\nwas quiet"), kept(2, "a gull took the zyxquark")


@pytest.fixture
def notes(cli: CommandLine) -> CommandLine:
    """The command line with two kept memories beside the example sessions, one tied to the other."""
    cli.archive()
    note = Note(Emotion.MOVED, 5, Category.OBSERVATION, ("港", "dawn"), 2, kept(1).asked_at, (), 12.5, -3.0)
    with open_app(Settings(home=cli.home, model="none")) as app:
        for one, its, medium in ((HARBOUR, note, PICTURE), (GULL, Note(sources=(HARBOUR.id,)), None)):
            app.store.kept.keep(indexed([one], app.tools)[0], its, medium)
        app.store.kept.link([Link(GULL.id, HARBOUR.id, LinkType.FOLLOWS, "the same morning", 0.75)])
    return cli


def test_a_kept_memory_is_shown_with_what_is_known_of_it(notes: CommandLine):
    shown = notes("show", HARBOUR.id, "--after", "0").out
    for fact in (
        "kept as   observation, moved, importance 5",
        "tags      港, dawn",
        "recalled  2 times, last 2026-01-01 09:01",
        "seen from pan 12.5°, tilt -3°",
        "picture   harbour.png (image/png, 2.0 kB)",
        f"follows ← {GULL.id} 0.75 the same morning",
    ):
        assert " ".join(fact.split()) in " ".join(shown.split())
    assert shown.endswith("❯ the harbour at dawn\nwas quiet\n")
    other = notes("show", GULL.id).out
    assert f"sums up {HARBOUR.id}" in " ".join(other.split())
    assert f"follows → {HARBOUR.id}" in other


def test_json_has_the_note_the_medium_and_the_links(notes: CommandLine):
    shown = notes("show", HARBOUR.id, "--json").json
    assert (shown["agent"], shown["session"]) == ("kept", "kept")
    assert (shown["note"]["emotion"], shown["note"]["importance"]) == ("moved", 5)
    assert shown["medium"] == {"kind": "picture", "mime": "image/png", "name": "harbour.png", "bytes": 2000}
    (link,) = shown["links"]
    assert (link["source"], link["target"], link["type"]) == (GULL.id, HARBOUR.id, "follows")
    archived = notes("show", notes.ids("E1101")[0], "--json").json
    assert (archived["note"], archived["medium"], archived["links"]) == (None, None, [])


def test_markdown_shows_a_note_as_one(notes: CommandLine):
    shown = notes("show", HARBOUR.id, "--markdown").out
    assert shown.endswith("### Note\n\nthe harbour at dawn\nwas quiet\n\n")
    assert "Answer" not in shown


def test_a_note_is_edited_in_the_editor(notes: CommandLine):
    editor = notes.root / "editor"
    editor.write_text('#!/bin/sh\nsed -i s/quiet/loud/ "$1"\n')
    editor.chmod(0o700)
    notes("edit", HARBOUR.id, EDITOR=str(editor), VISUAL="", PATH=os.environ["PATH"])
    shown = notes("show", HARBOUR.id, "--json").json
    assert shown["question"] == "the harbour at dawn\nwas loud"
    assert (shown["answer"], shown["edited"], shown["note"]["importance"]) == ("", True, 5)
    assert notes("edit", HARBOUR.id, "--question", "other words").out == f"Edited: {HARBOUR.id}.\n"
    assert notes("show", HARBOUR.id, "--json").json["note"]["tags"] == ["港", "dawn"]


def test_a_note_is_found_and_forgotten(notes: CommandLine):
    assert notes.ids("zyxquark") == [GULL.id]
    assert notes("forget", GULL.id, "--yes").out.endswith("Forgotten: 1 memory.\n")
    assert notes("show", HARBOUR.id, "--json").json["links"] == []
    assert b"zyxquark" not in notes.database.read_bytes()


def test_a_note_at_rest_is_not_found_but_shown_and_forgotten(notes: CommandLine):
    with open_app(Settings(home=notes.home, model="none")) as app:
        app.store.kept.sleep(Slept(forgotten=(GULL.id,)))
    assert notes.ids("zyxquark") == []
    assert "at rest  forgotten\n" in notes("show", GULL.id).out
    assert notes("show", GULL.id, "--json").json["note"]["rest"] == Rest.FORGOTTEN
    assert notes("forget", "--match", "zyxquark", "--yes").out.endswith("Forgotten: 1 memory.\n")


def test_a_summary_that_may_hold_forgotten_words_is_named(notes: CommandLine):
    told = f"Summed up in {GULL.id}: look whether that should go, too.\n"
    assert notes("forget", HARBOUR.id, "--dry-run").out.endswith(told)
    assert "Summed up" not in notes("forget", HARBOUR.id, GULL.id, "--dry-run").out


def test_notes_links_and_episodes_are_counted(notes: CommandLine):
    found = notes("stats", "--json").json
    assert [found[name] for name in ("kept", "links", "episodes", "exchanges")] == [2, 1, 0, 8]


def test_an_export_is_counted_by_its_memories(notes: CommandLine):
    file = notes.root / "out.jsonl"
    assert notes("export", file).err == f"Wrote 8 memories to {file}.\n"
    other = CommandLine(notes.root / "other")
    other.root.mkdir()
    assert other("import", file).out == (
        "Read 8 memories: 8 new, 0 already there. Links: 1 new, episodes: 0 new.\n"
    )
    assert other("export").out == notes("export").out
