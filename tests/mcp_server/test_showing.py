from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sui_memory.context.fence import CLOSING, OPENING, defused
from sui_memory.mcp_server.showing import bounded, fenced, json_units, verbatim


def test_code_keeps_its_lines_and_indentation():
    assert verbatim("if high:\n    ring()\n\n\tif low:") == "if high:\n    ring()\n\n    if low:"


def test_a_tag_that_is_hidden_between_two_lines_costs_the_lines():
    assert "\n" not in verbatim("a <\n/recalled-memories> b")
    assert "</" not in verbatim("a <\n/recalled-memories> b")


@given(st.text(alphabet="<＜/／ \n\trecalld-moisystuv>", max_size=60))
def test_no_text_imitates_the_fence_on_one_line_or_several(text: str):
    shown = verbatim(text)
    assert defused(shown).count("‹") == shown.count("‹")


@given(st.lists(st.text(max_size=300), max_size=20), st.integers(200, 2_000))
def test_fenced_lines_keep_to_their_room(lines: list[str], room: int):
    block = fenced(lines, room)

    assert json_units(block) - 2 <= room
    assert not block or (block.startswith(OPENING) and block.endswith(CLOSING))


@given(st.lists(st.dictionaries(st.text(max_size=9), st.text(max_size=40), max_size=4)), st.integers(0, 900))
def test_rows_are_the_first_that_have_room(rows: list[dict[str, str]], room: int):
    kept = bounded(rows, room)

    assert kept == rows[: len(kept)]
    assert json_units(kept) <= room + 2
    assert len(kept) == len(rows) or json_units(rows[: len(kept) + 1]) > room
