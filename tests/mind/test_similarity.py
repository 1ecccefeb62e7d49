from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.embedding.fake import FakeEmbedder
from sui_memory.errors import UsageError
from sui_memory.mind.consolidation import together
from sui_memory.mind.similarity import percentile, strength
from sui_memory.store.kept import Activation, LinkType, Slept
from tests.mind.conftest import NOW


def vectors(count):
    return FakeEmbedder().embed_documents([f"alpha{n} beta{n * 7}" for n in range(count)])


def test_the_threshold_lies_above_all_but_one_in_200_of_random_pairs():
    sample = vectors(100)
    least = percentile(sample)
    cosines = [sum(a * b for a, b in zip(one, other, strict=True)) for one, other in combinations(sample, 2)]
    above = sum(cosine > least + 1e-6 for cosine in cosines)
    assert above <= 0.005 * len(cosines)
    assert least == pytest.approx(sorted(cosines)[int(0.995 * len(cosines))], abs=0.05)


def test_of_vectors_that_all_differ_one_pair_in_200_lies_above():
    drawn = np.random.default_rng(5).normal(size=(200, 16))
    unit = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    least = percentile(unit.tolist())
    above = sum(float(one @ other) > least for one, other in combinations(unit, 2))
    assert 0.0045 < above / (200 * 199 / 2) < 0.0055


@pytest.mark.parametrize("count", [0, 1, 20])
def test_too_few_vectors_tell_no_threshold(count):
    assert percentile(vectors(count)) is None


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_a_tie_is_between_half_strength_and_full_and_grows_with_the_cosine(cosine, least):
    assert 0.5 <= strength(cosine, least) <= 1
    assert strength(cosine, least) <= strength(min(1.0, cosine + 0.1), least)
    assert strength(least, least) in (0.5, 1.0)


def test_the_threshold_is_computed_anew_only_when_the_archive_has_doubled(world):
    similarity = world.mind._similarity
    assert similarity.threshold() is None
    world.keep_crowd(30)
    first = similarity._threshold, similarity.threshold()
    assert first[1] is not None
    kept = similarity._threshold
    world.keep_crowd(10)
    similarity.threshold()
    assert similarity._threshold is kept
    world.keep_crowd(60)
    similarity.threshold()
    assert similarity._threshold is not kept
    assert similarity._threshold.vectors == 100


def test_each_pair_of_a_moment_is_counted_once_however_often_it_was_noted():
    later = NOW.replace(hour=10)
    events = [Activation(name, NOW) for name in "baab"] + [Activation(name, later) for name in "cab"]
    assert together(events) == {("a", "b"): 2, ("a", "c"): 1, ("b", "c"): 1}


def test_of_one_moment_only_the_first_ten_are_paired():
    assert len(together([Activation(f"{n:02}", NOW) for n in range(50)])) == 45


def test_consolidation_strengthens_links_of_what_was_called_to_mind_together(world):
    mind = world.mind
    one, other = mind.remember("lighthouse one").id, mind.remember("lighthouse two").id
    apart = mind.remember("harbour").id
    mind.search("lighthouse")
    mind.search("harbour")
    done = mind.consolidate(link_update_strength=0.2)
    assert (done.replayed, done.moments, done.strengthened) == (3, 2, 1)
    (link,) = mind.links(one)
    assert {link.source_id, link.target_id} == {one, other}
    assert (link.type, link.strength) == (LinkType.RELATED, pytest.approx(0.2))
    assert mind.links(apart) == []
    mind.search("lighthouse")
    mind.consolidate()
    assert mind.links(one)[0].strength == pytest.approx(0.6)
    for _ in range(3):
        mind.consolidate()
    assert mind.links(one)[0].strength == 1


def test_consolidation_replays_only_its_window_and_so_many_events(world):
    mind = world.mind
    mind.remember("lighthouse one")
    mind.remember("lighthouse two")
    mind.search("lighthouse")
    assert mind.consolidate(max_replay_events=1).replayed == 1
    world.pass_time(hours=25)
    assert mind.consolidate().replayed == 0
    assert mind.consolidate(window_hours=26).replayed == 2


def test_consolidation_makes_the_similarity_links_that_were_missing_and_none_twice(world):
    ids = world.keep_crowd()
    late = world.mind.remember("alpha3 beta21 gamma39 again").id
    world.app.embed()
    before = world.mind.links(late)
    assert before[0].type is LinkType.SIMILAR
    world.kept.unlink(late, ids[3])
    world.app.__dict__.pop("mind")  # as another process would look at it
    assert world.app.mind.consolidate().linked == len(before)
    assert world.app.mind.links(late)[0].target_id == ids[3]
    assert world.app.mind.consolidate().linked == 0


def test_what_was_kept_without_a_model_is_tied_when_it_gets_its_vector(world):
    ids = world.keep_crowd()
    world.app._embedders.clear()
    late = world.mind.remember("alpha3 beta21 gamma39 again").id
    assert world.mind.links(late) == []
    world.app.embed()
    assert ids[3] in {link.target_id for link in world.mind.links(late)}


def test_other_words_are_tied_anew_when_they_get_their_vector(world):
    ids = world.keep_crowd()
    late = world.mind.remember("alpha3 beta21 gamma39 again").id
    world.app.embed()
    world.app._embedders.clear()
    world.mind.update(late, content="alpha5 beta35 gamma65 again")
    assert world.mind.links(late) == []
    world.app.embed()
    assert ids[5] in {link.target_id for link in world.mind.links(late)}
    assert ids[3] not in {link.target_id for link in world.mind.links(late)}


def test_likes_are_looked_for_once_by_one_mind(world):
    world.keep_crowd()
    world.mind.tie_likes()
    similarity = world.mind._similarity
    assert similarity.fresh(world.kept.vectors([kept.id for kept in world.mind.recent(100)])) == {}
    assert world.mind.tie_likes() == 0


def test_consolidation_passes_over_what_is_at_rest(world):
    mind = world.mind
    one = mind.remember("lighthouse one", importance=1).id
    mind.remember("lighthouse two")
    mind.search("lighthouse")
    world.kept.sleep(Slept(forgotten=(one,)))
    assert mind.consolidate().strengthened == 0
    assert mind.links(one) == []


@pytest.mark.parametrize(
    "given",
    [
        {"window_hours": 0},
        {"window_hours": float("nan")},
        {"max_replay_events": 0},
        {"link_update_strength": 2},
    ],
)
def test_a_consolidation_of_no_sense_is_refused(mind, given):
    with pytest.raises(UsageError):
        mind.consolidate(**given)
