from __future__ import annotations

from tests.builders import TIDES, CommandLine
from tests.cli.injections import record, told


def test_the_last_injection_is_explained_stage_by_stage(cli: CommandLine):
    key, deadline = told(cli)
    shown = cli("why").out
    for fact in (
        f"1  2026-04-11 01:00  UserPromptSubmit  session {TIDES.id}",
        "Showed 2 memories in 1,234 characters, ranked by words, parts of words, and meaning (fake); 21 ms.",
        f"1. {key}  2026-03-02  tosho",
        "❯ 鍵は？",
        f"2. {deadline}  2026-03-02  tosho",
        "score      0.912  what it was ordered by",
        "covered    0.750  share of the prompt's telling words that it holds",
    ):
        assert fact in shown
    assert cli("why", "1").out == shown


def test_a_silence_is_explained_by_its_number(cli: CommandLine):
    told(cli)
    assert "Showed nothing: small talk; 21 ms." in cli("why", "2").out
    assert cli("why", "2", "--json").json["silence"] == "small talk"


def test_it_is_told_how_the_memories_were_ranked(cli: CommandLine):
    key, _ = told(cli)
    record(cli, key, model=None, late=True)
    assert "1 memory in" in cli("why").out
    assert "because the model came too late" in cli("why").out
    record(cli, key, model=None)
    assert "without a model" in cli("why").out


def test_a_memory_tells_when_and_to_whom_it_was_shown(cli: CommandLine):
    _, deadline = told(cli)
    record(cli, deadline, minute=5, session="another", event="SessionStart")
    first, question, _, head, newest, oldest = cli("why", deadline[:8]).out.splitlines()
    assert first.split()[0] == deadline
    assert question == "   ❯ 会議で決めた返却期限は何日だっけ"
    assert head.split() == ["number", "time", "event", "place", "score", "session"]
    assert newest.split() == ["3", "2026-04-11", "01:05", "SessionStart", "1", "0.91", "another"]
    assert oldest.split()[-3:] == ["2", "0.81", TIDES.id]
    found = cli("why", deadline, "--json").json
    assert [row["id"] for row in found["injections"]] == [3, 1]
    assert found["memory"]["id"] == deadline
    assert "never shown" in cli("why", cli.ids("E1101")[0]).out


def test_an_explanation_has_the_documented_shape(cli: CommandLine):
    told(cli)
    found = cli("why", "--json").json
    assert found.keys() == cli("log", "--json").json["injections"][0].keys()
    assert found["memories"][0].keys() == {
        *("id", "score", "trace", "asked_at", "project", "question", "muted")
    }
    assert found["memories"][0]["question"] == "鍵は？"


def test_what_was_forgotten_meanwhile_is_said_plainly(cli: CommandLine):
    key, deadline = told(cli)
    cli("forget", key, "--yes")
    shown = cli("why").out
    assert "Showed 2 memories" in shown
    assert shown.endswith("1 memory that was shown here was forgotten since.\n")
    assert key not in shown
    assert "No memory has the id" in cli("why", key, code=1).err
    cli("forget", deadline, "--yes")
    assert cli("why").out.endswith("2 memories that were shown here were forgotten since.\n")


def test_what_is_not_there_is_one_sentence(empty: CommandLine):
    assert "Nothing was shown" in empty("why", code=1).err
    assert "no number 7" in empty("why", "7", code=1).err
    assert "no number" in empty("why", "9" * 30, code=1).err
    assert "No memory has the id" in empty("why", "zzz", code=1).err
