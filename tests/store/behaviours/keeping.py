"""What every `Kept` does. A backend's tests subclass this and give it a `store` that has one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sui_memory.errors import NotFoundError, StoreError
from sui_memory.store.kept import (
    KEPT,
    Activation,
    Category,
    Emotion,
    Episode,
    KeepingStore,
    Kinds,
    Link,
    LinkType,
    Medium,
    Note,
    Rest,
    Slept,
)
from sui_memory.types import Exchange, Memory, Scope
from tests.store.samples import EVERYTHING, START, change, exchange, indexed, substring, trigrams, words

PICTURE = Medium("picture", "image/png", "harbour.png", b"\x89PNG of a harbour", b"small")
ANY = Kinds()
AWAKE, ALL = Scope(), replace(EVERYTHING, rest=True)


def kept(number: int, text: str = "the lighthouse is red", **fields: Any) -> Exchange:
    """Return the exchange of a kept memory."""
    values = {"session": KEPT, "project": "", "agent": "kept", "answered_at": None, **fields}
    return exchange(f"note:{number}", text, "", **values)


NOTES = [kept(number, f"thought {number} of the harbour") for number in range(6)]
IDS = [note.id for note in NOTES]


class KeptBehaviour:
    """What every `Kept` does."""

    @pytest.fixture(autouse=True)
    def _kept(self, store: KeepingStore) -> None:
        for note in NOTES:
            store.kept.keep(indexed(note), Note())

    @pytest.mark.parametrize(
        "note",
        [
            Note(),
            Note(Emotion.NOSTALGIC, 5, Category.FEELING, ("港", 'a "tag"'), 7, START, (IDS[0], IDS[2])),
            Note(pan_angle=-12.5, tilt_angle=0.0, rest=Rest.MERGED),
        ],
    )
    def test_a_kept_memory_comes_back_as_it_was(self, store: KeepingStore, note: Note) -> None:
        one = kept(9, project="/code/app")
        store.kept.keep(indexed(one), note, PICTURE)
        assert store.get([one.id]) == [Memory(one)]
        assert store.kept.notes([one.id, "unknown"]) == {one.id: note}
        assert store.kept.medium(one.id) == PICTURE

    def test_a_kept_memory_is_found_like_any_other(self, store: KeepingStore) -> None:
        one = kept(9, "緑の浮標 beside the pier")
        store.kept.keep(indexed(one), Note())
        assert words(store, "pier") == trigrams(store, "緑の浮標") == substring(store, "浮標") == {one.id}
        assert store.check() == []

    def test_what_is_there_already_is_left_alone(self, store: KeepingStore) -> None:
        store.kept.keep(indexed(kept(0, "other words")), Note(importance=5), PICTURE)
        assert store.get(IDS[:1]) == [Memory(NOTES[0])]
        assert store.kept.notes(IDS[:1]) == {IDS[0]: Note()}
        assert store.kept.medium(IDS[0]) is None

    def test_a_note_can_be_replaced_but_not_given_to_what_was_archived(self, store: KeepingStore) -> None:
        store.commit([change(exchange("k1"))])
        note = Note(Emotion.MOVED, 4, tags=("x",), sources=(IDS[1],), rest=Rest.FORGOTTEN)
        store.kept.annotate(IDS[0], note)
        assert store.kept.notes(IDS[:1]) == {IDS[0]: note}
        store.kept.annotate(IDS[0], Note())
        assert store.kept.notes(IDS[:1]) == {IDS[0]: Note()}
        for stranger in (exchange("k1").id, "unknown"):
            with pytest.raises(NotFoundError, match=f"no kept memory {stranger}"):
                store.kept.annotate(stranger, Note())

    def test_a_value_out_of_range_is_refused_whole(self, store: KeepingStore) -> None:
        with pytest.raises(StoreError):
            store.kept.keep(indexed(kept(9)), Note(importance=9))
        assert store.get([kept(9).id]) == []
        assert store.check() == []

    def test_words_that_are_edited_keep_their_note(self, store: KeepingStore) -> None:
        store.kept.annotate(IDS[0], Note(importance=5))
        store.edit(indexed(replace(NOTES[0], question="the gull is white")))
        assert words(store, "gull") == {IDS[0]}
        assert store.kept.notes(IDS[:1])[IDS[0]].importance == 5

    def test_the_newest_come_first_and_can_be_chosen_by_kind(self, store: KeepingStore) -> None:
        def recent(kinds: Kinds = ANY, limit: int = 10, offset: int = 0) -> list[str]:
            return [one.id for one in store.kept.recent(kinds, limit, offset)]

        glad = kept(9, project="/code/app")
        store.kept.keep(indexed(glad), Note(Emotion.HAPPY, category=Category.TECHNICAL))
        store.kept.sleep(Slept(forgotten=(IDS[5],)))
        assert recent() == [glad.id, *IDS[4::-1]]
        assert recent(limit=2, offset=1) == [IDS[4], IDS[3]]
        assert recent(Kinds(rest=True), limit=2) == [glad.id, IDS[5]]
        for kinds in (
            Kinds(category=Category.TECHNICAL),
            Kinds(emotion=Emotion.HAPPY),
            Kinds(project="/code/app"),
            Kinds(since=START + timedelta(minutes=9)),
        ):
            assert recent(kinds) == [glad.id]
        window = Kinds(since=START + timedelta(minutes=1), until=START + timedelta(minutes=3))
        assert recent(window) == [IDS[2], IDS[1]]

    def test_pictures_are_found_by_where_the_camera_looked(self, store: KeepingStore) -> None:
        angles = {IDS[0]: (10.0, 0.0), IDS[1]: (14.0, 0.0), IDS[2]: (10.0, 30.0), IDS[3]: (-179.0, 0.0)}
        for name, (pan, tilt) in angles.items():
            store.kept.annotate(name, Note(pan_angle=pan, tilt_angle=tilt))
        near = [one.id for one in store.kept.seen_from(11, 1, 15)]
        assert near == [IDS[0], IDS[1]]
        assert [one.id for one in store.kept.seen_from(179, 0, 5)] == [IDS[3]]
        assert store.kept.seen_from(90, 0, 15) == []

    def test_what_is_called_to_mind_is_counted(self, store: KeepingStore) -> None:
        store.commit([change(exchange("k1"))])
        later = START + timedelta(hours=1)
        store.kept.activate([IDS[0], exchange("k1").id, "unknown", IDS[0]], later)
        store.kept.activate([IDS[0]], START)
        note = store.kept.notes([IDS[0]])[IDS[0]]
        assert (note.accessed, note.accessed_at) == (2, later)
        latest = store.kept.activations()
        assert set(latest[:2]) == {Activation(IDS[0], later), Activation(exchange("k1").id, later)}
        assert latest[2:] == [Activation(IDS[0], START)]
        assert store.kept.activations(limit=1) == latest[:1]
        assert len(store.kept.activations(since=later)) == 2

    def test_a_link_is_stored_once_and_replaced(self, store: KeepingStore) -> None:
        link = Link(IDS[0], IDS[1], LinkType.CAUSED_BY, "なぜなら", 0.4, START)
        strangers = [replace(link, target_id="unknown"), replace(link, target_id=IDS[0])]
        assert store.kept.link([link, replace(link, type=LinkType.FOLLOWS), *strangers]) == 2
        assert store.kept.link([replace(link, strength=0.9)]) == 0
        found = store.kept.links([IDS[1]])
        assert found == [replace(link, strength=0.9), replace(link, type=LinkType.FOLLOWS)]
        assert store.kept.links([IDS[0], IDS[1]]) == found
        assert store.kept.unlink(IDS[1], IDS[0]) == 0
        assert store.kept.unlink(IDS[0], IDS[1], LinkType.FOLLOWS) == 1
        assert store.kept.unlink(IDS[0], IDS[1]) == 1
        assert store.kept.links(IDS) == []

    def test_a_link_without_a_time_is_given_one(self, store: KeepingStore) -> None:
        store.kept.link([Link(IDS[0], IDS[1], LinkType.RELATED)])
        assert store.kept.links(IDS)[0].created_at is not None

    def test_strengthening_goes_up_to_1_and_makes_what_is_missing(self, store: KeepingStore) -> None:
        store.kept.link([Link(IDS[0], IDS[1], LinkType.SIMILAR, strength=0.75)])
        pairs = [(IDS[1], IDS[0]), (IDS[2], IDS[3]), (IDS[4], "unknown"), (IDS[4], IDS[4])]
        assert store.kept.strengthen(pairs, 0.5) == 2
        first, second = store.kept.links(IDS)
        assert (first.source_id, first.type, first.strength) == (IDS[0], LinkType.SIMILAR, 1.0)
        assert (second.source_id, second.target_id) == (IDS[2], IDS[3])
        assert (second.type, second.strength) == (LinkType.RELATED, 0.5)
        assert store.kept.strengthen(pairs[:1], 0.5) == 0

    def test_an_episode_holds_its_memories_in_order_of_time(self, store: KeepingStore) -> None:
        made = store.kept.create_episode(
            Episode("a day", "what happened", (IDS[3], "unknown", IDS[1]), ("ミオ", "Rin"), START)
        )
        assert made == Episode("a day", "what happened", (IDS[1], IDS[3]), ("ミオ", "Rin"), START, made.id)
        assert len(made.id) == 12
        assert store.kept.episode(made.id) == made
        second = store.kept.create_episode(Episode("later", "", (IDS[0],)))
        assert store.kept.episodes() == [second, made]
        assert store.kept.episodes(1) == [second]
        assert store.kept.in_episodes([*IDS, "unknown"]) == {IDS[0], IDS[1], IDS[3]}
        assert store.kept.create_episode(replace(second, title="again")) == second

    def test_an_episode_of_nothing_is_refused(self, store: KeepingStore) -> None:
        with pytest.raises(NotFoundError, match="at least one memory"):
            store.kept.create_episode(Episode("a day", "", ("unknown",)))
        assert store.kept.episodes() == []
        assert store.kept.episode("unknown") is None

    def test_with_a_memory_goes_all_that_hangs_on_it(self, store: KeepingStore) -> None:
        gone, left = IDS[0], IDS[1]
        store.kept.keep(indexed(kept(9)), Note(sources=(gone, left)), PICTURE)
        store.kept.link([Link(gone, left, LinkType.FOLLOWS), Link(left, gone, LinkType.FOLLOWS)])
        store.kept.activate([gone, left], START)
        both = store.kept.create_episode(Episode("both", "its words", (gone, left), created_at=START))
        store.kept.create_episode(Episode("alone", "its words", (gone,)))
        store.forget([NOTES[0].key, kept(9).key], {})
        assert store.kept.notes([gone, kept(9).id]) == {}
        assert store.kept.medium(kept(9).id) is None
        assert store.kept.links([gone, left]) == []
        assert [one.memory_id for one in store.kept.activations()] == [left]
        assert store.kept.episodes() == [replace(both, summary="", memory_ids=(left,))]
        assert store.check() == []

    def test_a_summary_loses_a_source_that_is_forgotten(self, store: KeepingStore) -> None:
        store.kept.annotate(IDS[5], Note(sources=(IDS[0], IDS[1])))
        store.forget([NOTES[0].key], {})
        assert store.kept.notes([IDS[5]])[IDS[5]].sources == (IDS[1],)

    def test_what_sums_a_memory_up_is_known(self, store: KeepingStore) -> None:
        store.kept.annotate(IDS[5], Note(sources=(IDS[0], IDS[1])))
        store.kept.annotate(IDS[4], Note(sources=(IDS[1],)))
        assert store.kept.summaries([IDS[0], IDS[2], "unknown"]) == {IDS[5]}
        assert store.kept.summaries(IDS) == {IDS[4], IDS[5]}

    def test_sleep_changes_all_that_it_decided(self, store: KeepingStore) -> None:
        store.commit([change(exchange("k1"))])
        stranger = exchange("k1").id
        summary = kept(9, "two thoughts of the harbour")
        note = Note(importance=4, sources=(IDS[0], IDS[1]))
        store.kept.sleep(
            Slept(((indexed(summary), note),), {IDS[2]: 1, "unknown": 1}, (IDS[3], stranger), at=START)
        )
        notes = store.kept.notes([*IDS, summary.id])
        assert notes[summary.id] == note
        rests = [notes[name].rest for name in IDS]
        assert rests == [Rest.MERGED, Rest.MERGED, None, Rest.FORGOTTEN, None, None]
        assert notes[IDS[2]].importance == 1
        assert store.kept.slept_at() == START
        assert stranger in {memory.id for memory in store.scan(AWAKE)}

    def test_what_is_at_rest_is_out_of_every_scope_that_does_not_ask_for_it(
        self, store: KeepingStore
    ) -> None:
        store.use_model("m", 8)
        store.add_vectors("m", [(item.rowid, (1.0, *[0.0] * 7)) for item in store.pending("m", 100)])
        store.kept.sleep(Slept(forgotten=tuple(IDS[:5])))

        def found(scope: Scope) -> list[set[str]]:
            vectors = store.search_vectors((1.0, *[0.0] * 7), scope, 10)
            return [
                words(store, "thought", scope=scope),
                trigrams(store, "of the harbour", scope=scope),
                substring(store, "ha", scope=scope),
                {match.memory_id for match in vectors},
                {memory.id for memory in store.scan(scope)},
            ]

        assert found(AWAKE) == [{IDS[5]}] * 5
        assert found(ALL) == [set(IDS)] * 5
        assert [row.exchanges for row in store.sessions(AWAKE, 5)] == [1]
        assert store.get(IDS) == [Memory(note) for note in NOTES]
        assert store.find(IDS[0]) == [IDS[0]]

    def test_what_is_at_rest_wakes_again(self, store: KeepingStore) -> None:
        store.kept.sleep(Slept(forgotten=(IDS[0], IDS[1])))
        assert store.kept.wake([IDS[0], IDS[2], "unknown"]) == 1
        assert words(store, "thought") == {IDS[0], *IDS[2:]}

    def test_what_sleep_let_go_of_is_deleted_by_a_vacuum_alone(self, store: KeepingStore) -> None:
        summary = indexed(kept(9)), Note(sources=(IDS[5],))
        store.kept.sleep(Slept((summary,), None, tuple(IDS[:3])))
        store.purge()
        assert len(store.get(IDS)) == 6
        assert store.kept.vacuum() == 3
        assert store.kept.vacuum() == 0
        assert [memory.id for memory in store.get(IDS)] == IDS[3:]
        assert store.check() == []

    @pytest.mark.parametrize("meanwhile", ["forgotten", "pinned", "at rest"])
    def test_a_summary_of_what_has_changed_meanwhile_is_left_out(
        self, store: KeepingStore, meanwhile: str
    ) -> None:
        if meanwhile == "forgotten":
            store.forget([NOTES[0].key], {})
        elif meanwhile == "pinned":
            store.pin(IDS[0], pinned=True)
        else:
            store.kept.sleep(Slept(forgotten=(IDS[0],)))
        summary = indexed(kept(9)), Note(sources=(IDS[0], IDS[1]))
        store.kept.sleep(Slept((summary,), None, (IDS[2],)))
        assert store.get([kept(9).id]) == []
        notes = store.kept.notes([IDS[1], IDS[2]])
        assert [note.rest for note in notes.values()] == [None, Rest.FORGOTTEN]

    def test_what_was_pinned_meanwhile_is_not_let_go(self, store: KeepingStore) -> None:
        store.pin(IDS[0], pinned=True)
        store.kept.sleep(Slept(forgotten=(IDS[0],)))
        assert store.kept.notes([IDS[0]])[IDS[0]].rest is None

    def test_a_sleep_that_fails_changes_nothing(self, store: KeepingStore) -> None:
        merged = indexed(kept(9)), Note(sources=(IDS[0],))
        with pytest.raises(StoreError):
            store.kept.sleep(Slept((merged,), {IDS[2]: 0}, (IDS[3],)))
        assert store.kept.counts()["resting"] == 0
        assert store.get([kept(9).id]) == []

    def test_a_vector_is_that_of_the_first_passage_and_of_unit_length(self, store: KeepingStore) -> None:
        long = indexed(kept(9, "abcdefghij" * 3), size=10)
        store.kept.keep(long, Note())
        assert store.kept.vectors(IDS) == {}
        assert store.kept.sample(3) == []
        store.use_model("m", 8)
        pending = store.pending("m", 100)
        vectors = {
            item.rowid: (0.6, -0.8, *[0.0] * 6) if place == len(NOTES) else (0.0, 1.0, *[0.0] * 6)
            for place, item in enumerate(pending)
        }
        store.add_vectors("m", list(vectors.items())[1:])
        found = store.kept.vectors([long.exchange.id, IDS[0], IDS[1], "unknown"])
        assert set(found) == {long.exchange.id, IDS[1]}
        assert found[long.exchange.id] == pytest.approx((0.6, -0.8, *[0.0] * 6), abs=0.01)
        assert sum(part * part for part in found[long.exchange.id]) == pytest.approx(1)

    def test_a_sample_is_chosen_by_its_seed(self, store: KeepingStore) -> None:
        store.use_model("m", 8)
        pending = store.pending("m", 100)
        axes = [tuple(float(place == axis) for axis in range(8)) for place in range(len(pending))]
        store.add_vectors("m", [(item.rowid, axis) for item, axis in zip(pending, axes, strict=True)])
        assert store.kept.sample(3, seed=1) == store.kept.sample(3, seed=1)
        assert len({str(store.kept.sample(3, seed)) for seed in range(20)}) > 1
        assert sorted(map(tuple, store.kept.sample(100))) == sorted(axes)

    def test_everything_is_counted(self, store: KeepingStore) -> None:
        store.kept.keep(indexed(kept(9)), Note(), PICTURE)
        store.kept.link([Link(IDS[0], IDS[1], LinkType.FOLLOWS)])
        store.kept.create_episode(Episode("a day", "", (IDS[0],)))
        store.kept.activate(IDS[:2], START)
        store.kept.sleep(Slept(forgotten=(IDS[5],)))
        assert store.kept.counts() == {
            "notes": 7, "links": 1, "episodes": 1, "activations": 2, "media": 1, "resting": 1
        }  # fmt: skip
        stats = store.stats()
        assert [stats[name] for name in ("kept", "links", "episodes")] == [7, 1, 1]

    def test_what_was_archived_of_a_transcript_never_touches_what_was_kept(self, store: KeepingStore) -> None:
        archived = exchange("k1", session=KEPT)
        store.commit([change(archived)])
        before = store.source("/t/a.jsonl")
        keys = tuple(note.key for note in NOTES)
        store.commit([change(before=before, offset=20, deletes=(*keys, "k1"))])
        assert [memory.id for memory in store.scan(ALL)] == IDS
        assert store.family("/t/a.jsonl", keys, [note.fingerprint for note in NOTES]) == []

    def test_what_was_kept_outside_of_a_conversation_is_beside_nothing(self, store: KeepingStore) -> None:
        store.commit([change(exchange("k1"), exchange("k3"))])
        within = kept(2, session="s1")
        store.forget([NOTES[2].key], {}, tombstone=False)
        store.kept.keep(indexed(within), Note())
        beside = store.adjacent([IDS[0], IDS[1], within.id])
        assert beside == {IDS[0]: (), IDS[1]: (), within.id: (exchange("k1").id, exchange("k3").id)}

    def test_secrets_in_what_is_beside_memories_are_masked(self, store: KeepingStore) -> None:
        def redact(text: str) -> tuple[str, int]:
            return text.replace("hunter2", "*"), text.count("hunter2")

        store.kept.keep(indexed(kept(9)), Note(tags=("hunter2", "x")), replace(PICTURE, name="hunter2.png"))
        store.kept.link([Link(IDS[0], IDS[1], LinkType.FOLLOWS, "it is hunter2")])
        store.kept.create_episode(Episode("hunter2", "of hunter2", (IDS[0],), ("hunter2",)))
        assert store.kept.reword(redact, dry_run=True) == 6
        assert store.kept.reword(redact) == 6
        assert store.kept.reword(redact) == 0
        medium = store.kept.medium(kept(9).id)
        assert medium is not None
        assert medium.name == "*.png"
        assert store.kept.notes([kept(9).id])[kept(9).id].tags == ("*", "x")
        assert store.kept.links(IDS)[0].note == "it is *"
        (episode,) = store.kept.episodes()
        assert (episode.title, episode.summary, episode.participants) == ("*", "of *", ("*",))

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        st.lists(
            st.tuples(st.sampled_from(IDS), st.sampled_from(IDS), st.floats(0.01, 1)), min_size=1, max_size=12
        )
    )
    def test_links_are_those_last_told_whatever_came_before(
        self, store: KeepingStore, told: list[tuple[str, str, float]]
    ) -> None:
        for one in IDS:
            for other in IDS:
                store.kept.unlink(one, other)
        for source, target, strength in told:
            store.kept.link([Link(source, target, LinkType.RELATED, strength=strength)])
        expected = {(source, target): strength for source, target, strength in told if source != target}
        found = store.kept.links(IDS)
        assert {(link.source_id, link.target_id): link.strength for link in found} == expected
        assert [link.strength for link in found] == sorted(expected.values(), reverse=True)
