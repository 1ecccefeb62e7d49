"""What every ledger does. A backend's tests subclass this and give it a `ledger` and its `store`."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sui_memory.store import MemoryStore
from sui_memory.store.ledger import REFUSED, Injection, Ledger, Shown
from sui_memory.types import Usage
from tests.store.samples import START, change, exchange, source

MEMORIES = [exchange(f"k{number}") for number in range(1, 6)]
TRACE = (("words", 0.75), ("vectors", 0.5), ("score", 0.61))


def injection(*memories: int, minute: int = 0, session: str = "s1", **fields: Any) -> Injection:
    """Return an injection that showed the memories of these numbers."""
    shown = tuple(Shown(MEMORIES[number].id, 0.9 - number / 10, TRACE) for number in memories)
    values = {
        "at": START + timedelta(minutes=minute),
        "session": session,
        "event": "UserPromptSubmit",
        "prompt_hash": "a" * 32,
        "silence": None if shown else "nothing stands out",
        "memories": shown,
        "characters": 500 * len(shown),
        "milliseconds": 12.5,
        "model": "m",
        **fields,
    }
    return Injection(**values)


def ids(*numbers: int) -> set[str]:
    """Return the ids of the memories of these numbers."""
    return {MEMORIES[number].id for number in numbers}


class LedgerBehaviour:
    """What every ledger does."""

    @pytest.fixture(autouse=True)
    def _archived(self, store: MemoryStore) -> None:
        store.commit([change(*MEMORIES)])

    @pytest.mark.parametrize(
        "one",
        [
            injection(2, 0),
            injection(),
            injection(1, model=None, late=True),
            injection(1, session="4be16b9d-0ebd-4d0a-9b7b-8f6b6f2f4c9e", event="SessionStart"),
            injection(silence="こんにちは", prompt_hash=""),
            injection(refused=injection(3, 1, 2).memories),
        ],
    )
    def test_an_injection_comes_back_as_it_was(self, ledger: Ledger, one: Injection) -> None:
        number = ledger.record(one)
        assert ledger.injection(number) == replace(one, id=number)
        assert ledger.injection(number + 1) is None

    def test_ids_grow_and_the_newest_comes_first(self, ledger: Ledger) -> None:
        # A clock may be set back: the order is that of recording.
        numbers = [ledger.record(injection(0, minute=-minute)) for minute in range(5)]
        assert numbers == sorted(set(numbers))
        assert [one.id for one in ledger.injections(10)] == numbers[::-1]
        assert [one.id for one in ledger.injections(2, 1)] == [numbers[3], numbers[2]]

    def test_the_list_can_leave_out_silence_and_other_sessions(self, ledger: Ledger) -> None:
        shown, silent = ledger.record(injection(0)), ledger.record(injection())
        other = ledger.record(injection(1, session="s2"))
        assert [one.id for one in ledger.injections(10, silent=False)] == [other, shown]
        assert [one.id for one in ledger.injections(10, session="s1")] == [silent, shown]
        assert [one.id for one in ledger.injections(10, session="s1", silent=False)] == [shown]
        assert ledger.injections(10, session="unknown") == []

    def test_a_memory_knows_who_was_shown_it(self, ledger: Ledger) -> None:
        first = ledger.record(injection(0, 1))
        ledger.record(injection(1))
        second = ledger.record(injection(2, 0, session="s2"))
        found = ledger.of_memory(MEMORIES[0].id, 10)
        assert [one.id for one in found] == [second, first]
        assert len(found[0].memories) == 2
        assert [one.id for one in ledger.of_memory(MEMORIES[0].id, 1)] == [second]
        assert ledger.of_memory("unknown", 10) == []

    def test_a_session_remembers_what_it_was_shown_until_it_is_compacted(self, ledger: Ledger) -> None:
        ledger.record(injection(0, 1, minute=1))
        ledger.record(injection(1, 2, minute=2))
        ledger.record(injection(4, minute=2, session="s2"))
        assert ledger.shown("s1") == ids(0, 1, 2)
        assert ledger.compacted_at("s1") is None
        ledger.compact("s1", START + timedelta(minutes=3))
        assert ledger.compacted_at("s1") == START + timedelta(minutes=3)
        assert ledger.shown("s1") == frozenset()
        assert ledger.shown("s2") == ids(4)
        ledger.record(injection(1, minute=4))
        assert ledger.shown("s1") == ids(1)

    def test_a_compaction_that_is_noted_late_spares_what_came_after_it(self, ledger: Ledger) -> None:
        ledger.record(injection(0, minute=1))
        ledger.record(injection(1, minute=3))
        ledger.compact("s1", START + timedelta(minutes=2))
        assert ledger.shown("s1") == ids(1)
        ledger.compact("s1", START + timedelta(minutes=2))
        assert ledger.shown("s1") == ids(1)

    def test_a_clock_set_back_after_a_compaction_hides_nothing(self, ledger: Ledger) -> None:
        ledger.record(injection(0, minute=60))
        ledger.compact("s1", START + timedelta(minutes=61))
        ledger.record(injection(1, minute=5))
        assert ledger.shown("s1") == ids(1)
        ledger.compact("s1", START + timedelta(minutes=6))
        assert ledger.shown("s1") == frozenset()

    def test_the_last_answer_to_a_hook_is_known_by_name(self, ledger: Ledger) -> None:
        assert ledger.latest(["UserPromptSubmit"]) is None
        ledger.record(injection(0, minute=1))
        ledger.record(injection(minute=2, event="SessionStart"))
        ledger.record(injection(minute=3))
        assert ledger.latest(["SessionStart"]) == START + timedelta(minutes=2)
        assert ledger.latest(["SessionStart", "UserPromptSubmit"]) == START + timedelta(minutes=3)
        assert ledger.latest([]) is None

    def test_nothing_of_a_forgotten_memory_stays(self, ledger: Ledger, store: MemoryStore) -> None:
        number = ledger.record(injection(0, 1, 2))
        store.forget([MEMORIES[1].key], {})
        found = ledger.injection(number)
        assert found is not None
        assert [shown.memory_id for shown in found.memories] == [MEMORIES[0].id, MEMORIES[2].id]
        assert found.forgotten == 1
        assert ledger.shown("s1") == ids(0, 2)
        assert ledger.of_memory(MEMORIES[1].id, 10) == []
        ledger.record(injection(1, session="s2"))
        store.forget([one.key for one in MEMORIES], {})
        assert [one.forgotten for one in ledger.injections(10, session="s2", silent=False)] == [1]
        assert store.check() == []

    def test_what_was_refused_was_not_shown(self, ledger: Ledger) -> None:
        ledger.record(injection(refused=injection(0, 1).memories))
        number = ledger.record(injection(2))
        assert ledger.shown("s1") == ids(2)
        assert ledger.of_memory(MEMORIES[0].id, 10) == []
        assert [one.id for one in ledger.injections(10, silent=False)] == [number]

    def test_of_what_was_refused_the_best_are_kept(self, ledger: Ledger) -> None:
        many = injection(4, 2, 0, 1).memories
        found = ledger.injection(ledger.record(injection(refused=many)))
        assert found is not None
        assert found.refused == many[:REFUSED]

    def test_numbers_of_a_trace_are_kept_as_they_are_printed(self, ledger: Ledger) -> None:
        shown = Shown(MEMORIES[0].id, 0.5, (("words", 1 / 3),))
        found = ledger.injection(ledger.record(injection(memories=(shown,), silence=None)))
        assert found is not None
        assert found.memories[0].trace == (("words", 0.333333),)

    def test_nothing_of_a_forgotten_memory_stays_where_it_was_refused(
        self, ledger: Ledger, store: MemoryStore
    ) -> None:
        number = ledger.record(injection(refused=injection(0, 1, 2).memories))
        store.forget([MEMORIES[1].key], {})
        late = ledger.record(injection(refused=injection(1, 2).memories))
        for one in (number, late):
            found = ledger.injection(one)
            assert found is not None
            assert MEMORIES[1].id not in {refused.memory_id for refused in found.refused}
            assert MEMORIES[2].id in {refused.memory_id for refused in found.refused}
            assert found.forgotten == 0
        assert store.check() == []

    def test_a_session_of_which_all_is_forgotten_was_never_there(
        self, ledger: Ledger, store: MemoryStore
    ) -> None:
        ledger.record(injection(0))
        ledger.record(injection())
        ledger.compact("s1", START)
        other = ledger.record(injection(session="s2"))
        store.forget([one.key for one in MEMORIES[1:]], {})
        assert len(ledger.injections(10, session="s1")) == 2
        store.forget([MEMORIES[0].key], {})
        assert [one.id for one in ledger.injections(10)] == [other]
        assert ledger.compacted_at("s1") is None

    def test_a_memory_forgotten_before_it_is_noted_is_only_counted(
        self, ledger: Ledger, store: MemoryStore
    ) -> None:
        store.forget([MEMORIES[1].key], {})
        found = ledger.injection(ledger.record(injection(1, 0)))
        assert found is not None
        assert [shown.memory_id for shown in found.memories] == [MEMORIES[0].id]
        assert found.forgotten == 1

    def test_new_words_of_a_memory_leave_its_past(self, ledger: Ledger, store: MemoryStore) -> None:
        number = ledger.record(injection(0))
        changed = replace(MEMORIES[0], answer="棚の上です")
        assert store.commit([change(changed, before=source(), offset=20)]).updated == 1
        assert [one.id for one in ledger.of_memory(changed.id, 10)] == [number]

    @settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(st.text(max_size=40).filter(lambda text: text.isprintable()), st.text("ab-0", max_size=40))
    def test_any_session_is_told_apart(self, ledger: Ledger, session: str, event: str) -> None:
        number = ledger.record(injection(0, session=session, event=event))
        assert ledger.injections(1, session=session)[0].id == number
        assert ledger.injections(1)[0] == injection(0, session=session, event=event, id=number)

    def test_only_what_was_judged_counts_as_shown(self, ledger: Ledger) -> None:
        first, second, third = (ledger.record(injection(0, 1, 2)) for _ in range(3))
        ledger.judge(first, {MEMORIES[0].id: True, MEMORIES[1].id: False, MEMORIES[2].id: None})
        ledger.judge(second, {MEMORIES[0].id: False, MEMORIES[1].id: False, MEMORIES[3].id: True})
        usages = ledger.feedback([one.id for one in MEMORIES] + ["nobody"])
        assert usages == {MEMORIES[0].id: Usage(2, 1), MEMORIES[1].id: Usage(2, 0)}
        assert ledger.feedback([]) == {}
        assert [one.id for one in ledger.unjudged("s1", 10)] == [third]

    def test_only_prompts_of_the_session_that_were_shown_something_wait_for_a_verdict(
        self, ledger: Ledger
    ) -> None:
        number = ledger.record(injection(0))
        ledger.record(injection())
        ledger.record(injection(1, session="s2"))
        ledger.record(injection(1, prompt_hash="", event="SessionStart"))
        later = ledger.record(injection(1, minute=1))
        assert [one.id for one in ledger.unjudged("s1", 10)] == [later, number]
        assert [one.id for one in ledger.unjudged("s1", 1)] == [later]
        ledger.judge(later, {MEMORIES[1].id: None})
        assert [one.id for one in ledger.unjudged("s1", 10)] == [number]

    def test_a_verdict_that_is_given_twice_counts_once(self, ledger: Ledger) -> None:
        number = ledger.record(injection(0))
        for verdict in (False, True, True):
            ledger.judge(number, {MEMORIES[0].id: verdict})
        assert ledger.feedback([MEMORIES[0].id]) == {MEMORIES[0].id: Usage(1, 1)}

    def test_the_usage_of_a_forgotten_memory_is_forgotten(self, ledger: Ledger, store: MemoryStore) -> None:
        number = ledger.record(injection(0, 1))
        ledger.judge(number, {MEMORIES[0].id: True, MEMORIES[1].id: True})
        store.forget([MEMORIES[0].key], {})
        assert ledger.feedback([MEMORIES[0].id, MEMORIES[1].id]) == {MEMORIES[1].id: Usage(1, 1)}
        store.forget([MEMORIES[1].key], {}, tombstone=False)
        store.commit([change(MEMORIES[1], before=source(), offset=30)])
        assert ledger.feedback([MEMORIES[1].id]) == {}
