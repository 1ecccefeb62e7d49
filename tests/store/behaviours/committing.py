"""Transcripts, how far they are read, and the exchanges they add."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from sui_memory.errors import NotFoundError
from sui_memory.store import Change, MemoryStore, SourceChange
from sui_memory.types import Branch, Memory, Status, content_hash
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


class SourcesAndCommits:
    """Transcripts, how far they are read, and the exchanges they add."""

    def test_a_new_store_is_empty_and_sound(self, store: MemoryStore) -> None:
        assert store.sources() == {}
        assert list(store.scan(EVERYTHING)) == []
        assert store.projects() == {}
        assert store.check() == []

    def test_an_exchange_comes_back_as_it_was_stored(self, store: MemoryStore) -> None:
        full = exchange(
            "k7",
            "質問\n\n```py\nx = 1\n```",
            "答え",
            followups=("それから？", "もう一つ"),
            status=Status.INTERRUPTED,
            branch=Branch.ABANDONED,
            sidechain=True,
            auto=True,
            plan=True,
            version="2.1.0",
            cwd="/code/app/sub",
            git_branch="feature/鍵",
            files=("src/a.py", "src/b.py"),
            tools=("Edit", "Bash"),
            uuids=("1c9e3a52-7d2f-4f60-9a43-0b5a8f1d2c3e", "not-a-uuid"),
            asked_at=START + timedelta(microseconds=123457),
            answered_at=None,
        )
        bare = exchange("k8", "だけ", "", asked_at=None, answered_at=None)
        store.commit([change(full, bare)])
        assert store.get([full.id, bare.id]) == [Memory(full), Memory(bare)]
        assert content_hash(store.get([full.id])[0].exchange) == content_hash(full)

    def test_canonical_uuids_come_back_as_they_were(self, store: MemoryStore) -> None:
        uuids = ("1c9e3a52-7d2f-4f60-9a43-0b5a8f1d2c3e", "00000000-0000-4000-8000-000000000001")
        kept = exchange("k1", uuids=uuids)
        loud = exchange("k2", uuids=(uuids[0].upper(),))
        store.commit([change(kept, loud)])
        assert [stored.exchange.uuids for stored in store.get([kept.id, loud.id])] == [uuids, loud.uuids]

    def test_committing_the_same_again_changes_nothing(self, store: MemoryStore) -> None:
        one = exchange()
        assert store.commit([change(one)]).new == 1
        again = store.commit([change(one, before=source(), offset=10)])
        assert (again.new, again.updated, again.deleted, again.stale) == (0, 0, 0, ())

    def test_a_changed_exchange_replaces_the_old_one_in_every_index(self, store: MemoryStore) -> None:
        store.commit([change(exchange(answer="古い雑巾のありか"))])
        done = store.commit([change(exchange(answer="新しい箒のありか"), before=source(), offset=20)])
        assert (done.new, done.updated) == (0, 1)
        assert trigrams(store, "雑巾のありか") == words(store, "古い雑巾のありか") == set()
        assert trigrams(store, "箒のありか") == words(store, "新しい箒のありか") == {exchange().id}
        assert substring(store, "雑巾") == set()
        assert substring(store, "箒") == {exchange().id}
        assert store.check() == []

    def test_a_stale_change_is_refused_alone(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1"))])
        done = store.commit(
            [
                change(exchange("k1", answer="遅れた"), before=None, offset=5),
                change(exchange("k2"), path="/t/b.jsonl"),
            ]
        )
        assert done.stale == ("/t/a.jsonl",)
        assert done.new == 1
        assert store.sources()["/t/a.jsonl"].offset == 10
        assert store.get([exchange("k1").id])[0].exchange.answer == exchange("k1").answer

    def test_segments_are_kept_up_to_an_index_and_replaced_from_there(self, store: MemoryStore) -> None:
        store.commit([change(segments=(b"one", b"two"))])
        store.commit([change(before=source(), offset=20, segments=(b"zwei", b"drei"), keep=1)])
        assert store.segments("/t/a.jsonl") == [b"one", b"zwei", b"drei"]
        assert store.segments("/t/unknown.jsonl") == []

    def test_segments_of_any_size_come_back_whole(self, store: MemoryStore) -> None:
        segments = tuple(bytes([size % 251]) * size for size in (0, 1, 1999, 2000, 2001, 40_000, 0))
        store.commit([change(segments=segments)])
        assert store.segments("/t/a.jsonl") == list(segments)
        store.forget([], {"/t/a.jsonl": segments[5:]})
        assert store.segments("/t/a.jsonl") == list(segments[5:])
        assert store.stats()["raw_bytes"] == 40_000

    def test_deleted_keys_go_unless_the_user_marked_them(self, store: MemoryStore) -> None:
        first, second, third = exchange("k1", "普通の鍵"), exchange("k2"), exchange("k3")
        store.commit([change(first, second, third)])
        store.pin(second.id, pinned=True)
        store.edit(indexed(replace(third, answer="直した")))
        done = store.commit([change(before=source(), offset=20, deletes=("k1", "k2", "k3", "k9"))])
        assert done.deleted == 1
        assert [stored.id for stored in store.scan(EVERYTHING)] == [second.id, third.id]
        assert substring(store, "普通") == set()

    def test_a_source_cannot_delete_the_exchanges_of_another(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1"))])
        done = store.commit([change(path="/t/b.jsonl", deletes=("k1",))])
        assert done.deleted == 0
        assert store.get([exchange("k1").id])

    def test_hashes_are_those_of_the_exchanges_as_archived(self, store: MemoryStore) -> None:
        one, other = exchange("k1"), exchange("k2")
        store.commit([change(one), change(other, path="/t/b.jsonl")])
        assert store.hashes(["/t/a.jsonl"]) == {"k1": content_hash(one)}
        store.edit(indexed(replace(one, answer="直した")))
        assert store.hashes(["/t/a.jsonl", "/t/b.jsonl"]) == {"k2": content_hash(other)}

    def test_an_edited_memory_keeps_its_text_through_later_commits(self, store: MemoryStore) -> None:
        store.commit([change(exchange())])
        store.edit(indexed(exchange(answer="引き出しの中です")))
        done = store.commit([change(exchange(answer="棚の上です"), before=source(), offset=20)])
        assert done.updated == 0
        stored = store.get([exchange().id])[0]
        assert (stored.exchange.answer, stored.edited) == ("引き出しの中です", True)
        assert substring(store, "引き出し") == {exchange().id}
        assert store.check() == []

    def test_editing_what_is_not_there_says_so(self, store: MemoryStore) -> None:
        with pytest.raises(NotFoundError):
            store.edit(indexed(exchange()))
        with pytest.raises(NotFoundError):
            store.pin(exchange().id, pinned=True)

    def test_passages_that_stay_alike_keep_their_vectors(self, store: MemoryStore) -> None:
        before = exchange(question="あ" * 30, answer="い" * 28)
        store.commit([change(before, size=20)])
        store.use_model("m", 2)
        rowids = [item.rowid for item in store.pending("m", 10)]
        store.add_vectors("m", [(rowid, (1.0, 0.0)) for rowid in rowids])
        after = replace(before, answer=before.answer + "う" * 10)
        store.commit([change(after, before=source(), offset=20, size=20)])
        assert [item.text for item in store.pending("m", 10)] == ["う" * 10]
        assert store.check() == []

    def test_an_exchange_of_the_same_key_comes_from_its_first_source(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1"))])
        done = store.commit([change(exchange("k1"), exchange("k2"), path="/t/b.jsonl")])
        assert (done.new, done.updated) == (1, 0)
        assert store.hashes(["/t/a.jsonl"]).keys() == {"k1", "k2"}

    @pytest.mark.parametrize(
        ("keys", "fingerprints"),
        [(("k2",), ()), ((), ("f-k2",))],
        ids=["by key", "by fingerprint"],
    )
    def test_sources_that_share_an_exchange_are_a_family(
        self, store: MemoryStore, keys: tuple[str, ...], fingerprints: tuple[str, ...]
    ) -> None:
        store.commit([change(exchange("k1"), exchange("k2")), change(exchange("k9"), path="/t/z.jsonl")])
        assert [found.path for found in store.family("/t/b.jsonl", keys, fingerprints)] == ["/t/a.jsonl"]

    def test_families_grow_together_through_others(self, store: MemoryStore) -> None:
        store.commit(
            [
                change(exchange("k1"), exchange("k2")),
                change(exchange("k3"), path="/t/c.jsonl"),
                change(exchange("k2"), exchange("k3"), path="/t/b.jsonl"),
            ]
        )
        assert [found.path for found in store.family("/t/c.jsonl", (), ())] == ["/t/a.jsonl", "/t/b.jsonl"]
        assert store.family("/t/none.jsonl", (), ()) == []

    def test_sources_of_one_change_are_a_family(self, store: MemoryStore) -> None:
        steps = tuple(SourceChange(None, source(path), ()) for path in ("/t/a.jsonl", "/t/b.jsonl"))
        store.commit([Change(steps, (indexed(exchange()),))])
        assert [found.path for found in store.family("/t/b.jsonl", (), ())] == ["/t/a.jsonl"]

    def test_two_files_of_one_name_keep_their_own_exchanges(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1"), path="/a/s.jsonl"), change(exchange("k2"), path="/b/s.jsonl")])
        store.commit(
            [change(exchange("k3"), path="/b/s.jsonl", before=source("/b/s.jsonl"), deletes=("k2",))]
        )
        assert [stored.exchange.key for stored in store.scan(EVERYTHING)] == ["k1", "k3"]
