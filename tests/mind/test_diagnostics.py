from __future__ import annotations

import pytest

from sui_memory.errors import UsageError


def test_diagnostics_tell_how_a_sample_hangs_together(world):
    mind = world.mind
    ids = [mind.remember(f"lighthouse {n}").id for n in range(4)]
    hub = mind.remember("the harbour").id
    mind.link(ids[0], ids[1], "related")
    mind.link(ids[1], hub, "leads_to")
    mind.link(ids[2], hub, "caused_by")
    found = mind.diagnostics("lighthouse")
    assert set(found.sample) == set(ids)
    assert found.link_types == {"related": 1, "leads_to": 1, "caused_by": 1}
    assert found.mean_strength == pytest.approx(0.8)
    assert found.ties == {"related": 2, "leads_to": 1, "caused_by": 1}
    assert found.degree == 1.0
    assert found.isolated == (ids[3],)
    assert (found.reachable_pairs, found.pairs) == (2, 6)
    assert (found.model, found.threshold) == (None, None)
    assert (found.counts["notes"], found.counts["links"]) == (5, 3)


def test_diagnostics_leave_no_trace(world):
    world.keep_crowd()
    world.mind.remember("alpha3 beta21 gamma39 again")
    world.mind.search("alpha3")
    before = world.kept.activations(), world.mind.stats(), world.mind.recent(100)
    found = world.mind.diagnostics("alpha3 beta21")
    assert (found.model, found.threshold is not None) == ("fake", True)
    assert (world.kept.activations(), world.mind.stats(), world.mind.recent(100)) == before


def test_an_empty_archive_hangs_together_in_nothing(mind):
    found = mind.diagnostics("lighthouse", 5)
    assert (found.sample, found.degree, found.mean_strength, found.pairs) == ((), 0, 0, 0)


def test_a_sample_of_no_sense_is_refused(mind):
    with pytest.raises(UsageError):
        mind.diagnostics("x", 0)
    with pytest.raises(UsageError):
        mind.diagnostics("")
