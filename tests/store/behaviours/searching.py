"""Words, trigrams and substrings."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sui_memory.store import MemoryStore
from sui_memory.types import Branch, Role, Scope
from tests.store.samples import (
    EVERYTHING,
    START,
    change,
    exchange,
    substring,
    trigrams,
    words,
)


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

    def test_a_substring_stands_in_the_text_in_one_piece(self, store: MemoryStore) -> None:
        whole = exchange("k1", "the cabcd here", "x" * 300 + "Config.load(path)" + "y" * 300)
        parts = exchange("k2", "abc and bcd", "Config.loa ig.load( d(path)")
        store.commit([change(whole, parts)])
        assert substring(store, "abcd") == substring(store, "config.LOAD(path)") == {whole.id}
        assert substring(store, whole.answer) == {whole.id}
        assert len(store.search_substring("abc", EVERYTHING, 1)) == 1

    def test_a_role_is_told_apart_within_a_passage(self, store: MemoryStore) -> None:
        asked, told = exchange("k1", "target", "other"), exchange("k2", "other", "target")
        store.commit([change(asked, told)])
        for find in (words, trigrams, substring):
            assert find(store, "target", scope=Scope(role=Role.QUESTION)) == {asked.id}
            assert find(store, "target", scope=Scope(role=Role.ANSWER)) == {told.id}
            assert find(store, "target", scope=Scope(role=None)) == {asked.id, told.id}

    def test_substrings_come_newest_first(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1"), exchange("k3"), exchange("k2"))])
        found = store.search_substring("鍵", EVERYTHING, 2)
        assert [match.memory_id for match in found] == [exchange("k3").id, exchange("k2").id]
        assert found[0].score > found[1].score

    def test_a_substring_that_begins_everything_is_found_in_a_narrow_scope(self, store: MemoryStore) -> None:
        many = [exchange(f"k{number}", f"の{chr(0x4E00 + number)}", "") for number in range(2100)]
        rare = exchange("k0x", "の", "", session="s2", asked_at=START)
        store.commit([change(*many, rare)])
        assert len(substring(store, "の")) == 50
        assert substring(store, "の", scope=Scope(session="s2")) == {rare.id}
        assert substring(store, "の", scope=Scope(session="s2", role=Role.ANSWER)) == set()

    def test_a_match_names_the_passage(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1", "a" * 50, "needle"), size=52)])
        for found in (
            store.search_words(["needle"], EVERYTHING, 5),
            store.search_trigrams("needle", EVERYTHING, 5),
            store.search_substring("ne", EVERYTHING, 5),
        ):
            assert [(match.ordinal, match.start, match.stop) for match in found] == [(1, 52, 58)]

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
            (Scope(), "k1 k2 k3 k6"),
            (Scope(auto=True), "k1 k2 k3 k4 k6"),
            (Scope(sidechains=True), "k1 k2 k3 k5 k6"),
            (Scope(abandoned=False), "k1 k2 k3"),
            (Scope(project="/code/other"), "k2"),
            (Scope(session="s9"), "k3"),
            (Scope(git_branch="dev"), "k3"),
            (Scope(since=START + timedelta(minutes=2)), "k2 k3 k6"),
            (Scope(until=START + timedelta(minutes=2)), "k1"),
            (Scope(role=Role.QUESTION), "k1 k2 k3 k6"),
            (Scope(role=Role.ANSWER), ""),
        ],
        ids=str,
    )
    def test_a_scope_means_the_same_to_every_ranking(
        self, store: MemoryStore, scope: Scope, keys: str
    ) -> None:
        many = [
            exchange("k1", "Q-target"),
            exchange("k2", "Q-target", project="/code/other"),
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
        wanted = {exchange(key).id for key in keys.split()}
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
