from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.mind.working import DECAYED, HALF_LIFE, activations
from sui_memory.store.kept import Activation, Slept
from tests.mind.conftest import NOW

ages = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 10**5)), max_size=30)


def events(pairs):
    return [Activation(name, NOW - timedelta(seconds=age)) for name, age in pairs]


def test_one_access_counts_half_after_each_half_life():
    for halves in range(5):
        level = activations([Activation("a", NOW - halves * HALF_LIFE)], NOW)["a"]
        assert level == pytest.approx(0.5**halves)


@given(ages)
def test_activation_is_the_sum_over_accesses_in_any_order(pairs):
    levels = activations(events(pairs), NOW)
    assert levels.keys() == {name for name, _ in pairs}
    for name, level in levels.items():
        assert level == pytest.approx(sum(0.5 ** (age / 3600) for other, age in pairs if other == name))
    again = activations(events(pairs)[::-1], NOW)
    assert again == pytest.approx(levels)


@given(ages, st.integers(1, 10**5))
def test_activation_never_grows_while_nothing_is_called_to_mind(pairs, seconds):
    before, after = (
        activations(events(pairs), NOW),
        activations(events(pairs), NOW + timedelta(seconds=seconds)),
    )
    assert all(after[name] < level for name, level in before.items())


def test_an_access_that_is_yet_to_come_counts_as_one_of_now():
    assert activations([Activation("a", NOW + timedelta(days=1))], NOW) == {"a": 1.0}


def test_working_memory_holds_what_was_called_to_mind_of_late_the_most_active_first(world):
    mind = world.mind
    rare, often = mind.remember("lighthouse").id, mind.remember("harbour").id
    mind.remember("never asked for")
    mind.search("lighthouse")
    mind.search("harbour")
    mind.search("harbour")
    assert [active.memory.id for active in mind.working()] == [often, rare]
    assert [active.memory.id for active in mind.working(1)] == [often]
    assert mind.working()[0].activation == pytest.approx(2, abs=0.01)


def test_refreshing_tells_what_decayed_and_deletes_nothing(world):
    mind = world.mind
    old, new = mind.remember("lighthouse").id, mind.remember("harbour").id
    mind.search("lighthouse")
    world.pass_time(hours=5)
    mind.search("harbour")
    refreshed = mind.refresh_working()
    assert [active.memory.id for active in refreshed.active] == [new]
    assert all(active.activation >= DECAYED for active in refreshed.active)
    assert refreshed.decayed == (old,)
    assert mind.get(old).id == old
    assert len(world.kept.activations()) == 2
    world.pass_time(days=2)
    assert (mind.refresh_working().active, mind.refresh_working().decayed) == ((), ())


def test_what_is_at_rest_is_not_in_working_memory(world):
    kept = world.mind.remember("lighthouse", importance=1)
    world.mind.search("lighthouse")
    world.kept.sleep(Slept(forgotten=(kept.id,)))
    assert world.mind.working() == []
