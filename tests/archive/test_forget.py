"""What is forgotten is gone from every byte, stays gone, and takes nothing else with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sui_memory.archive import Report, Tools
from sui_memory.archive.editing import edit
from sui_memory.archive.families import EVERYTHING, family_of
from sui_memory.archive.family import indexed
from sui_memory.archive.forgetting import find_matches, forget
from sui_memory.archive.rebuilding import rebuild
from sui_memory.archive.scrubbing import scrub
from sui_memory.errors import StoreBusyError
from sui_memory.store import Change
from tests.archive.workbench import (
    TALK,
    WORDS,
    Record,
    Workbench,
    answer,
    follow,
    fork,
    later,
    renamed,
    user,
    workbench,
)
from tests.builders import Session, Turn

KEPT = ["港の地図はどこ？", "What colour is the buoy?"]
NEW = Turn("And the lighthouse?", "The lighthouse is white.")


@pytest.fixture
def forgotten(bench: Workbench) -> Workbench:
    """An archive of the talk, without its second exchange."""
    bench.archive(TALK.records())
    assert bench.forget(bench.find("zyxquark")) == 1
    return bench


def test_the_search_for_traces_finds_what_is_there(bench: Workbench) -> None:
    bench.archive(TALK.records())
    found = " ".join(bench.traces())
    for place in ("memory.db", "raw records", "index words", "index trigrams"):
        assert place in found


def test_forgetting_leaves_no_byte_and_the_neighbours_whole(forgotten: Workbench) -> None:
    assert forgotten.traces() == []
    assert forgotten.questions() == KEPT
    assert [memory.exchange.answer for memory in forgotten.all()] == [
        "地図は `docs/harbour.md` にあります。",
        "The buoy is green.",
    ]
    assert forgotten.app.store.check() == []


def _again(records: list[Record]) -> list[Record]:
    return records


def _rewritten(records: list[Record]) -> list[Record]:
    return [{"type": "mode", "mode": "another beginning", "sessionId": TALK.id}, *records]


def _late(records: list[Record]) -> list[Record]:
    last = next(record for record in records if record.get("uuid") == TALK.uuid(1, "answer"))
    return [*records, follow(last, "late", **answer("zyxquark, again 鵺蛟", "late"))]


def _late_and_rewritten(records: list[Record]) -> list[Record]:
    return _rewritten(_late(records))


def _summarised(records: list[Record]) -> list[Record]:
    summary = follow(records[-1], "summary", **user("They spoke of zyxquark and 鵺蛟", isCompactSummary=True))
    return [*records, summary]


@pytest.mark.parametrize("change", [_again, _rewritten, _late, _late_and_rewritten, _summarised])
def test_the_transcript_does_not_bring_it_back(
    forgotten: Workbench, change: Callable[[list[Record]], list[Record]]
) -> None:
    for _ in range(2):
        forgotten.archive(change(TALK.records()))
        forgotten.app.store.purge()
        assert (forgotten.traces(), forgotten.questions()) == ([], KEPT)
    forgotten.archive(change(later(TALK, NEW)))
    forgotten.app.store.purge()
    assert (forgotten.traces(), forgotten.questions()) == ([], [*KEPT, NEW.question])
    assert forgotten.all()[-1].exchange.answer == NEW.answer


@pytest.mark.parametrize("copied", [fork, renamed], ids=["fork", "old resume"])
@pytest.mark.parametrize("change", [_again, _late])
def test_a_copy_does_not_bring_it_back(
    forgotten: Workbench,
    copied: Callable[[Sequence[Record], str], list[Record]],
    change: Callable[[list[Record]], list[Record]],
) -> None:
    forgotten.archive(copied(change(TALK.records()), "another"), name="b")
    forgotten.archive(copied(change(later(TALK, NEW)), "another"), name="b")
    forgotten.app.store.purge()
    assert (forgotten.traces(), forgotten.questions()) == ([], [*KEPT, NEW.question])


@pytest.mark.parametrize("copied", [fork, renamed], ids=["fork", "old resume"])
def test_forgetting_reaches_every_copy_at_once(
    bench: Workbench, copied: Callable[[Sequence[Record], str], list[Record]]
) -> None:
    bench.write("a", TALK.records())
    bench.write("b", copied(later(TALK, NEW), "another"))
    bench.sync()
    bench.forget(bench.find("zyxquark"))
    assert (bench.traces(), bench.questions()) == ([], [*KEPT, NEW.question])
    late = copied(_late(later(TALK, NEW)), "another")
    bench.archive(late, name="b")
    bench.app.store.purge()
    assert (bench.traces(), bench.questions()) == ([], [*KEPT, NEW.question])


def _queued(*, sent: bool) -> list[Record]:
    """Return a talk in which the words were typed into the queue while the first answer was written."""
    records = TALK.records()
    place = next(at for at, record in enumerate(records) if record.get("uuid") == TALK.uuid(0, "answer"))
    base = {"type": "queue-operation", "sessionId": TALK.id}
    text = str(TALK.turns[1].question)
    records.insert(
        place, {**base, "operation": "enqueue", "timestamp": "2026-03-02T01:00:05.000Z", "content": text}
    )
    if sent:
        records.insert(place + 2, {**base, "operation": "dequeue", "timestamp": "2026-03-02T01:00:30.000Z"})
        return records
    return [record for record in records if record.get("uuid") not in _uuids(1)]


def _uuids(number: int) -> set[str]:
    return {TALK.uuid(number, part) for part in ("prompt", "answer")}


@pytest.mark.parametrize("sent", [True, False], ids=["sent later", "in the queue only"])
def test_what_was_typed_into_the_queue_is_found_there(bench: Workbench, *, sent: bool) -> None:
    bench.archive(_queued(sent=sent))
    assert len(bench.all()) == 3
    bench.forget(bench.find("zyxquark"))
    assert (bench.traces(), bench.questions()) == ([], KEPT)
    for change in (_again, _rewritten):
        bench.archive(change(_queued(sent=sent)))
        bench.app.store.purge()
        assert (bench.traces(), bench.questions()) == ([], KEPT)


@pytest.mark.parametrize("sent", [True, False], ids=["sent later", "in the queue only"])
def test_a_queued_prompt_outlives_the_turn_it_was_typed_in(bench: Workbench, *, sent: bool) -> None:
    bench.archive(_queued(sent=sent))
    before = bench.find("zyxquark")
    bench.forget(bench.find("港の地図"))
    bench.archive(_rewritten(_queued(sent=sent)))
    assert bench.find("zyxquark") == before
    assert len(bench.all()) == 2


def _with_shell_line() -> list[Record]:
    """Return a talk in which `! grep …` was typed right before the last prompt, which hears of it."""
    records = TALK.records()
    last = next(at for at, record in enumerate(records) if record.get("uuid") == TALK.uuid(2, "prompt"))
    line = follow(records[last - 1], "shell", **user("<bash-input>grep wolpertinger</bash-input>"))
    return [*records[:last], line, {**records[last], "parentUuid": line["uuid"]}, *records[last + 1 :]]


def test_a_shell_line_goes_with_the_turn_that_hears_of_it(bench: Workbench) -> None:
    bench.archive(_with_shell_line())
    heard = bench.find("wolpertinger")
    assert heard.exchange.question == KEPT[1]
    bench.forget(bench.find("zyxquark"))
    bench.archive(_rewritten(_with_shell_line()))
    assert bench.find("wolpertinger") == heard
    bench.forget(heard)
    assert bench.traces(*WORDS, "wolpertinger") == []
    assert bench.questions() == KEPT[:1]


def test_a_question_that_was_sent_twice_is_forgotten_twice(bench: Workbench) -> None:
    records = TALK.records()
    place = next(at for at, record in enumerate(records) if record.get("uuid") == TALK.uuid(1, "prompt"))
    first = follow(records[place - 1], "first try", **user(TALK.turns[1].question))
    records[place:] = [first, {**records[place], "parentUuid": first["uuid"]}, *records[place + 1 :]]
    bench.archive(records)
    assert len(bench.all()) == 3
    bench.forget(bench.find("zyxquark"))
    bench.archive(_rewritten(records))
    bench.app.store.purge()
    assert (bench.traces(), bench.questions()) == ([], KEPT)


def test_a_whole_session_leaves_no_word_but_what_is_said_later_is_new(bench: Workbench) -> None:
    command = user("<command-name>/review</command-name>\n<command-args>wolpertinger</command-args>")
    records = [*TALK.records(), follow(TALK.records()[-1], "command", **command)]
    bench.archive(records)
    agent = [
        {**record, "isSidechain": True, "agentId": "a1"}
        for record in Session("agent", (Turn("Warmup", "I am a wolpertinger."),)).records()
    ]
    agent = [{**record, "sessionId": TALK.id} for record in agent]
    bench.archive(agent, name="agent-a1")
    other = Session("other", (Turn("Is it late?", "It is."),))
    bench.archive(other.records(), name="other")
    bench.forget(*(memory for memory in bench.all() if memory.exchange.session == TALK.id))
    assert bench.traces(*WORDS, "wolpertinger", "buoy", "harbour") == []
    assert bench.questions() == ["Is it late?"]
    bench.archive([*records, follow(records[-1], "on", **user("wie weiter"))])
    assert sorted(bench.questions()) == ["Is it late?", "wie weiter"]


def test_a_new_sync_may_not_put_back_what_it_read_before(bench: Workbench) -> None:
    bench.archive(TALK.records())
    store = bench.app.store
    before = family_of(store, [bench.find("zyxquark").exchange])
    bench.forget(bench.find("zyxquark"))
    with pytest.raises(StoreBusyError, match="run the command again"):
        store.forget([], dict(before.segments), expected=before.sources)
    assert store.commit([Change(before.changes(before.lines))]).stale
    assert bench.traces() == []


def _forget(bench: Workbench, tools: Tools) -> None:
    forget([bench.find("zyxquark").exchange], store=bench.app.store, tools=tools)


def _edit(bench: Workbench, tools: Tools) -> None:
    exchange = bench.find("zyxquark").exchange
    edit(exchange, question="mine", followups=(), answer="", store=bench.app.store, tools=tools)


def _scrub(bench: Workbench, tools: Tools) -> None:
    scrub(store=bench.app.store, tools=tools)


class _ZyxquarkRules:
    """Takes the words of the talk for secrets."""

    def redact(self, text: str) -> tuple[str, int]:
        masked = re.sub("|".join(WORDS), "[REDACTED:word]", text)
        return masked, int(masked != text)


@pytest.mark.parametrize("change", [_forget, _edit, _scrub])
def test_what_another_process_archives_in_between_is_kept(
    bench: Workbench, tmp_path: Path, change: Callable[[Workbench, Tools], None]
) -> None:
    bench.archive(TALK.records())
    bench.write("a", later(TALK, NEW))
    tools = bench.app.tools
    syncs: list[Report] = []

    def interfere() -> None:
        if not syncs:
            with workbench(tmp_path) as other:
                syncs.append(other.sync())

    def project_of(cwd: str | None) -> str:
        interfere()
        return tools.project_of(cwd)

    def new_redactor() -> _ZyxquarkRules:
        if change is _scrub:
            interfere()
        return _ZyxquarkRules()

    change(bench, replace(tools, project_of=project_of, new_redactor=new_redactor))
    assert syncs[0].new == 1
    assert bench.traces() == []
    assert bench.questions()[-1] == NEW.question
    result = rebuild(store=bench.app.store, tools=tools)
    assert (result.new, result.updated, result.deleted) == (0, 0, 0)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("ZYXQUARK", 1),  # case
        ("ｚｙｘｑｕａｒｋ", 1),  # width
        ("鵺", 1),  # one character
        ("green", 1),  # an answer
        ("。", 2),
        ("zyx%", 0),  # no pattern
    ],
)
def test_a_match_is_a_folded_substring(bench: Workbench, text: str, count: int) -> None:
    bench.archive(TALK.records())
    found = find_matches(text, EVERYTHING, store=bench.app.store, tools=bench.app.tools)
    assert len(found) == count


def test_many_exchanges_go_in_several_transactions(bench: Workbench) -> None:
    turns = tuple(Turn(f"Question {number}?", f"Answer {number}.") for number in range(40))
    bench.archive(Session("long", turns).records())
    steps: list[int] = []
    doomed = [memory.exchange for memory in bench.all()[5:]]
    forget(
        doomed,
        store=bench.app.store,
        tools=bench.app.tools,
        on_progress=lambda done, total: steps.append(done),
    )
    assert steps[-1] == 35
    assert len(steps) > 1
    assert len(bench.all()) == 5
    assert bench.sync().new == 0
    assert len(bench.all()) == 5


def test_imported_memories_can_be_forgotten_too(bench: Workbench, tmp_path: Path) -> None:
    with workbench(tmp_path / "other") as other:
        other.archive(TALK.records())
        memories = other.all()
    ready = indexed([memory.exchange for memory in memories], bench.app.tools)
    bench.app.store.restore(list(zip(memories, ready, strict=True)))
    bench.forget(bench.find("zyxquark"))
    assert (bench.traces(), bench.questions()) == ([], KEPT)
    bench.archive(TALK.records())
    bench.app.store.purge()
    assert (bench.traces(), bench.questions()) == ([], KEPT)
