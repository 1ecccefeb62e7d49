"""What a user wants gone, kept, or back."""

from __future__ import annotations

from dataclasses import replace

from sui_memory.store import MemoryStore
from sui_memory.types import Memory
from tests.store.samples import (
    change,
    exchange,
    indexed,
    source,
    substring,
)


class Forgetting:
    """What a user wants gone, kept, or back."""

    def test_what_is_forgotten_is_gone_and_does_not_come_back(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1", "消したい鍵"), exchange("k2"), segments=(b"secret", b"x"))])
        assert store.forget(["k1", "unknown"], {"/t/a.jsonl": (b"clean",)}) == 1
        assert store.get([exchange("k1").id]) == []
        assert substring(store, "消したい") == set()
        assert store.segments("/t/a.jsonl") == [b"clean"]
        copy = replace(exchange("k5"), fingerprint="f-k1")
        done = store.commit([change(exchange("k1"), copy, before=source(), offset=20)])
        assert done.new == 0
        assert store.tombstones(["k1", "k2"], ["f-k1", "f-k2"]) == {"k1", "f-k1"}
        assert store.check() == []

    def test_without_a_tombstone_it_may_come_back(self, store: MemoryStore) -> None:
        store.commit([change(exchange())])
        store.forget([exchange().key], {}, tombstone=False)
        assert store.commit([change(exchange(), before=source(), offset=20)]).new == 1

    def test_purging_changes_nothing_that_is_kept(self, store: MemoryStore) -> None:
        store.purge()
        store.commit([change(*(exchange(f"k{number}") for number in range(20)))])
        store.forget(["k3"], {})
        store.purge()
        store.purge()
        assert len(substring(store, "鍵")) == 19
        assert store.check() == []

    def test_pins_can_be_set_and_taken_away(self, store: MemoryStore) -> None:
        store.commit([change(exchange())])
        store.pin(exchange().id, pinned=True)
        assert store.get([exchange().id])[0].pinned
        store.pin(exchange().id, pinned=False)
        assert not store.get([exchange().id])[0].pinned

    def test_an_export_comes_back_with_its_marks(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1", answer="残る"))])
        store.commit([change(exchange("k3"), path="/t/b.jsonl")])
        store.forget(["k3"], {})
        marked = Memory(exchange("k2", "印つき"), pinned=True, edited=True, muted=True)
        offered = [marked, Memory(exchange("k1", answer="古い")), Memory(exchange("k3"))]
        done = store.restore([(one, indexed(one.exchange)) for one in offered])
        assert done.new == 1
        assert store.get([marked.id]) == [marked]
        assert substring(store, "印つき") == {marked.id}
        assert store.get([exchange("k1").id])[0].exchange.answer == "残る"
        assert store.get([exchange("k3").id]) == []

    def test_an_imported_memory_is_taken_over_by_its_transcript(self, store: MemoryStore) -> None:
        one = Memory(exchange("k1"))
        store.restore([(one, indexed(one.exchange))])
        done = store.commit([change(exchange("k1"))])
        assert (done.new, done.updated) == (0, 0)
        assert store.hashes(["/t/a.jsonl"]).keys() == {"k1"}

    def test_rebuilding_finds_everything_again(self, store: MemoryStore) -> None:
        store.commit([change(*(exchange(f"k{number}") for number in range(250)))])
        steps = list(store.rebuild_index())
        assert steps[-1] == (250, 250)
        assert len(substring(store, "鍵", limit=300)) == 250
        assert store.check() == []
        store.commit([change(exchange("k1", answer="別の"), before=source(), offset=20)])
        assert store.check() == []

    def test_closing_twice_is_allowed(self, store: MemoryStore) -> None:
        store.close()
        store.close()
