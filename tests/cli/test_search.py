from __future__ import annotations

import pytest

from tests.builders import LIBRARY, START, TIDES, CommandLine, Session, Turn

ODD_QUERIES = [
    '"foo" AND (bar*',
    "foo OR",
    "NEAR(a b, 3)",
    "question : answer",
    "- - -",
    "?",
    "*",
    "^",
    "'",
    '"',
    "''; drop table exchanges; --",
    "！？。、「」",
    "鍵",
    "CI",
    "a",
    "🔑",
    "👨‍👩‍👧",
    "\\",
    "%",
    "_",
    "{}",
    "a\tb\nc",
    "a　b",
    "é",
    "返却" * 5000,
    "x" * 10_000,
    "one two three " * 700,
]


def test_a_hit_has_the_documented_shape(archive: CommandLine):
    found = archive("search", "返却期限", "--json").json
    assert found["query"] == "返却期限"
    assert found["milliseconds"] > 0
    hit = found["hits"][0]
    assert hit["project"] == "/home/mio/src/tosho"
    assert hit["session"] == LIBRARY.id
    assert hit["asked_at"] == "2026-03-02T01:22:00Z"
    assert hit["question"] == "会議で決めた返却期限は何日だっけ"
    assert hit["answer"].startswith("返却期限は 14 日")
    assert "返却期限は 14 日" in hit["snippet"]
    assert 0 < hit["score"] <= 1
    assert [type(part) for part in hit["trace"][0]] == [str, float]


def test_hits_come_best_first(archive: CommandLine):
    scores = [hit["score"] for hit in archive("search", "E1101 useTide", "--json").json["hits"]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("query", "session"),
    [
        ("延滞の通知はどこで送る？", LIBRARY),
        ("締め切り 通知", LIBRARY),
        ("鍵", LIBRARY),
        ("会議", LIBRARY),
        ("send_overdue_mail", LIBRARY),
        ("overdue", LIBRARY),
        ("E1101", TIDES),
        ("resetSocket", TIDES),
        ("closed sockets", TIDES),
        ("CI", TIDES),
        ("ＣＩ", TIDES),
    ],
)
def test_what_was_said_is_found(archive: CommandLine, query: str, session: Session):
    hits = archive("search", query, "--json", SUI_MEMORY_MODEL="none").json["hits"]
    assert hits[0]["session"] == session.id


@pytest.mark.parametrize("query", ODD_QUERIES, ids=lambda query: ascii(query)[:20])
def test_every_character_is_text(archive: CommandLine, query: str):
    done = archive("search", "--json", "--", query)
    assert done.json["query"] == query.strip()


def test_a_query_that_is_no_unicode_is_searched_all_the_same(archive: CommandLine):
    # An undecodable byte of the command line reaches Python as a lone surrogate.
    assert archive("search", "\udcff 鍵", "--json").json["hits"]


def test_several_words_need_no_quotes(archive: CommandLine):
    assert archive("search", "closed", "socket", "--json").json["query"] == "closed socket"


def test_a_query_may_start_with_a_dash_after_two_dashes(archive: CommandLine):
    assert archive("search", "--json", "--", "-v").json["query"] == "-v"


@pytest.mark.parametrize("query", ["", "   ", "　"])
def test_an_empty_query_is_a_wrong_call(archive: CommandLine, query: str):
    assert "empty" in archive("search", query, code=2).err


def test_no_query_at_all_is_a_wrong_call(archive: CommandLine):
    assert "QUERY" in archive("search", code=2).err


def test_nothing_found_is_no_error(archive: CommandLine):
    done = archive("search", "zzyzx", "--json", SUI_MEMORY_MODEL="none")
    assert done.json["hits"] == []
    assert done.err.startswith("Nothing is found")


def test_an_empty_archive_says_how_to_fill_it(empty: CommandLine):
    done = empty("search", "鍵", "--json")
    assert done.json["hits"] == []
    assert "sui-memory backfill" in done.err


def test_hits_by_meaning_alone_are_called_so(archive: CommandLine):
    done = archive("search", "zzyzx")
    assert "look twice" in done.err


def test_automated_sessions_are_left_out_unless_asked_for(archive: CommandLine):
    question = "Summarise the diff of the tide gauge."
    found = [hit["question"] for hit in archive("search", "tide gauge", "--json").json["hits"]]
    everything = [hit["question"] for hit in archive("search", "tide gauge", "--all", "--json").json["hits"]]
    assert question not in found
    assert question in everything


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (("--project", "tosho"), 3),
        (("--project", "/home/mio/src/tosho"), 3),
        (("--project", "src/tidepool"), 2),
        (("--session", TIDES.id), 2),
        (("--session", TIDES.id[:8]), 2),
        (("--branch", "fix/reconnect"), 2),
        (("--since", "2026-03-15"), 2),
        (("--until", "2026-03-02"), 3),
        (("--until", "2026-03-01"), 0),
        (("--since", "2026-03-02", "--until", "2026-04-01"), 5),
        (("--limit", "1"), 1),
        (("--offset", "4"), 1),
    ],
)
def test_a_filter_limits_what_is_searched(archive: CommandLine, options: tuple[str, ...], count: int):
    assert len(archive.ids("の is the", *options)) == count


def test_one_side_of_the_talk_can_be_searched_alone(archive: CommandLine):
    assert archive.ids("resetSocket", "--role", "answer")
    found = archive("search", "resetSocket", "--role", "question", "--json").json["hits"]
    assert all("words" not in dict(hit["trace"]) for hit in found)


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (("--project", "nowhere"), 1, "No project is called 'nowhere'"),
        (("--session", "zzz"), 1, "No session has the id 'zzz'"),
        (("--since", "yesterday"), 2, "is no date"),
        (("--until", "2026-13-01"), 2, "is no date"),
        (("--limit", "0"), 2, "--limit"),
        (("--offset", "-1"), 2, "--offset"),
        (("--role", "tool"), 2, "--role"),
    ],
)
def test_a_wrong_filter_is_told_in_a_sentence(
    archive: CommandLine, options: tuple[str, ...], code: int, sentence: str
):
    assert sentence in archive("search", "鍵", *options, code=code).err


def test_pages_make_up_the_whole(cli: CommandLine):
    turns = [Turn(f"潮の高さの表 {number}", f"表 {number} は {number} 行です。") for number in range(30)]
    cli.archive(Session("many", turns, start=START))
    whole = cli.ids("潮の高さの表", "--limit", "30")
    pages = [cli.ids("潮の高さの表", "--limit", "10", "--offset", offset) for offset in ("0", "10", "20")]
    assert len(set(whole)) == 30
    assert [*pages[0], *pages[1], *pages[2]] == whole


def test_a_person_sees_id_date_project_score_question_and_snippet(archive: CommandLine):
    done = archive("search", "返却期限", "--limit", "1")
    head, question, answer = done.out.splitlines()
    assert head.split()[1] == archive.ids("返却期限")[0]
    assert head.split()[2:4] == ["2026-03-02", "tosho"]
    assert question.strip() == "❯ 会議で決めた返却期限は何日だっけ"
    assert answer.strip() == "返却期限は 14 日と決めました。延長は 1 回、7 日までです。"
    assert "\x1b" not in done.out


def test_explain_shows_the_stages_and_the_model(archive: CommandLine):
    done = archive("search", "返却期限", "--explain", "--limit", "1")
    _, _, _, head, *rows = done.out.splitlines()
    assert head.split() == ["stage", "rank", "score", "share"]
    stages = [row.split()[0] for row in rows]
    assert stages[:3] == ["words", "trigrams", "vectors"]
    assert stages[-4:] == ["fused", "freshness", "score", "place"]
    assert all(cell != "–" for row in rows[:3] for cell in row.split()[1:4])
    assert rows[-1].split() == ["place", "1"]
    assert "meaning (fake" in done.err


def test_explain_fits_a_terminal(archive: CommandLine):
    shown = archive.on_terminal("search", "返却期限", "--explain", "--limit", "1", columns=80)
    (row,) = (line for line in shown.splitlines() if "fused" in line)
    assert "the rankings together, 0 to 1" in row


def test_explain_says_why_only_words_ranked(archive: CommandLine):
    done = archive("search", "返却期限", "--explain", SUI_MEMORY_MODEL="none")
    assert "words only, because the settings choose the model none" in done.err


def test_a_secret_is_not_found(archive: CommandLine):
    hits = archive("search", "API の鍵", "--json").json["hits"]
    assert "[REDACTED" in hits[0]["answer"]
    assert "FAKEfake0" not in str(hits)


def test_a_terminal_without_japanese_gets_question_marks_and_a_program_utf_8(archive: CommandLine):
    poor = {"PYTHONIOENCODING": "ascii"}
    assert "? 14 ?" in archive.process("search", "返却期限", **poor).out
    assert archive.process("search", "返却期限", "--json", **poor).json["query"] == "返却期限"


def test_a_terminal_shows_the_words_of_the_query_marked_and_a_poorer_one_does_not(archive: CommandLine):
    assert "\x1b[1;33m返却\x1b[0m" in archive.on_terminal("search", "返却期限", "--limit", "1").replace(
        "期限", ""
    )
    assert "\x1b[33m" not in archive.on_terminal("search", "返却期限", NO_COLOR="1")
    assert "\x1b" not in archive.on_terminal("search", "返却期限", TERM="dumb")


def test_a_narrow_terminal_wraps_the_snippet_below_itself(archive: CommandLine):
    shown = archive.on_terminal("search", "E1101", "--limit", "1", columns=50).splitlines()
    assert len(shown) > 4
    assert all("    " in line[:8] for line in shown[1:])


def test_a_model_that_is_not_to_be_had_is_told_and_the_words_still_find(archive: CommandLine):
    found = archive("search", "会議", SUI_MEMORY_MODEL="no-such-model")
    assert found.code == 0
    assert "no-such-model" in found.err
