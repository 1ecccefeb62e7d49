"""Embedding models and their vectors."""

from __future__ import annotations

import pytest

from sui_memory.errors import StoreError
from sui_memory.store import MemoryStore
from tests.store.samples import (
    EVERYTHING,
    change,
    exchange,
    source,
)


class Models:
    """Embedding models and their vectors."""

    def test_the_first_model_answers_at_once(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1"), exchange("k2"))])
        assert store.search_vectors((1.0, 0.0), EVERYTHING, 5) == []
        store.use_model("m", 2)
        first, second = store.pending("m", 10)
        assert first.text == exchange("k1").text
        store.add_vectors("m", [(first.rowid, (1.0, 0.0))])
        assert [row.pending for row in store.models()] == [1]
        store.add_vectors("m", [(second.rowid, (0.6, 0.8))])
        found = store.search_vectors((1.0, 0.0), EVERYTHING, 5)
        assert [match.memory_id for match in found] == [exchange("k1").id, exchange("k2").id]
        assert [match.score for match in found] == pytest.approx([1.0, 0.6], abs=0.01)

    def test_a_second_model_takes_over_when_it_is_complete(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1"), exchange("k2"))])
        store.use_model("old", 2)
        store.add_vectors("old", [(item.rowid, (1.0, 0.0)) for item in store.pending("old", 10)])
        store.use_model("new", 3)
        first, second = store.pending("new", 10)
        store.add_vectors("new", [(first.rowid, (1.0, 0.0, 0.0))])
        assert [(row.model_id, row.active) for row in store.models()] == [("old", True), ("new", False)]
        assert len(store.search_vectors((1.0, 0.0), EVERYTHING, 5)) == 2
        store.add_vectors("new", [(second.rowid, (0.0, 1.0, 0.0))])
        assert [(row.model_id, row.active, row.vectors) for row in store.models()] == [("new", True, 2)]

    def test_a_model_that_was_only_being_filled_makes_way_for_another(self, store: MemoryStore) -> None:
        store.commit([change(exchange())])
        store.use_model("old", 2)
        store.add_vectors("old", [(item.rowid, (1.0, 0.0)) for item in store.pending("old", 10)])
        store.use_model("tried", 3)
        store.use_model("old", 2)
        assert [row.model_id for row in store.models()] == ["old"]

    def test_new_passages_wait_for_their_vectors_in_order(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1"), exchange("k2"))])
        store.use_model("m", 2)
        late, early = store.pending("m", 10)
        store.add_vectors("m", [(early.rowid, (1.0, 0.0))])
        store.commit([change(exchange("k3"), before=source(), offset=20)])
        assert [item.text for item in store.pending("m", 10)] == [late.text, exchange("k3").text]
        assert [item.rowid for item in store.pending("m", 1)] == [late.rowid]

    def test_vectors_of_passages_gone_meanwhile_are_passed_over(self, store: MemoryStore) -> None:
        store.commit([change(exchange())])
        store.use_model("m", 2)
        gone = store.pending("m", 1)[0].rowid
        store.commit([change(exchange(answer="別の"), before=source(), offset=20)])
        store.add_vectors("m", [(gone, (1.0, 0.0)), (10**6, (1.0, 0.0))])
        assert [(row.vectors, row.pending) for row in store.models()] == [(0, 1)]

    def test_storing_a_vector_twice_keeps_the_first(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1"), exchange("k2"))])
        store.use_model("m", 2)
        rowid = store.pending("m", 1)[0].rowid
        store.add_vectors("m", [(rowid, (1.0, 0.0))])
        store.add_vectors("m", [(rowid, (0.0, 1.0))])
        assert store.models()[0].vectors == 1

    def test_vectors_follow_their_passages_away(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1"), exchange("k2"))])
        store.use_model("m", 2)
        store.add_vectors("m", [(item.rowid, (1.0, 0.0)) for item in store.pending("m", 10)])
        store.forget(["k1"], {})
        assert [match.memory_id for match in store.search_vectors((1.0, 0.0), EVERYTHING, 5)] == [
            exchange("k2").id
        ]
        assert store.models()[0].vectors == 1
        assert store.check() == []

    def test_a_dropped_model_is_gone(self, store: MemoryStore) -> None:
        store.use_model("m", 2)
        store.drop_model("m")
        store.drop_model("never there")
        assert store.models() == []
        with pytest.raises(StoreError):
            store.pending("m", 1)

    def test_vectors_of_a_wrong_size_are_refused(self, store: MemoryStore) -> None:
        store.commit([change(exchange())])
        store.use_model("m", 2)
        rowid = store.pending("m", 1)[0].rowid
        with pytest.raises(StoreError):
            store.add_vectors("m", [(rowid, (1.0, 0.0, 0.0))])
        with pytest.raises(StoreError):
            store.use_model("m", 3)
