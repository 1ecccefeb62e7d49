"""`sui-memory lesson`, as a person and a program use it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.builders import CommandLine, Session, Turn

README = "check that README exists"


def lessons(cli: CommandLine) -> list[dict[str, Any]]:
    return cli("lesson", "list", "--json").json["lessons"]


def hooks(cli: CommandLine) -> dict[str, Any]:
    return json.loads((cli.config / "settings.json").read_text())["hooks"]


def test_a_lesson_is_added_listed_edited_and_removed(empty: CommandLine):
    added = empty("lesson", "add", "--if", "git push", "--if", "プッシュ", "--priority", "4", README)
    assert added.out == f"Lesson 1: if git push or プッシュ, then {README} (priority 4)\n"
    head, row = empty("lesson", "list").out.splitlines()
    assert head.split() == ["id", "priority", "told", "last", "lesson"]
    assert row.split()[:4] == ["1", "4", "0", "never"]
    empty("lesson", "edit", "1", "--action", "look twice", "--priority", "5")
    assert [(each["action"], each["priority"], each["keywords"]) for each in lessons(empty)] == [
        ("look twice", 5, ["git push", "プッシュ"])
    ]
    assert empty("lesson", "remove", "1").out == "Removed: 1.\n"
    assert "no lessons yet" in empty("lesson", "list").err


def test_the_list_has_the_documented_shape(empty: CommandLine):
    empty("lesson", "add", "--if", "deploy", "--pattern", "de+ploy", "--project", "app", README)
    (lesson,) = lessons(empty)
    assert lesson.pop("created_at").endswith("Z")
    assert lesson == {
        "id": 1,
        "keywords": ["deploy"],
        "pattern": "de+ploy",
        "action": README,
        "priority": 3,
        "project": "app",
        "tool": None,
        "source": None,
        "fired": 0,
        "fired_at": None,
    }


def test_a_part_is_taken_away_by_an_empty_text(empty: CommandLine):
    empty("lesson", "add", "--if", "deploy", "--pattern", "de+ploy", "--project", "app", README)
    empty("lesson", "edit", "1", "--project", "", "--pattern", "")
    assert (lessons(empty)[0]["project"], lessons(empty)[0]["pattern"]) == (None, None)
    assert "needs a trigger" in empty("lesson", "edit", "1", "--if", "", code=1).err


def test_a_lesson_may_name_the_memory_that_it_comes_from(cli: CommandLine):
    cli.archive()
    source = cli.ids("E1101")[0]
    cli("lesson", "add", "--if", "reconnect", "--source", source[:8], "--project", "tidepool", "reset it")
    assert lessons(cli)[0]["source"] == source
    assert lessons(cli)[0]["project"] == "/home/mio/src/tidepool"
    assert lessons(cli) == cli("lesson", "list", "--project", "tidepool", "--json").json["lessons"]
    assert cli("lesson", "list", "--project", "tosho", "--json").json["lessons"] == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["add", "--if", "deploy", "--priority", "9", README], "from 1 to 5, not 9"),
        (["add", "--if", " ", README], "A trigger needs a word"),
        (["add", README], "needs a trigger"),
        (["add", "--if", "deploy", " "], "An action needs words"),
        (["add", "--pattern", "(a+)+$", README], "repeats something that repeats"),
        (["add", "--pattern", "(a|aa)+$", README], "takes longer than 50 ms"),
        (["add", "--if", "nul", "--project", "/tmp/\udcff", README], "no text in UTF-8"),
        (["add", "--if", "nul", "--source", "\udcff", README], "No memory has the id"),
        (["add", "--pattern", "[", README], "no regular expression"),
        (["add", "--if", "deploy", "--tool", "Ba sh", README], "no name of a tool"),
        (["add", "--if", "deploy", "--source", "zzz", README], "No memory has the id"),
        (["edit", "7", "--priority", "2"], "There is no lesson 7"),
        (["remove", "7"], "There is no lesson 7"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    empty: CommandLine, arguments: list[str], sentence: str
):
    assert sentence in empty("lesson", *arguments, code=1).err
    assert lessons(empty) == []


def test_removing_removes_all_or_none(empty: CommandLine):
    empty("lesson", "add", "--if", "deploy", README)
    empty("lesson", "remove", "1", "9", code=1)
    assert len(lessons(empty)) == 1


def test_a_password_is_masked_before_it_is_stored(empty: CommandLine):
    empty("lesson", "add", "--if", "deploy", "log in with password=hunter2-Xk9")
    assert "hunter2" not in empty("lesson", "list", "--json").out


def test_without_an_archive_there_are_no_lessons(cli: CommandLine):
    assert "There is no archive" in cli("lesson", "list", code=1).err


def test_what_would_fire_is_shown_and_not_counted(empty: CommandLine):
    empty("lesson", "add", "--if", "git push", README)
    empty("lesson", "add", "--if", "git push", "--tool", "Bash", "look at the branch")
    empty("remind", "add", "push", "buy milk")
    assert empty("lesson", "test", "then git push it").out.splitlines() == [
        f"if git push, then {README} (priority 3)",
        "when push comes up: buy milk",
        "lesson 2 waits for Bash",
    ]
    found = empty("lesson", "test", "git push", "--tool", "Bash", "--json").json
    assert [each["action"] for each in found["lessons"]] == ["look at the branch"]
    assert found["reminders"] == []
    assert empty("lesson", "test", "hello").err == "Nothing would be told.\n"
    assert [each["fired"] for each in lessons(empty)] == [0, 0]


def test_a_lesson_is_shown_as_written_and_nothing_in_it_steers_what_is_seen(empty: CommandLine):
    empty("lesson", "add", "--pattern", "rm\\s+x\n\u202e\u200b", "look\u202e twice")
    row = empty("lesson", "list").out.splitlines()[1]
    assert row.endswith("if /rm\\s+x\\n\\u202e\\u200b/, then look twice (priority 3)")
    refused = empty("lesson", "add", "--pattern", "(\\w+)+", README, code=1).err
    assert "The pattern /(\\w+)+/ repeats" in refused


def test_a_registry_goes_out_and_comes_in_again(empty: CommandLine):
    empty("lesson", "add", "--if", "git push", "--priority", "5", "--tool", "Bash", README)
    empty("lesson", "add", "--pattern", "本番.{0,9}DB", "ask first")
    file = empty.root / "lessons.json"
    file.write_text(empty("lesson", "export").out, "utf-8")
    before = [(each["keywords"], each["pattern"], each["action"], each["tool"]) for each in lessons(empty)]
    assert empty("lesson", "import", file).out.startswith("Imported 0 lessons; 2 were there already.")
    empty("lesson", "remove", "1", "2")
    assert empty("lesson", "import", file).out.startswith("Imported 2 lessons; 0 were")
    assert [
        (each["keywords"], each["pattern"], each["action"], each["tool"]) for each in lessons(empty)
    ] == before


def test_bad_entries_are_left_out_with_a_sentence_each(empty: CommandLine):
    file = empty.root / "lessons.json"
    file.write_text(
        json.dumps(
            [{"trigger": "deploy", "then": "ask"}, {"trigger": ""}, {"pattern": "(a+)+", "action": "x"}]
        )
    )
    done = empty("lesson", "import", file, code=1)
    assert done.out.startswith("Imported 1 lessons")
    assert [line.split(":")[0] for line in done.err.splitlines()] == [
        "Entry 2 was left out",
        "Entry 3 was left out",
    ]
    file.write_text("{")
    assert "nothing was imported" in empty("lesson", "import", file, code=1).err
    assert len(lessons(empty)) == 1


def test_candidates_are_shown_and_none_is_added(cli: CommandLine):
    turns = (Turn("git push して", "しました。"), Turn("違う、先に README を確かめて", "分かりました。"))
    cli.archive(Session("corrected", turns))
    (found,) = cli("lesson", "suggest", "--json").json["candidates"]
    assert (found["kind"], found["keywords"], found["times"]) == ("corrected", ["git push"], 1)
    assert found["action"] == "違う、先に README を確かめて"
    assert found["source"] == cli.ids("README")[0]
    assert found["source"] in cli("lesson", "suggest").out
    assert lessons(cli) == []
    assert "Nothing in the archive" in cli("lesson", "suggest", "--since", "2026-12-01").err


def test_a_lesson_of_a_tool_hooks_it_and_the_last_one_takes_the_hook_out(cli: CommandLine):
    settings = cli.config / "settings.json"
    cli.config.mkdir(parents=True, exist_ok=True)
    settings.write_text('{\n  "model": "opus"\n}\n')
    try:
        cli.process("setup", "--no-backfill")
        before = settings.read_bytes()
        added = cli("lesson", "add", "--tool", "Bash", "--if", "git push", README)
        assert f"Claude Code asks before Bash: wrote {settings}." in added.out
        assert [group["matcher"] for group in hooks(cli)["PreToolUse"]] == ["Bash"]
        cli("lesson", "add", "--tool", "Edit", "--if", "schema.sql", "ask first")
        assert [group["matcher"] for group in hooks(cli)["PreToolUse"]] == ["Bash|Edit"]
        assert "nothing to change" in cli.process("setup", "--no-backfill").out
        cli("lesson", "edit", "2", "--tool", "")
        assert [group["matcher"] for group in hooks(cli)["PreToolUse"]] == ["Bash"]
        removed = cli("lesson", "remove", "1")
        assert "No tool waits for us any more" in removed.out
        assert settings.read_bytes() == before
        cli("lesson", "add", "--tool", "Bash", "--if", "git push", README)
        cli.process("uninstall")
        assert settings.read_text() == '{\n  "model": "opus"\n}\n'
    finally:
        cli.process("daemon", "stop", code=None)


def test_lessons_of_another_archive_leave_the_hooks_alone(cli: CommandLine):
    cli.archive()
    try:
        cli.process("setup", "--no-backfill")
        cli("lesson", "add", "--tool", "Bash", "--if", "git push", README)
        before = (cli.config / "settings.json").read_bytes()
        other = {"SUI_MEMORY_HOME": str(cli.root / "other")}
        cli("backfill", **other)
        added = cli("lesson", "add", "--tool", "Edit", "--if", "whale", "x", **other)
        assert f"serve the archive in {cli.home}, and were left alone" in added.err
        cli("lesson", "remove", "1", **other)
        assert (cli.config / "settings.json").read_bytes() == before
    finally:
        cli.process("daemon", "stop", code=None)


def test_without_our_hooks_a_lesson_of_a_tool_says_what_is_missing(empty: CommandLine):
    added = empty("lesson", "add", "--tool", "Bash", "--if", "git push", README)
    assert "run `sui-memory setup`" in added.err
    assert not (empty.config / "settings.json").exists()


def test_the_plugin_has_no_hook_before_tools_and_that_is_said(empty: CommandLine):
    (empty.config / "plugins").mkdir(parents=True)
    listed = {"version": 2, "plugins": {"sui-memory@shop": [{"scope": "user"}]}}
    (empty.config / "plugins" / "installed_plugins.json").write_text(json.dumps(listed))
    (empty.config / "settings.json").write_text(json.dumps({"enabledPlugins": {"sui-memory@shop": True}}))
    added = empty("lesson", "add", "--tool", "Bash", "--if", "git push", README)
    assert "The plugin sui-memory@shop has no hook before tools" in added.err
