"""An export holds everything, comes back as it was, and never half."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sui_memory.archive.editing import edit
from sui_memory.archive.exporting import export_lines, memory_fields, write_whole
from sui_memory.archive.families import EVERYTHING
from sui_memory.archive.family import indexed
from sui_memory.archive.importing import Imported, import_from
from sui_memory.archive.markdown import markdown_lines
from sui_memory.errors import SuiMemoryError
from sui_memory.text import clean
from sui_memory.types import Branch, Exchange, Memory, Scope, Status
from tests.archive.workbench import TALK, Workbench, later, workbench
from tests.builders import SECRET, Turn


def exported(bench: Workbench, scope: Scope = EVERYTHING) -> list[str]:
    return list(export_lines(scope, store=bench.app.store))


def imported(bench: Workbench, lines: list[str], *, revive: bool = False) -> Imported:
    file = BytesIO("".join(f"{line}\n" for line in lines).encode())
    return import_from(file, "e.jsonl", store=bench.app.store, tools=bench.app.tools, revive=revive)


def restored(bench: Workbench, *memories: Memory) -> None:
    ready = [(memory, indexed([memory.exchange], bench.app.tools)[0]) for memory in memories]
    bench.app.store.restore(ready)


# Words as the archive holds them: cleaned, and no secret may be made up.
TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0=:：→"), max_size=40).map(
    clean
)
TIMES = st.none() | st.datetimes(
    datetime(1971, 1, 1),
    datetime(2100, 1, 1),
    timezones=st.just(UTC),
)
EXCHANGES = st.builds(
    Exchange,
    key=st.uuids().map(str),
    fingerprint=st.uuids().map(str),
    session=st.sampled_from(["s1", "s2", "セッション"]),
    project=st.sampled_from(["/code/app", "/仕事/港"]),
    question=TEXT,
    answer=TEXT,
    followups=st.lists(TEXT, max_size=2).map(tuple),
    status=st.sampled_from(Status),
    branch=st.sampled_from(Branch),
    sidechain=st.booleans(),
    auto=st.booleans(),
    plan=st.booleans(),
    version=st.none() | st.just("2.1.0"),
    cwd=st.none() | st.just("/code/app/🐚"),
    git_branch=st.none() | st.just("feature/鍵"),
    asked_at=TIMES,
    answered_at=TIMES,
    files=st.lists(TEXT, max_size=2).map(tuple),
    tools=st.just(("Edit", "Bash")),
    uuids=st.lists(st.uuids().map(str) | st.just("no uuid"), max_size=3).map(tuple),
)
FLAG = st.booleans()
MEMORIES = st.builds(Memory, EXCHANGES, pinned=FLAG, edited=FLAG, muted=FLAG)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(MEMORIES, max_size=5))
def test_what_is_exported_comes_back_as_it_was(memories: list[Memory]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with workbench(Path(folder) / "one") as one:
            restored(one, *memories)
            lines = exported(one)
        with workbench(Path(folder) / "two") as two:
            assert imported(two, lines).new == len(memories)
            assert exported(two) == lines
            assert imported(two, lines) == Imported(read=len(memories), existing=len(memories))
            assert exported(two) == lines
            assert two.app.store.check() == []


def test_an_archive_of_transcripts_comes_back_with_its_marks(bench: Workbench, tmp_path: Path) -> None:
    bench.archive(TALK.records())
    bench.app.store.pin(bench.find("buoy").id, pinned=True)
    bench.app.store.mute(bench.find("buoy").id, muted=True)
    edit(
        bench.find("zyxquark").exchange,
        question="合言葉は？",
        followups=("本当に？",),
        answer="",
        store=bench.app.store,
        tools=bench.app.tools,
    )
    lines = exported(bench)
    with workbench(tmp_path / "other") as other:
        assert imported(other, lines).new == 3
        assert exported(other) == lines
        assert other.find("buoy").marks == ["pinned", "muted"]
        other.archive(later(TALK, Turn("New?", "New.")))
        assert [memory.edited for memory in other.all()] == [False, True, False, False]
        assert exported(other)[: len(lines)] == lines
        assert other.traces() == []


def test_every_line_is_one_whole_exchange(bench: Workbench) -> None:
    bench.archive(TALK.records())
    header, *rest = map(json.loads, exported(bench))
    assert header["sui-memory-export"] == 1
    assert rest == [memory_fields(memory) for memory in bench.all()]
    assert rest[0]["asked_at"] == "2026-03-02T01:00:00Z"
    assert rest[0]["id"] == bench.all()[0].id


def test_a_scope_limits_what_is_exported(bench: Workbench) -> None:
    bench.archive(TALK.records())
    assert len(exported(bench, replace(EVERYTHING, session="another"))) == 1
    late = bench.all()[1].exchange.asked_at
    assert len(exported(bench, replace(EVERYTHING, since=late))) == 3


def test_existing_memories_are_left_as_they_are(bench: Workbench) -> None:
    bench.archive(TALK.records())
    lines = exported(bench)
    edit(
        bench.find("buoy").exchange,
        question="mine",
        followups=(),
        answer="mine",
        store=bench.app.store,
        tools=bench.app.tools,
    )
    assert imported(bench, lines) == Imported(read=3, existing=3)
    assert bench.questions()[2] == "mine"


def test_what_was_forgotten_stays_so_unless_it_is_revived(bench: Workbench) -> None:
    bench.archive(TALK.records())
    lines = exported(bench)
    bench.forget(bench.find("zyxquark"))
    assert imported(bench, lines) == Imported(read=3, existing=2, forgotten=1)
    assert bench.traces() == []
    assert imported(bench, lines, revive=True) == Imported(read=3, new=1, existing=2)
    assert exported(bench) == lines
    bench.archive(later(TALK, Turn("New?", "New.")))
    assert exported(bench)[: len(lines)] == lines


def test_secrets_are_masked_on_the_way_in(bench: Workbench) -> None:
    secret = Exchange("k", "f", "s", "p", f"key {SECRET}", "パスワード：ひみつ123", (f"again {SECRET}",))
    line = json.dumps(memory_fields(Memory(secret)), ensure_ascii=False)
    assert imported(bench, [exported(bench)[0], line]) == Imported(read=1, new=1, values=3)
    assert bench.traces(SECRET, "ひみつ123") == []


def _line(**changes: Any) -> str:
    fields = memory_fields(Memory(Exchange("k", "f", "s", "p", "q")))
    return json.dumps({name: value for name, value in {**fields, **changes}.items() if value != "absent"})


HEADER = '{"sui-memory-export":1}'
BROKEN = {
    "empty": ([], "line 1: this is no export"),
    "no header": ([_line()], "line 1: this is no export"),
    "header of something else": (['{"sui-memory-export":"x"}'], "line 1: this is no export"),
    "newer": (['{"sui-memory-export":3}', "?"], "line 1: a newer sui-memory wrote this export"),
    "cut off": ([HEADER, _line(), _line()[:-9]], "line 3: this is not a whole line of JSON"),
    "blank line": ([HEADER, "", _line()], "line 2: this is not a whole line of JSON"),
    "a list": ([HEADER, "[]"], "line 2: this is not a JSON object"),
    "no key": ([HEADER, _line(key="absent")], "line 2: 'key' is missing"),
    "empty key": ([HEADER, _line(key="")], "line 2: 'key' is empty"),
    "no text": ([HEADER, _line(question=1)], "line 2: 'question' is no text"),
    "no list": ([HEADER, _line(files="x")], "line 2: 'files' is no list"),
    "no texts in it": ([HEADER, _line(files=[1])], "line 2: 'files' is no text"),
    "no flag": ([HEADER, _line(pinned=1)], "line 2: 'pinned' is neither true nor false"),
    "no time": ([HEADER, _line(asked_at="soon")], "line 2: 'asked_at' is no time"),
    "no status": ([HEADER, _line(status="lost")], "line 2: 'status' is none of complete, interrupted"),
    "a list for a status": ([HEADER, _line(status=[])], "line 2: 'status' is none of"),
}


def test_imported_texts_are_cleaned_as_transcripts_are_and_before_secrets_are_looked_for(
    bench: Workbench,
) -> None:
    dirty = "pass\x1b[1mword=hun\x00ter2 \ud800が\r\n\x1b]0;title\x07end "
    line = _line(question=dirty, answer=dirty, followups=[dirty], files=[dirty], cwd=dirty, git_branch=dirty)
    assert imported(bench, [HEADER, line]).values == 6
    (memory,) = bench.all()
    exchange = memory.exchange
    texts = {exchange.question, exchange.answer, *exchange.followups, *exchange.files}
    assert texts | {exchange.cwd, exchange.git_branch} == {"password=[REDACTED:password] \ufffdが\nend"}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_export_is_refused_as_a_whole(bench: Workbench, case: str) -> None:
    lines, words = BROKEN[case]
    with pytest.raises(SuiMemoryError) as refused:
        imported(bench, lines)
    assert f"e.jsonl, {words}" in str(refused.value)
    assert str(refused.value).endswith("nothing was imported.")
    assert bench.all() == []


def test_unknown_fields_of_a_later_release_are_ignored(bench: Workbench) -> None:
    assert imported(bench, [HEADER, _line(mood="calm")]).new == 1


def test_an_exported_file_is_whole_and_private(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    path.chmod(0o644)
    assert write_whole(path, ["one", "二"]) == 2
    assert path.read_text(encoding="utf-8") == "one\n二\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["out.jsonl"]


def test_an_interrupted_export_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")

    def lines() -> Any:
        yield "new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, lines())
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.jsonl"]


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SuiMemoryError, match="cannot be written"):
        write_whole(tmp_path / "absent" / "out.jsonl", ["one"])


def test_markdown_has_a_section_for_each_session(bench: Workbench) -> None:
    bench.archive(TALK.records())
    other = replace(
        TALK, name="other", turns=(Turn("Ahoy?\n\nSecond line."),), start=TALK.start + timedelta(days=1)
    )
    bench.archive(other.records(), name="other")
    text = "\n".join(markdown_lines(Scope(), store=bench.app.store))
    first, second = (bench.all()[at].id for at in (0, 3))
    assert [line for line in text.splitlines() if line.startswith("# ")] == [
        line for line in text.splitlines() if line.startswith("# 2026-03-0")
    ]
    assert (
        text.index("港の地図はどこ？")
        < text.index(first)
        < text.index("The buoy is green.")
        < text.index(second)
    )
    assert "> Ahoy?\n>\n> Second line." in text
    assert f"{second} · unanswered" in text
    assert text.count("\n# ") == 1
