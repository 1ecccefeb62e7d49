"""What today's rules call a secret is masked in everything that was stored under older ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sui_memory.archive.editing import edit
from sui_memory.archive.family import indexed
from sui_memory.archive.rebuilding import rebuild
from sui_memory.archive.scrubbing import Scrubbed, scrub
from sui_memory.archive.tools import Tools
from sui_memory.types import Memory
from tests.archive.workbench import TALK, Record, Workbench, follow, fork, later, user
from tests.builders import Turn


class OldRules:
    """Knows no secret at all."""

    def redact(self, text: str) -> tuple[str, int]:
        return text, 0


WORD = "wolperting77"
LABELLED = f"password={WORD}"
NEW = Turn(f"Try {LABELLED} then.", f"With {LABELLED} it works.")
QUEUED: Record = {
    "type": "queue-operation",
    "operation": "enqueue",
    "sessionId": TALK.id,
    "timestamp": "2026-03-02T01:00:05.000Z",
    "content": f"also {LABELLED}",
}


@pytest.fixture
def old(bench: Workbench) -> Workbench:
    """An archive made under old rules: a secret in a talk, in its fork, and in the queue alone."""
    new_rules = bench.app.tools
    bench.app.tools = without_rules(new_rules)
    talk = TALK.records()
    records = [*talk[:2], QUEUED, *later(TALK, NEW)[2:]]
    bench.write("a", records)
    bench.write("b", fork(records, "another"))
    bench.sync()
    bench.app.tools = new_rules
    return bench


def without_rules(tools: Tools) -> Tools:
    return replace(tools, new_redactor=OldRules)


def run(bench: Workbench, *, dry_run: bool = False) -> Scrubbed:
    return scrub(store=bench.app.store, tools=bench.app.tools, dry_run=dry_run)


def test_the_secret_is_there_before(old: Workbench) -> None:
    assert len(old.all()) == 5
    assert len(old.traces(WORD)) > 2


def test_nothing_of_it_is_left_after_and_every_exchange_keeps_its_key(old: Workbench) -> None:
    before = {memory.exchange.key: memory.exchange for memory in old.all()}
    old.app.store.pin(old.find("also").id, pinned=True)
    found = run(old)
    assert (found.values, found.exchanges) == (3, 2)
    assert found.records >= 6
    assert old.traces(WORD) == []
    after = {memory.exchange.key: memory.exchange for memory in old.all()}
    assert after.keys() == before.keys()
    assert sum(after[key] != before[key] for key in after) == 2
    assert old.find("also").pinned
    assert old.app.store.check() == []


def test_a_second_scrub_a_rebuild_and_a_sync_find_nothing_to_do(old: Workbench) -> None:
    run(old)
    before = old.all()
    assert run(old) == Scrubbed()
    assert rebuild(store=old.app.store, tools=old.app.tools).updated == 0
    old.write("a", [*[*TALK.records()[:2], QUEUED, *later(TALK, NEW)[2:]]])
    assert old.sync().new == 0
    assert old.all() == before
    old.app.store.purge()
    assert old.traces(WORD) == []


def test_a_dry_run_counts_the_same_and_changes_nothing(old: Workbench) -> None:
    before = old.all(), old.raw()
    counted = run(old, dry_run=True)
    assert (old.all(), old.raw()) == before
    assert counted == run(old)


def test_words_of_the_user_and_imports_are_scrubbed_too(old: Workbench) -> None:
    run(old)
    buoy = old.find("buoy")
    edit(
        buoy.exchange,
        question=f"{LABELLED}?",
        followups=(LABELLED,),
        answer="green",
        store=old.app.store,
        tools=without_rules(old.app.tools),
    )
    imported = replace(buoy.exchange, key="k", fingerprint="f", question=LABELLED, files=(f"/x/{LABELLED}",))
    old.app.store.restore([(Memory(imported), indexed([imported], old.app.tools)[0])])
    assert run(old) == Scrubbed(values=4, exchanges=2)
    assert old.traces(WORD) == []
    marks = {memory.exchange.key: memory.edited for memory in old.all()}
    assert marks[buoy.exchange.key]
    assert not marks["k"]
    assert run(old) == Scrubbed()


def test_raw_records_outside_any_exchange_are_scrubbed(bench: Workbench) -> None:
    new_rules = bench.app.tools
    bench.app.tools = without_rules(new_rules)
    records = TALK.records()
    bench.archive([*records, follow(records[-1], "summary", **user(LABELLED, isCompactSummary=True))])
    bench.app.tools = new_rules
    assert run(bench) == Scrubbed(records=1)
    assert bench.traces(WORD) == []
