from __future__ import annotations

from tests.builders import TIDES, CommandLine
from tests.cli.injections import asked, record, refused, told


def spaced(text: str) -> str:
    """Return text with single spaces: how wide the columns are is told elsewhere."""
    return " ".join(text.split())


def test_the_last_injection_is_explained_stage_by_stage(cli: CommandLine):
    key, deadline = told(cli)
    shown = cli("why").out
    for fact in (
        f"1 2026-04-11 01:00 UserPromptSubmit session {TIDES.id}",
        "Showed 2 memories in 1,234 characters, ranked by words, parts of words, and meaning (fake); 21 ms.",
        f"1. {key} 2026-03-02 tosho",
        "❯ 鍵は？",
        f"2. {deadline} 2026-03-02 tosho",
        "words 2 11.500 0.500 the ranking of words",
        "trigrams – the ranking of parts of words",
        "vectors 0.250 the ranking of meaning",
        "score 0.912 what it was ordered by",
        "covered 0.750 share of the telling words it holds",
        "place 2",
    ):
        assert fact in spaced(shown)
    assert cli("why", "1").out == shown


def test_a_silence_is_explained_by_its_number(cli: CommandLine):
    told(cli)
    assert "Showed nothing: small talk; 21 ms." in cli("why", "2").out
    assert cli("why", "2", "--json").json["silence"] == "small talk"


def test_a_silence_shows_what_it_nearly_showed_and_the_bar_it_missed(cli: CommandLine):
    key, deadline = told(cli)
    record(cli, silence="too little evidence", refused=(refused(deadline, 0.31), refused(key, 0.25)))
    shown = cli("why", "3").out
    assert "Showed nothing: too little evidence; 21 ms." in shown
    assert f"`sui-memory show {deadline}`" in shown
    assert shown.index(f"-  {deadline}") < shown.index(f"-  {key}")
    assert "evidence 0.310 what speaks for it; the bar asks for 0.420" in spaced(shown)
    assert "place" not in shown
    found = cli("why", "3", "--json").json
    assert [one["question"] for one in found["refused"]] == ["会議で決めた返却期限は何日だっけ", "鍵は？"]
    assert found["refused"][0]["trace"][-1] == ["bar", 0.42]
    assert found["memories"] == []
    assert "too little evidence" in cli("log", "--all").out


def test_what_was_only_nearly_shown_counts_as_never_shown(cli: CommandLine):
    cli.archive()
    (key, *_) = cli.ids("書庫の鍵")
    record(cli, silence="too little evidence", refused=(refused(key, 0.3),))
    assert "never shown" in cli("why", key).out
    assert cli("why", code=1).err.startswith("Error: Nothing was shown")


def test_what_was_nearly_shown_is_forgotten_there_too(cli: CommandLine):
    key, deadline = told(cli)
    record(cli, silence="too little evidence", refused=(refused(deadline, 0.31), refused(key, 0.25)))
    cli("forget", deadline, "--yes")
    assert deadline not in cli("why", "3").out
    assert [one["id"] for one in cli("why", "3", "--json").json["refused"]] == [key]
    cli("forget", key, "--yes")
    assert cli("why", "3").out.splitlines()[1:] == ["Showed nothing: too little evidence; 21 ms."]


def test_a_prompt_on_which_too_little_bears_tells_what_was_found(cli: CommandLine):
    cli.archive()
    answered = asked(cli, "貸出カードの印刷機とプリンターの設定はどの画面で変えたっけ")
    assert answered.silence == "too little evidence"
    shown = cli("why", "1").out
    assert f"`sui-memory show {answered.refused[0].memory_id}`" in shown
    assert "❯ 貸出の締め切りを過ぎた本の通知は、どこで送っていますか？" in shown
    assert "the bar asks for 0." in shown


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
    assert found["refused"] == []
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
