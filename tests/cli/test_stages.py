"""The table of what each stage of the ranking made of a hit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sui_memory.cli.stages import stage_table

KNOWN = ("words", "words rank", "words score", "vectors", "fused", "fused rank", "near", "evidence", "bar")
TRACES = st.dictionaries(st.sampled_from(KNOWN) | st.text(max_size=12), st.floats(-1e6, 1e6), max_size=12)


def table(*trace: tuple[str, float], place: int | None = None) -> list[str]:
    return stage_table(trace, 0.5, place)


def test_each_stage_has_a_row_with_rank_score_and_share():
    assert table(
        *(("words", 0.58), ("words rank", 1), ("words score", 14.2)),
        *(("trigrams", 0.12), ("trigrams rank", 13), ("trigrams score", 9.125)),
        *(("fused", 0.83), ("fused rank", 2), ("fresh", 0.97), ("score", 0.81), ("near", 1)),
        *(("covered", 0.81), ("held", 1.5), ("missed", 0.35), ("order", 0)),
        *(("evidence", 0.92), ("bar", 0.42)),
        place=1,
    ) == [
        "stage         rank   score  share",
        "words            1  14.200  0.580  the ranking of words",
        "trigrams        13   9.125  0.120  the ranking of parts of words",
        "vectors          –                 the ranking of meaning",
        "fused            2   0.830         the rankings together, 0 to 1",
        "freshness            0.970         a half after one half-life",
        "same project           yes         whether it is of the asker's project",
        "score                0.810         what it was ordered by",
        "covered              0.810         share of the telling words it holds",
        "held                 1.500         telling words it holds, the rarest count 1",
        "missed               0.350         telling words it lacks",
        "order                   no         whether the prompt tells to do something",
        "evidence             0.920         what speaks for it; the bar asks for 0.420",
        "place            1",
    ]


def test_what_an_older_version_did_not_note_is_an_empty_cell():
    rows = table(("words", 0.58), ("fused", 0.58))
    assert rows[1] == "words                  0.580  the ranking of words"
    assert rows[4] == "fused           0.580         the rankings together, 0 to 1"


def test_without_a_trace_the_score_and_the_place_are_left():
    assert [row.split()[:2] for row in table(place=3)[1:]] == [["score", "0.500"], ["place", "3"]]


def test_the_plain_search_has_a_row_only_where_it_was_made():
    assert not any(row.startswith("substring") for row in table(("words", 0.5)))
    assert "substring" in table(("substring", 0.5))[4]


def test_what_a_newer_version_notes_has_a_row_by_its_name():
    rows = table(("kanji", 0.3), ("kanji rank", 4), ("kanji score", 7.5), ("luck", 0.25))
    assert rows[4].split() == ["kanji", "4", "7.500", "0.300"]
    assert rows[-1].split() == ["luck", "0.250"]


@given(TRACES, st.none() | st.integers(1, 20))
def test_any_trace_makes_a_table(trace: dict[str, float], place: int | None):
    rows = stage_table(list(trace.items()), 0.5, place)
    assert rows[0].split() == ["stage", "rank", "score", "share"]
    assert not any("\x1b" in row for row in rows)
