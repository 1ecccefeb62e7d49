from __future__ import annotations

from tests.builders import CommandLine


def muted(cli: CommandLine) -> list[str]:
    return [memory["id"] for memory in cli("never", "--json").json["memories"]]


def test_what_is_never_shown_is_listed_and_found_all_the_same(cli: CommandLine):
    cli.archive()
    key, tide = cli.ids("書庫の鍵")[0], cli.ids("E1101")[0]
    assert cli("never", tide, key[:8], key).out == f"Never shown again: {tide}, {key}.\n"
    assert muted(cli) == [key, tide]
    assert cli.ids("書庫の鍵")[0] == key
    assert cli("show", key, "--json").json["muted"]
    assert "muted" in cli("show", key).out
    assert cli("stats", "--json").json["muted"] == 2
    assert cli("never", key, "--undo").out == f"May be shown again: {key}.\n"
    assert muted(cli) == [tide]


def test_a_person_sees_a_table(cli: CommandLine):
    cli.archive()
    key = cli.ids("書庫の鍵")[0]
    cli("never", key)
    head, row = cli("never").out.splitlines()
    assert head.split() == ["date", "id", "project", "question"]
    assert row.split() == ["2026-03-02", key, "tosho", "鍵は？"]


def test_the_answer_has_the_documented_shape(cli: CommandLine):
    cli.archive()
    key = cli.ids("書庫の鍵")[0]
    document = {
        "memories": [
            {
                "id": key,
                "asked_at": "2026-03-02T01:11:20Z",
                "project": "/home/mio/src/tosho",
                "question": "鍵は？",
                "muted": True,
            }
        ]
    }
    assert cli("never", key, "--json").json == document
    assert cli("never", "--json").json == document
    document["memories"][0]["muted"] = False
    assert cli("never", key, "--undo", "--json").json == document


def test_one_unknown_id_changes_nothing(cli: CommandLine):
    cli.archive()
    assert "No memory has the id" in cli("never", cli.ids("E1101")[0], "zzz", code=1).err
    assert muted(cli) == []


def test_a_call_that_says_nothing_is_refused_or_answered(empty: CommandLine):
    assert empty("never").err.startswith("Every memory may be shown")
    assert "lists them" in empty("never", "--undo", code=2).err
