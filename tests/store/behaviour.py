"""What every memory store does. A backend's tests subclass this and give it a `store` fixture."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sui_memory.errors import NotFoundError, StoreError
from sui_memory.store import Change, MemoryStore, SourceChange
from sui_memory.types import Branch, Memory, Role, Scope, Status, content_hash
from tests.store.samples import START, change, exchange, indexed, source

EVERYTHING = Scope(auto=True, sidechains=True)


def words(store: MemoryStore, *terms: str, scope: Scope = EVERYTHING, limit: int = 50) -> set[str]:
    """Return the ids of what a search for words finds."""
    return {match.memory_id for match in store.search_words(terms, scope, limit)}


def trigrams(store: MemoryStore, text: str, scope: Scope = EVERYTHING, limit: int = 50) -> set[str]:
    """Return the ids of what a search for trigrams finds."""
    return {match.memory_id for match in store.search_trigrams(text, scope, limit)}


def substring(store: MemoryStore, text: str, scope: Scope = EVERYTHING, limit: int = 50) -> set[str]:
    """Return the ids of what a search for a substring finds."""
    return {match.memory_id for match in store.search_substring(text, scope, limit)}


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
            cwd="/work/app/sub",
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


class Reading:
    """Finding one's way without a search."""

    def test_get_keeps_the_order_asked_and_leaves_out_the_unknown(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1"), exchange("k2"))])
        ids = [exchange("k2").id, "nothing", exchange("k1").id]
        assert [stored.id for stored in store.get(ids)] == [ids[0], ids[2]]

    def test_find_completes_the_beginning_of_an_id(self, store: MemoryStore) -> None:
        many = [exchange(f"k{number}") for number in range(30)]
        store.commit([change(*many)])
        name = many[3].id
        assert store.find(name[:9]) == [name]
        assert store.find(name.upper()) == [name]
        assert store.find("") == sorted(one.id for one in many)[:10]
        assert store.find("%") == []

    def test_neighbours_stay_in_the_session_and_its_side(self, store: MemoryStore) -> None:
        line = [exchange(f"k{number}") for number in range(5)]
        other = exchange("k12", session="s2", asked_at=START + timedelta(minutes=2))
        aside = exchange("k22", sidechain=True, asked_at=START + timedelta(minutes=2))
        store.commit([change(*reversed(line), other, aside)])
        found = store.neighbours(line[2].id, 1, 2)
        assert [stored.exchange.key for stored in found] == ["k1", "k2", "k3", "k4"]
        assert store.neighbours("nothing", 1, 1) == []

    def test_scan_goes_from_the_oldest_to_the_newest(self, store: MemoryStore) -> None:
        timeless = exchange("k0", asked_at=None)
        store.commit([change(exchange("k2"), exchange("k1"), timeless)])
        assert [stored.exchange.key for stored in store.scan(EVERYTHING)] == ["k0", "k1", "k2"]

    def test_scan_crosses_pages_while_others_write(self, store: MemoryStore) -> None:
        store.commit([change(*(exchange(f"k{number}") for number in range(450)))])
        scan = store.scan(EVERYTHING)
        first = next(scan)
        store.pin(first.id, pinned=True)
        assert [first, *scan] == [Memory(exchange(f"k{number}")) for number in range(450)]

    def test_sessions_are_listed_from_the_most_recent(self, store: MemoryStore) -> None:
        store.commit(
            [
                change(
                    exchange("k1", "最初の質問\nです"),
                    exchange("k2", "次の質問"),
                    exchange("k9", "別の話", session="s2", project="/work/other"),
                    exchange("k5", session="s3", auto=True),
                )
            ]
        )
        rows = store.sessions(Scope(), 10)
        assert [(row.session, row.exchanges, row.title) for row in rows] == [
            ("s2", 1, "別の話"),
            ("s1", 2, "最初の質問 です"),
        ]
        assert rows[1].first_at == START + timedelta(minutes=1)
        assert rows[1].last_at == START + timedelta(minutes=2, seconds=30)
        assert [row.session for row in store.sessions(Scope(), 1, 1)] == ["s1"]
        assert store.projects() == {"/work/app": 3, "/work/other": 1}

    def test_stats_count_what_is_there(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1"), exchange("k2"), segments=(b"12345",))])
        stats = store.stats()
        assert (stats["exchanges"], stats["sessions"], stats["raw_bytes"]) == (2, 1, 5)
        assert stats["first_at"] == "2026-01-01T09:01:00+00:00"


class Searching:
    """Words, trigrams and substrings."""

    def test_any_of_the_terms_is_enough_and_more_are_better(self, store: MemoryStore) -> None:
        one = exchange("k1", "apple banana", "cherry " + "filler " * 5)
        two = exchange("k2", "apple only here", "nothing " + "filler " * 5)
        store.commit([change(one, two, exchange("k3"))])
        found = store.search_words(["apple", "banana"], EVERYTHING, 10)
        assert [match.memory_id for match in found] == [one.id, two.id]
        assert found[0].score > found[1].score

    def test_english_words_are_found_by_their_stem(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1", "running tests"), exchange("k2", "鍵"))])
        assert words(store, "runs", "test") == {exchange("k1").id}

    @pytest.mark.parametrize(
        "term",
        [
            '"',
            '" OR "鍵',
            "AND",
            "NEAR(",
            "-foo",
            "foo*",
            "question : x",
            "^a",
            "",
            " ",
            "\0",
            "\ud800",
            "{answer}",
        ],
    )
    def test_syntax_in_a_query_is_text(self, store: MemoryStore, term: str) -> None:
        store.commit([change(exchange("k1", "whatever", "foo"), exchange("k2"))])
        store.search_words([term, term + term], EVERYTHING, 5)
        store.search_trigrams(term * 3, EVERYTHING, 5)
        store.search_substring(term, EVERYTHING, 5)

    @settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(st.text(max_size=40))
    def test_no_query_fails(self, store: MemoryStore, text: str) -> None:
        store.search_words(text.split(" "), Scope(role=Role.ANSWER), 5)
        store.search_trigrams(text, Scope(role=Role.QUESTION), 5)
        store.search_substring(text, EVERYTHING, 5)

    @pytest.mark.parametrize(
        "cue",
        ["gen-itgc", "itgc", "ITGC", "再実行gen", "議事録共有方法", "会議の議事録", "ＩＴＧＣ"],
    )
    def test_trigrams_find_code_and_parts_of_words(self, store: MemoryStore, cue: str) -> None:
        one = exchange("k1", "会議の議事録を共有した", "再実行gen-itgc後50件")
        store.commit([change(one, exchange("k2"))])
        assert trigrams(store, cue) == {one.id}

    def test_trigrams_of_separate_words_do_not_join(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1", "abcd efgh"))])
        assert trigrams(store, "cd ef") == set()
        assert trigrams(store, "xx abc yy") == {exchange("k1").id}

    @pytest.mark.parametrize("cue", ["鍵", "会議", "CI", "ci", "共有", "す", "た", "50", "件", "x"])
    def test_one_or_two_characters_are_found_wherever_they_stand(self, store: MemoryStore, cue: str) -> None:
        texts = [f"{cue}が始め", f"途中に{cue}がある", f"終わりは{cue}", cue]
        many = [exchange(f"k{number}", text, "-") for number, text in enumerate(texts)]
        store.commit([change(*many, exchange("k9", "無関係", "無関係"))])
        assert substring(store, cue) == {one.id for one in many}

    def test_substrings_come_newest_first(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1"), exchange("k3"), exchange("k2"))])
        found = store.search_substring("鍵", EVERYTHING, 2)
        assert [match.memory_id for match in found] == [exchange("k3").id, exchange("k2").id]
        assert found[0].score > found[1].score

    def test_a_match_names_the_passage(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1", "a" * 50, "needle"), size=52)])
        for found in (
            store.search_words(["needle"], EVERYTHING, 5),
            store.search_trigrams("needle", EVERYTHING, 5),
            store.search_substring("ne", EVERYTHING, 5),
        ):
            assert [match.ordinal for match in found] == [1]

    def test_a_common_word_does_not_hide_a_rare_one(self, store: MemoryStore) -> None:
        many = [exchange(f"k{number}", "common words", f"rare{number}") for number in range(1200)]
        store.commit([change(*many)])
        assert words(store, "common", "rare7") == {many[7].id}
        assert len(words(store, "common")) == 50
        assert trigrams(store, "common rare1199") >= {many[1199].id}
        assert len(trigrams(store, "common")) == 50
        assert len(substring(store, "co")) == 50

    @pytest.mark.parametrize(
        ("scope", "keys"),
        [
            (Scope(), {"k1", "k2", "k3", "k6"}),
            (Scope(auto=True), {"k1", "k2", "k3", "k4", "k6"}),
            (Scope(sidechains=True), {"k1", "k2", "k3", "k5", "k6"}),
            (Scope(abandoned=False), {"k1", "k2", "k3"}),
            (Scope(project="/work/other"), {"k2"}),
            (Scope(session="s9"), {"k3"}),
            (Scope(git_branch="dev"), {"k3"}),
            (Scope(since=START + timedelta(minutes=2)), {"k2", "k3", "k6"}),
            (Scope(until=START + timedelta(minutes=2)), {"k1"}),
            (Scope(role=Role.QUESTION), {"k1", "k2", "k3", "k6"}),
            (Scope(role=Role.ANSWER), set()),
        ],
        ids=str,
    )
    def test_a_scope_means_the_same_to_every_ranking(
        self, store: MemoryStore, scope: Scope, keys: set[str]
    ) -> None:
        many = [
            exchange("k1", "Q-target"),
            exchange("k2", "Q-target", project="/work/other"),
            exchange("k3", "Q-target", session="s9", git_branch="dev"),
            exchange("k4", "Q-target", auto=True),
            exchange("k5", "Q-target", sidechain=True),
            exchange("k6", "Q-target", branch=Branch.ABANDONED),
        ]
        store.commit([change(*many, size=8)])
        store.use_model("m", 2)
        pending = store.pending("m", 100)
        store.add_vectors(
            "m", [(item.rowid, (1.0, 0.0) if "target" in item.text else (0.6, 0.8)) for item in pending]
        )
        wanted = {exchange(key).id for key in keys}
        assert words(store, "target", scope=scope) == wanted
        assert trigrams(store, "target", scope=scope) == wanted
        assert substring(store, "ta", scope=scope) == wanted
        near = [match for match in store.search_vectors((1.0, 0.0), scope, 100) if match.score > 0.9]
        assert {match.memory_id for match in near} == wanted
        if scope.role is None:
            assert {stored.id for stored in store.scan(scope)} == wanted

    def test_a_scope_loses_nothing_when_better_matches_are_out_of_it(self, store: MemoryStore) -> None:
        loud = [exchange(f"k{number}", "needle needle", "x", auto=True) for number in range(300)]
        quiet = exchange("k999", "the needle is in this long haystack of many other words", "y " * 30)
        store.commit([change(*loud, quiet)])
        store.use_model("m", 2)
        vectors = [
            (item.rowid, (0.0, 1.0) if "haystack" in item.text else (1.0, 0.0))
            for item in store.pending("m", 1000)
        ]
        store.add_vectors("m", vectors)
        assert words(store, "needle", scope=Scope(), limit=5) == {quiet.id}
        assert trigrams(store, "needle", scope=Scope(), limit=5) == {quiet.id}
        assert [match.memory_id for match in store.search_vectors((1.0, 0.0), Scope(), 5)] == [quiet.id]


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
        marked = Memory(exchange("k2", "印つき"), pinned=True, edited=True)
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


class StoreBehaviour(SourcesAndCommits, Reading, Searching, Models, Forgetting):
    """All of it."""
