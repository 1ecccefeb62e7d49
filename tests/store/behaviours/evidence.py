"""What recall asks of a store before it speaks up."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sui_memory.errors import NotFoundError
from sui_memory.store import Change, MemoryStore, SourceChange
from sui_memory.types import Scope
from tests.store.samples import (
    EVERYTHING,
    START,
    change,
    exchange,
    indexed,
    source,
    substring,
    trigrams,
    words,
)


def idf(holders: int, total: int) -> float:
    """The formula of `MemoryStore.rarity`."""
    return math.log(1 + (total - holders + 0.5) / (holders + 0.5))


class Evidence:
    """What recall asks of a store before it speaks up."""

    def test_a_rarer_term_weighs_more_by_the_formula(self, store: MemoryStore) -> None:
        many = [exchange(f"k{number}", "common", f"rare{number}") for number in range(20)]
        store.commit([change(*many)])
        found = store.rarity(["common", "rare7", "nowhere"])
        assert found == pytest.approx({"common": idf(20, 20), "rare7": idf(1, 20), "nowhere": idf(0, 20)})

    def test_rarity_counts_what_is_there_now(self, store: MemoryStore) -> None:
        assert store.rarity(["apple"]) == {"apple": pytest.approx(idf(0, 0))}
        store.commit([change(exchange("k1", "apple"), exchange("k2", "apple"))])
        assert store.rarity(["apple"]) == {"apple": pytest.approx(idf(2, 2))}
        store.forget(["k1"], {})
        assert store.rarity(["apple"]) == {"apple": pytest.approx(idf(1, 1))}

    def test_the_rarity_of_a_frequent_term_is_never_far_off(self, store: MemoryStore) -> None:
        for batch in range(8):
            path = f"/t/{batch}.jsonl"
            fresh = [exchange(f"k{batch}x{number}", "common", "") for number in range(100)]
            store.commit([change(*fresh, path=path)])
            total = 100 * (batch + 1)
            assert store.rarity(["common"])["common"] == pytest.approx(idf(total, total), abs=0.061)

    def test_a_term_of_several_words_is_as_rare_as_its_rarest(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1", "foo bar"), exchange("k2", "foo"), exchange("k3", "foo"))])
        assert store.rarity(["foo bar"]) == {"foo bar": pytest.approx(idf(1, 3))}

    def test_what_is_no_word_weighs_nothing_and_is_held_by_nobody(self, store: MemoryStore) -> None:
        store.commit([change(exchange())])
        assert store.rarity(["", "!?", "\0"]) == {"": 0.0, "!?": 0.0, "\0": 0.0}
        assert store.holding(["", "!?", "\0"], [exchange().id]) == {exchange().id: frozenset()}

    @settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(st.lists(st.text(max_size=12), max_size=8))
    def test_no_term_fails(self, store: MemoryStore, terms: list[str]) -> None:
        assert store.rarity(terms).keys() == set(terms)
        assert all(weight >= 0 for weight in store.rarity(terms).values())
        store.holding(terms, [exchange().id])

    def test_each_memory_holds_its_own_terms_inflected_or_not(self, store: MemoryStore) -> None:
        one = exchange("k1", "running the tests", "x" * 40 + " 締め切り は 金曜")
        other = exchange("k2", "nothing", "締め切り")
        store.commit([change(one, other, exchange("k3", "run test 金曜"), size=30)])
        terms = ["run", "test", "締め切り", "金曜", "absent", "the tests"]
        assert store.holding(terms, [one.id, other.id, "unknown"]) == {
            one.id: {"run", "test", "締め切り", "金曜", "the tests"},
            other.id: {"締め切り"},
            "unknown": frozenset(),
        }
        assert store.holding(terms, []) == {}

    def test_frequent_terms_are_held_as_rare_ones_are(self, store: MemoryStore) -> None:
        many = [
            exchange(f"k{number}", "common", "even" if number % 2 == 0 else "odd") for number in range(6000)
        ]
        store.commit([change(*many)])
        store.rarity(["common", "even"])
        assert store.holding(["common", "even"], [many[0].id, many[4001].id]) == {
            many[0].id: {"common", "even"},
            many[4001].id: {"common"},
        }

    def test_a_session_sees_its_own_memories_and_those_of_its_sub_agents(self, store: MemoryStore) -> None:
        own, aside = exchange("k1"), exchange("k2", sidechain=True)
        store.commit([change(own, aside, exchange("k3", session="s2"))])
        assert store.present("s1", None, None) == {own.id, aside.id}
        assert store.present("s1", "/t/unknown.jsonl", None) == {own.id, aside.id}
        assert store.present("unknown", None, None) == frozenset()

    def test_a_fork_sees_what_was_said_before_it(self, store: MemoryStore) -> None:
        old = [exchange(f"k{number}") for number in range(1, 5)]
        fork = exchange("k13", session="s2", asked_at=START + timedelta(minutes=3))
        stranger = exchange("k0", session="s3")
        store.commit([change(*old), change(stranger, path="/t/z.jsonl")])
        store.commit([Change((SourceChange(None, source("/t/b.jsonl"), ()),), (indexed(old[0]),))])
        assert store.present("s2", "/t/b.jsonl", None) == {one.id for one in old}
        store.commit([change(fork, path="/t/b.jsonl", before=source("/t/b.jsonl"), offset=20)])
        assert store.present("s2", "/t/b.jsonl", None) == {old[0].id, old[1].id, fork.id}
        assert store.present("s1", "/t/a.jsonl", None) == {one.id for one in old}

    def test_what_was_said_before_a_compaction_is_seen_no_more(self, store: MemoryStore) -> None:
        old = [exchange(f"k{number}") for number in range(1, 5)]
        store.commit([change(*old, exchange("k0", asked_at=None))])
        since = START + timedelta(minutes=3)
        assert store.present("s1", "/t/a.jsonl", since) == {old[2].id, old[3].id}
        assert store.present("s2", "/t/a.jsonl", since) == {old[2].id, old[3].id}

    def test_a_mute_can_be_set_and_taken_away(self, store: MemoryStore) -> None:
        later, sooner = exchange("k2"), exchange("k1")
        store.commit([change(later, sooner, exchange("k3"))])
        for one in (later, sooner):
            store.mute(one.id, muted=True)
        assert [memory.id for memory in store.muted()] == [sooner.id, later.id]
        assert store.muted() == store.get([sooner.id, later.id])
        assert store.stats()["muted"] == 2
        store.mute(later.id, muted=False)
        assert [memory.id for memory in store.muted()] == [sooner.id]
        assert not store.get([later.id])[0].muted
        with pytest.raises(NotFoundError):
            store.mute("unknown", muted=True)

    def test_a_mute_outlives_new_words_an_edit_and_a_new_index(self, store: MemoryStore) -> None:
        store.commit([change(exchange())])
        store.mute(exchange().id, muted=True)
        store.commit([change(exchange(answer="棚の上です"), before=source(), offset=20)])
        assert store.get([exchange().id])[0].muted
        store.edit(indexed(exchange(answer="直した")))
        list(store.rebuild_index())
        assert store.get([exchange().id])[0].muted

    def test_the_excluded_and_the_muted_are_left_out_by_every_ranking(self, store: MemoryStore) -> None:
        loud = [exchange(f"k{number}", "needle needle", "x") for number in range(300)]
        quiet = exchange("k999", "the needle is in this long haystack of many other words", "y " * 30)
        store.commit([change(*loud, quiet)])
        store.use_model("m", 2)
        vectors = [
            (item.rowid, (0.0, 1.0) if "haystack" in item.text else (1.0, 0.0))
            for item in store.pending("m", 1000)
        ]
        store.add_vectors("m", vectors)
        for one in loud[:5]:
            store.mute(one.id, muted=True)
        scope = Scope(muted=False, exclude=frozenset(one.id for one in loud[5:]))
        for find in (words, trigrams, substring):
            assert find(store, "needle", scope=scope, limit=5) == {quiet.id}
        assert [match.memory_id for match in store.search_vectors((1.0, 0.0), scope, 5)] == [quiet.id]
        assert [memory.id for memory in store.scan(scope)] == [quiet.id]
        assert len(words(store, "needle", scope=Scope(exclude=scope.exclude), limit=50)) == 6

    @settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(st.sets(st.integers(0, 39)), st.sets(st.integers(0, 39)), st.integers(1, 12))
    def test_an_exclusion_changes_nothing_but_who_is_missing(
        self, store: MemoryStore, excluded: set[int], muted: set[int], limit: int
    ) -> None:
        many = [exchange(f"k{number}", "needle " * (1 + number % 5), f"hay{number}") for number in range(40)]
        if not store.sources():
            store.commit([change(*many)])
            store.use_model("m", 2)
            pending = store.pending("m", 100)
            store.add_vectors("m", [(item.rowid, (1.0, item.rowid / 40)) for item in pending])
        for number, one in enumerate(many):
            store.mute(one.id, muted=number in muted)
        scope = Scope(muted=False, exclude=frozenset(many[number].id for number in excluded))
        out = {many[number].id for number in excluded | muted}
        for find in (
            lambda within, most: store.search_words(["needle"], within, most),
            lambda within, most: store.search_trigrams("needle", within, most),
            lambda within, most: store.search_substring("need", within, most),
            lambda within, most: store.search_vectors((0.8, 0.6), within, most),
        ):
            everyone = [match.memory_id for match in find(EVERYTHING, 40)]
            left = [name for name in everyone if name not in out][:limit]
            assert [match.memory_id for match in find(scope, limit)] == left
