"""What was used rises a little, what was ignored falls a little, and one showing proves nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.language import JapaneseAnalyzer
from sui_memory.scoring import encouraged, fed_back, use_rate, used
from sui_memory.scoring.feedback import BONUS, PRIOR_RATE
from sui_memory.types import Exchange, Hit, Memory, Usage

ANALYZER = JapaneseAnalyzer()
COMMON = {"設定": 1.5, "確認": 1.2, "直す": 1.0, "変更": 1.3, "テスト": 1.1, "test": 1.1, "fix": 1.0}
"""Words of every day; all others are rare."""


def terms(text: str) -> set[str]:
    return set(ANALYZER.terms(text).split())


def was_used(prompt: str, memory: str, following: str) -> bool | None:
    weights = {term: COMMON.get(term, 6.0) for term in terms(memory)}
    return used(weights, terms(prompt), terms(following))


KEY = "署名の鍵は金庫の vault/pan に置き、九十日ごとに森さんが替えます。権限は 0600 です。"
LOCK = "BEGIN IMMEDIATE で待つようにし、busy_timeout を 5 秒にしました。読み手は WAL のままです。"
ROUTER = "The provider is mounted below the router, so useAuth() gets undefined. Move AuthProvider above it."


@pytest.mark.parametrize(
    ("prompt", "memory", "following"),
    [
        ("署名の鍵はどこ？", KEY, "鍵は vault/pan にあります。"),
        ("署名の鍵はいつ替える？", KEY, "前回の取り決めでは九十日ごと、担当は森さんです。"),
        ("database is locked が出た", LOCK, "busy_timeout を延ばし、BEGIN IMMEDIATE で書き始めてください。"),
        ("why is useAuth undefined?", ROUTER, "AuthProvider sits below the router again; I moved it up."),
    ],
)
def test_an_answer_that_says_what_only_the_memory_told_used_it(prompt, memory, following):
    assert was_used(prompt, memory, following) is True


@pytest.mark.parametrize(
    ("prompt", "memory", "following"),
    [
        (
            "署名の鍵はどこ？",
            KEY,
            "署名の鍵の場所は分かりません。設定を確認してください。",
        ),  # the prompt's own words
        ("署名の鍵を直して", KEY, "テストを直して、設定を変更しました。"),
        ("database is locked が出た", LOCK, "ファイルを別の場所へ移しました。"),
        ("why is useAuth undefined?", ROUTER, "I renamed the hook and ran the tests."),
    ],
)
def test_an_answer_of_other_words_did_not_use_the_memory(prompt, memory, following):
    assert was_used(prompt, memory, following) is False


@pytest.mark.parametrize("memory", ["", "はい", "署名の鍵です"])
def test_of_a_memory_that_tells_nothing_new_it_cannot_be_said(memory):
    assert was_used("署名の鍵はどこ？", memory, "署名の鍵です") is None


usages = st.integers(0, 500).flatmap(lambda n: st.builds(Usage, st.just(n), st.integers(0, n)))


@given(st.floats(0, 1))
def test_what_was_never_shown_keeps_its_score(score: float):
    assert encouraged(score, Usage()) == score


@given(st.floats(0, 1), usages)
def test_the_score_stays_a_score_and_moves_little(score: float, usage: Usage):
    after = encouraged(score, usage)
    assert 0 <= after <= 1
    assert abs(after - score) <= BONUS * max(PRIOR_RATE, 1 - PRIOR_RATE) + 1e-9


@given(st.floats(0, 1), usages)
def test_being_used_once_more_helps_and_being_ignored_once_more_hurts(score: float, usage: Usage):
    more, fewer = Usage(usage.shown + 1, usage.used + 1), Usage(usage.shown + 1, usage.used)
    assert use_rate(more) > use_rate(usage) > use_rate(fewer)
    assert encouraged(score, more) >= encouraged(score, usage) >= encouraged(score, fewer)


def hit(key: str, score: float) -> Hit:
    return Hit(Memory(Exchange(key, "f", "s", "/p", key)), score, (0, 0), (("words", 1.0), ("score", score)))


def test_of_like_memories_the_used_one_comes_first_and_the_ignored_one_last():
    hits = [hit("ignored", 0.62), hit("unknown", 0.61), hit("used", 0.6)]
    usages = {hits[0].memory.id: Usage(9, 0), hits[2].memory.id: Usage(3, 3)}
    assert [one.memory.exchange.key for one in fed_back(hits, usages)] == ["used", "unknown", "ignored"]


def test_an_exact_memory_stays_before_a_vague_one_that_was_often_used():
    hits = [hit("exact", 0.9), hit("vague", 0.7)]
    assert (
        fed_back(hits, {hits[0].memory.id: Usage(20, 0), hits[1].memory.id: Usage(20, 20)})[0] is not hits[1]
    )
    assert fed_back(hits, {})[0] is hits[0]


def test_a_hit_tells_the_rate_that_moved_it():
    one = hit("a", 0.5)
    (after,) = fed_back([one], {one.memory.id: Usage(4, 4)})
    assert dict(after.trace) == {"words": 1.0, "used": use_rate(Usage(4, 4)), "score": after.score}
    assert after.score > 0.5
