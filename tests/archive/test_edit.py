"""The user's own words take the place of what was said, for good."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from sui_memory.archive.editing import edit
from sui_memory.archive.rebuilding import rebuild
from sui_memory.types import Memory
from tests.archive.workbench import TALK, Record, Workbench, answer, follow, fork, later, renamed
from tests.builders import SECRET, Turn

NEW = Turn("And the lighthouse?", "The lighthouse is white.")


def change(bench: Workbench, memory: Memory, question: str, reply: str = "教えません。") -> None:
    edit(
        memory.exchange,
        question=question,
        followups=(),
        answer=reply,
        store=bench.app.store,
        tools=bench.app.tools,
    )


@pytest.fixture
def edited(bench: Workbench) -> Workbench:
    """An archive of the talk, with other words in its second exchange."""
    bench.archive(TALK.records())
    change(bench, bench.find("zyxquark"), "合言葉は何？")
    return bench


def test_the_old_words_are_gone_from_every_byte(edited: Workbench) -> None:
    assert edited.traces() == []
    assert edited.questions() == ["港の地図はどこ？", "合言葉は何？", "What colour is the buoy?"]
    memory = edited.find("合言葉は何")
    assert (memory.edited, memory.exchange.answer) == (True, "教えません。")
    assert edited.app.search("合言葉").hits[0].memory == memory
    assert edited.app.store.check() == []


def test_only_the_words_change(bench: Workbench) -> None:
    bench.archive(TALK.records())
    before = bench.find("zyxquark").exchange
    change(bench, bench.find("zyxquark"), "合言葉は何？")
    after = bench.find("合言葉は何").exchange
    names = ("key", "fingerprint", "session", "project", "asked_at", "answered_at", "uuids", "status")
    assert [getattr(after, name) for name in names] == [getattr(before, name) for name in names]


def _late(records: list[Record]) -> list[Record]:
    last = next(record for record in records if record.get("uuid") == TALK.uuid(1, "answer"))
    return [*records, follow(last, "late", **answer("zyxquark, again 鵺蛟", "late"))]


def _rewritten(records: list[Record]) -> list[Record]:
    return [{"type": "mode", "mode": "another beginning", "sessionId": TALK.id}, *_late(records)]


@pytest.mark.parametrize("grown", [_late, _rewritten])
def test_later_syncs_and_a_rebuild_leave_it_alone(
    edited: Workbench, grown: Callable[[list[Record]], list[Record]]
) -> None:
    before = edited.find("合言葉は何")
    edited.archive(grown(later(TALK, NEW)))
    rebuild(store=edited.app.store, tools=edited.app.tools)
    edited.app.store.purge()
    assert edited.find("合言葉は何") == before
    assert edited.traces() == []
    assert edited.questions()[2:] == ["What colour is the buoy?", NEW.question]


@pytest.mark.parametrize("copied", [fork, renamed], ids=["fork", "old resume"])
def test_a_copy_does_not_bring_the_old_words_back(
    edited: Workbench, copied: Callable[[Sequence[Record], str], list[Record]]
) -> None:
    edited.archive(copied(_late(later(TALK, NEW)), "another"), name="b")
    edited.app.store.purge()
    assert edited.traces() == []
    assert len(edited.all()) == 4


def test_new_words_are_redacted(edited: Workbench) -> None:
    change(edited, edited.find("合言葉は何"), f"key {SECRET}?", "パスワード：ひみつ123")
    memory = next(memory for memory in edited.all() if memory.edited)
    assert "[REDACTED:" in memory.exchange.question
    assert "ひみつ123" not in memory.exchange.answer
    assert edited.traces(SECRET, "ひみつ123") == []


def test_an_edited_memory_can_be_edited_again_and_forgotten(edited: Workbench) -> None:
    change(edited, edited.find("合言葉は何"), "wolpertinger?")
    assert edited.traces("合言葉") == []
    edited.forget(edited.find("wolpertinger"))
    edited.archive(_rewritten(later(TALK, NEW)))
    edited.app.store.purge()
    assert edited.traces("wolpertinger", "zyxquark") == []
    assert edited.questions() == ["港の地図はどこ？", "What colour is the buoy?", NEW.question]
