from __future__ import annotations

import pytest

from sui_memory.errors import NotFoundError, UsageError
from sui_memory.store.kept import LinkType, Slept


@pytest.fixture
def three(mind):
    return [mind.remember(text).id for text in ("a storm", "a power cut", "a lost file")]


def test_a_link_is_stored_with_its_note_redacted(mind, three):
    link = mind.link(three[1], three[0], "caused_by", "the password=hunter2secret was lost")
    assert (link.source_id, link.target_id, link.type) == (three[1], three[0], LinkType.CAUSED_BY)
    assert "hunter2secret" not in link.note
    assert mind.links(three[0]) == [link]


def test_a_link_made_again_is_replaced_and_grows_no_weaker(world, three):
    world.mind.link(three[0], three[1], "related", "first")
    world.kept.strengthen([(three[0], three[1])], 0.2)
    world.mind.link(three[0], three[1], "related", "second")
    (link,) = world.mind.links(three[0])
    assert (link.note, link.strength) == ("second", 1.0)


def test_links_that_make_no_sense_are_refused(mind, three):
    with pytest.raises(UsageError, match="must be one of related, caused_by, leads_to, contradicts, follows"):
        mind.link(three[0], three[1], "similar")
    with pytest.raises(UsageError, match="itself"):
        mind.link(three[0], three[0], "related")
    with pytest.raises(NotFoundError):
        mind.link(three[0], "nothing", "related")
    with pytest.raises(UsageError, match="The note has"):
        mind.link(three[0], three[1], "related", "x" * 501)
    assert mind.links(three[0]) == []


def test_causes_are_found_backward_and_consequences_forward_by_either_type(mind, three):
    storm, cut, lost = three
    mind.link(cut, storm, "caused_by")
    mind.link(cut, lost, "leads_to", "no backup")
    mind.link(storm, lost, "related")
    causes = mind.causal_chain(lost)
    assert [association.id for association in causes] == [cut, storm]
    assert [(step.tie, step.note) for step in causes[1].path] == [
        ("leads_to", "no backup"),
        ("caused_by", ""),
    ]
    assert [association.id for association in mind.causal_chain(storm, "forward")] == [cut, lost]
    assert mind.causal_chain(storm) == []
    assert [association.id for association in mind.causal_chain(lost, max_depth=1)] == [cut]


def test_a_circle_of_causes_is_walked_once(mind, three):
    for one, other in zip(three, [*three[1:], three[0]], strict=True):
        mind.link(one, other, "leads_to")
    assert [association.id for association in mind.causal_chain(three[0], "forward", 10)] == three[1:]


def test_a_chain_does_not_lead_to_what_is_at_rest(world, three):
    world.mind.link(three[0], three[1], "leads_to")
    world.mind.link(three[1], three[2], "leads_to")
    world.kept.sleep(Slept(forgotten=(three[1],)))
    assert world.mind.causal_chain(three[0], "forward") == []


def test_a_direction_or_depth_of_no_sense_is_refused(mind, three):
    with pytest.raises(UsageError, match="backward or forward"):
        mind.causal_chain(three[0], "sideways")
    with pytest.raises(UsageError, match="`max_depth`"):
        mind.causal_chain(three[0], max_depth=0)
    with pytest.raises(NotFoundError):
        mind.causal_chain("nothing")
