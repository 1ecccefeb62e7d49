from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from sui_memory.app import open_app
from sui_memory.config import Settings
from sui_memory.errors import UsageError
from sui_memory.store.kept import Slept
from tests.mind.conftest import NOW


def ids_of(hits):
    return [hit.memory.id for hit in hits]


def test_a_search_finds_kept_and_archived_memories(world):
    (archived,) = world.talk(("Where is the lighthouse?", "On the northern cape."))
    kept = world.mind.remember("The lighthouse keeper is called Mio.")
    assert set(ids_of(world.mind.search("lighthouse"))) == {archived, kept.id}


def test_a_search_of_a_kind_finds_only_kept_memories_of_it(world):
    world.talk(("lighthouse", "lighthouse"))
    happy = world.mind.remember("lighthouse one", "happy", category="technical").id
    sad = world.mind.remember("lighthouse two", "sad", category="technical").id
    daily = world.mind.remember("lighthouse three", "happy").id
    assert set(ids_of(world.mind.search("lighthouse", emotion="happy"))) == {happy, daily}
    assert set(ids_of(world.mind.search("lighthouse", category="technical"))) == {happy, sad}
    assert ids_of(world.mind.search("lighthouse", category="technical", emotion="sad")) == [sad]
    assert world.mind.search("lighthouse", category="feeling") == []


def test_a_kept_memory_of_a_kind_is_found_behind_hundreds_of_better_hits(world):
    kept = world.mind.remember(
        "lighthouse, mentioned once in a long and rambling note about the coast", "sad"
    ).id
    world.talk(*[(f"lighthouse lighthouse {n}", "lighthouse") for n in range(250)])
    assert ids_of(world.mind.search("lighthouse", emotion="sad")) == [kept]


def test_a_search_is_limited_by_project_and_time(world):
    old = world.mind.remember("lighthouse", project="/a").id
    world.pass_time(days=3)
    new = world.mind.remember("lighthouse", project="/b").id
    border = NOW + timedelta(days=1)
    assert ids_of(world.mind.search("lighthouse", project="/a")) == [old]
    assert ids_of(world.mind.search("lighthouse", since=border)) == [new]
    assert ids_of(world.mind.search("lighthouse", until=border)) == [old]


@pytest.mark.parametrize(
    "given",
    [
        {"n": 0},
        {"n": 101},
        {"query": "  "},
        {"emotion": "grumpy"},
        {"category": "none"},
        {"since": datetime(2026, 1, 1)},
    ],
)
def test_a_search_for_what_is_not_allowed_is_refused(mind, given):
    with pytest.raises(UsageError):
        mind.search(**{"query": "x", **given})


def test_recall_gives_what_a_prompt_would_be_shown_and_nothing_without_evidence(world):
    kept = world.mind.remember("The reading room of the tide library closes at 18:30 on Thursdays.")
    found = world.mind.recall("When does the reading room of the tide library close on Thursdays?")
    assert ids_of(found) == [kept.id]
    assert world.mind.recall("How do I bake a chocolate cake?") == []
    assert world.mind.recall("thanks") == []


def test_what_is_found_counts_as_called_to_mind_together(world):
    kept = world.mind.remember("lighthouse one"), world.mind.remember("lighthouse two")
    world.mind.search("lighthouse")
    activations = world.kept.activations()
    assert {activation.memory_id for activation in activations} == {memory.id for memory in kept}
    assert len({activation.at for activation in activations}) == 1
    assert {note.accessed for note in world.mind.notes([memory.id for memory in kept]).values()} == {1}


def test_an_archive_that_may_only_be_read_can_be_searched(world, tmp_path):
    kept = world.mind.remember("lighthouse")
    world.app.store.close()
    database = tmp_path / "home" / "memory.db"
    database.chmod(0o400)
    try:
        from sui_memory.store import open_store

        store = open_store(database, analyzer=world.app.analyzer, read_only=True)
        with open_app(Settings(tmp_path / "other", model="none")) as app:
            app.store.close()
            app.store = store
            assert ids_of(app.mind.search("lighthouse")) == [kept.id]
            assert app.mind.working() == []
    finally:
        database.chmod(0o600)


def test_what_is_at_rest_is_found_by_no_search(world):
    kept = world.mind.remember("lighthouse", importance=1)
    world.kept.sleep(Slept(forgotten=(kept.id,)))
    assert world.mind.search("lighthouse") == []
    assert world.mind.search("lighthouse", category="daily") == []


def test_a_memory_is_shown_amid_its_conversation_and_a_kept_one_alone(world):
    ids = world.talk(*[(f"question {n}", "answer") for n in range(5)])
    world.mind.remember("before")
    kept = world.mind.remember("lone")
    world.mind.remember("after")
    assert [memory.id for memory in world.mind.exchange(ids[2])] == ids[1:4]
    assert [memory.id for memory in world.mind.exchange(ids[2], before=0, after=2)] == ids[2:5]
    assert world.mind.exchange(kept.id) == [kept.memory]
    with pytest.raises(UsageError, match="`before`"):
        world.mind.exchange(kept.id, before=-1)
