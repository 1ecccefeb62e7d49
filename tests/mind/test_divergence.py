from __future__ import annotations

import itertools
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.errors import UsageError
from sui_memory.mind.association import strongest
from sui_memory.mind.divergence import Walk, drawn, path_strength, seed_of, spread, walked
from sui_memory.mind.ports import Step
from sui_memory.store.kept import Slept

names = st.sampled_from("abcdefgh")
steps = st.builds(Step, names, names, st.just("related"), st.floats(0.01, 1))
graphs = st.lists(steps, max_size=40)


def ties_in(graph):
    def ties_of(ids):
        return strongest(ids, [step for step in graph if step.source_id in ids])

    return ties_of


@given(graphs, st.lists(names, max_size=3), st.integers(1, 4), st.integers(1, 6), st.integers())
def test_a_walk_is_the_same_for_a_seed_and_its_paths_hang_together(graph, starts, branches, depth, seed):
    walk = Walk(branches, depth, 0.7, seed)
    reached = walked(starts, ties_in(graph), walk)
    assert list(reached.items()) == list(walked(starts, ties_in(graph), walk).items())
    assert not set(reached) & set(starts)
    for name, path in reached.items():
        assert path[0].source_id in starts
        assert path[-1].target_id == name
        assert len(path) <= depth
        assert all(here.target_id == there.source_id for here, there in itertools.pairwise(path))


@given(graphs, st.integers(1, 3))
def test_no_memory_is_left_by_more_branches_than_are_allowed(graph, branches):
    reached = walked("a", ties_in(graph), Walk(branches, 6))
    assert all(
        count <= branches for count in Counter(path[-1].source_id for path in reached.values()).values()
    )


@given(graphs, st.integers(1, 4))
def test_what_lies_around_a_memory_is_reached_by_the_shortest_way(graph, depth):
    reached = spread("a", ties_in(graph), depth)
    assert "a" not in reached
    deeper = spread("a", ties_in(graph), depth + 1)
    assert all(deeper[name] == path for name, path in reached.items())
    assert all(len(path) <= depth for path in reached.values())


def test_a_low_temperature_follows_the_strongest_ties_and_a_high_one_any():
    ties = [Step("a", f"t{n}", "related", 0.9 if n == 0 else 0.3) for n in range(10)]
    random = Random(1)
    cold = [drawn(ties, 1, 0, random)[0].target_id for _ in range(200)]
    hot = [drawn(ties, 1, 5, random)[0].target_id for _ in range(200)]
    assert set(cold) == {"t0"}
    assert len(set(hot)) == 10


def test_a_draw_takes_no_tie_twice_and_all_when_there_are_few():
    ties = [Step("a", f"t{n}", "related", 0.5) for n in range(3)]
    assert sorted(step.target_id for step in drawn(ties, 5, 0.7, Random(1))) == ["t0", "t1", "t2"]


def test_a_long_path_is_as_strong_as_its_ties_are_on_average():
    half = Step("a", "b", "related", 0.5)
    assert path_strength(()) == 1
    assert path_strength((half,)) == path_strength((half, half, half)) == pytest.approx(0.5)


def test_the_seed_follows_from_the_context_unless_it_is_given():
    assert seed_of("海") == seed_of("海") != seed_of("山")
    assert seed_of("海", 7) == 7
    assert isinstance(seed_of("\ud800"), int)


def chain_of(world, *texts):
    """Keep texts, each leading to the next, and return their ids."""
    ids = [world.mind.remember(text).id for text in texts]
    for one, other in itertools.pairwise(ids):
        world.mind.link(one, other, "leads_to")
    return ids


def test_a_walk_reaches_what_the_words_do_not_and_tells_the_way(world):
    ids = chain_of(world, "lighthouse", "a storm in March", "the broken window", "a new carpenter")
    found = {association.id: association for association in world.mind.recall_divergent("lighthouse")}
    assert list(found)[-1] == ids[0]
    assert found[ids[0]].path == ()
    assert [step.target_id for step in found[ids[3]].path] == ids[1:]
    assert {step.tie for step in found[ids[3]].path} == {"leads_to"}
    assert world.kept.activations()[0].memory_id in ids


def test_depth_and_number_of_results_limit_a_walk(world):
    ids = chain_of(world, "lighthouse", "a storm in March", "the broken window", "a new carpenter")
    near = world.mind.recall_divergent("lighthouse", max_depth=1)
    assert {association.id for association in near} == {ids[0], ids[1]}
    assert len(world.mind.recall_divergent("lighthouse", n_results=2)) == 2


def test_the_same_context_walks_the_same_way(world):
    world.keep_crowd()
    world.talk(*[(f"alpha{n} question", "answer") for n in range(12)])
    first = world.mind.recall_divergent("alpha3 question")
    assert world.mind.recall_divergent("alpha3 question") == first
    assert any(association.path for association in first)


def test_a_walk_goes_through_episodes_talks_and_likeness_too(world):
    talk = world.talk(("lighthouse", "north"), ("what now?", "go home"))
    mate = world.mind.remember("a picnic").id
    world.mind.create_episode("outing", [talk[0], mate])
    crowd = world.keep_crowd()
    like = world.mind.remember("alpha3 beta21 gamma39 again").id
    ties = world.mind._ties.of([talk[0], like])
    assert {(step.target_id, step.tie) for step in ties[talk[0]]} >= {
        (mate, "episode"),
        (talk[1], "adjacent"),
    }
    assert crowd[3] in {step.target_id for step in ties[like] if step.tie in ("near", "similar")}


def test_what_was_kept_one_after_the_other_is_not_tied_by_that(world):
    one, other = world.mind.remember("lighthouse").id, world.mind.remember("harbour").id
    assert world.mind._ties.of([one, other]) == {one: [], other: []}


def test_a_walk_never_goes_to_what_is_at_rest(world):
    ids = chain_of(world, "lighthouse", "a storm in March", "the broken window")
    world.kept.sleep(Slept(forgotten=(ids[1],)))
    assert [association.id for association in world.mind.recall_divergent("lighthouse")] == [ids[0]]
    assert world.mind.causal_chain(ids[0], "forward") == []


def test_a_hit_comes_with_what_is_tied_to_it_as_far_as_it_is_asked(world):
    ids = chain_of(world, "lighthouse", "a storm in March", "the broken window", "a new carpenter")
    (found,) = world.mind.recall_with_associations("lighthouse")
    assert found.hit.memory.id == ids[0]
    assert [association.id for association in found.associations] == ids[1:3]
    (near,) = world.mind.recall_with_associations("lighthouse", chain_depth=1)
    assert [association.id for association in near.associations] == ids[1:2]


def test_nothing_comes_to_mind_of_an_empty_archive(mind):
    assert mind.recall_divergent("lighthouse") == []
    assert mind.recall_with_associations("lighthouse") == []


@pytest.mark.parametrize(
    "given",
    [
        {"context": ""},
        {"n_results": 0},
        {"max_branches": 0},
        {"max_branches": 11},
        {"max_depth": 7},
        {"temperature": -0.1},
        {"temperature": float("inf")},
    ],
)
def test_a_walk_of_no_sense_is_refused(mind, given):
    with pytest.raises(UsageError):
        mind.recall_divergent(**{"context": "x", **given})
