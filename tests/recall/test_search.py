"""Recall over a real archive: words, short words, syntax, paging, filters, decay."""

from dataclasses import replace
from datetime import timedelta

import pytest

from sui_memory.embedding.fake import FakeEmbedder
from sui_memory.recall import Ranking
from sui_memory.types import Role, Scope
from tests.recall.conftest import NOW

TALK = [
    ("会議の議事録を共有した？", "はい、再実行gen-itgc後50件の結果も添えました。"),
    ("鍵はどこに置く？", "1Password に置き、環境変数で渡します。"),
    ("CI が遅い", "キャッシュの鍵が毎回変わるためです。lockfile のハッシュにしました。"),
    (
        "Why does useAuth() return undefined?",
        "The provider is mounted below the router; move AuthProvider up.",
    ),
    ("E1101 が出る", "pylint は apsw の中を見ません。extension-pkg-allow-list に足します。"),
    ("サーバーの再起動手順は？", "systemctl restart tosho-web の前に、接続を切ります。"),
]


@pytest.fixture(name="archive")
def archive_fixture(empty):
    for question, answer in TALK:
        empty.add(question, answer)
    return empty


@pytest.mark.parametrize(
    ("cue", "found"),
    [
        ("会議", "会議の議事録を共有した？"),  # two characters
        ("CI", "CI が遅い"),
        ("itgc", "会議の議事録を共有した？"),  # Latin glued to Japanese
        ("議事録共有方法", "会議の議事録を共有した？"),  # a compound that stands nowhere
        ("useAuth", "Why does useAuth() return undefined?"),
        ("auth provider の順番", "Why does useAuth() return undefined?"),  # parts of an identifier
        ("E1101", "E1101 が出る"),
        ("サーバ 再起動", "サーバーの再起動手順は？"),  # the other spelling
        ("tosho-web", "サーバーの再起動手順は？"),
        ("tstl restart tosho", "サーバーの再起動手順は？"),
    ],
)
def test_a_cue_finds_its_exchange_first(archive, cue, found):
    assert archive.questions(cue)[0] == found


def test_a_single_character_finds_all_that_hold_it(archive):
    assert set(archive.questions("鍵")) == {"鍵はどこに置く？", "CI が遅い"}


@pytest.mark.parametrize(
    "cue",
    [
        '"foo" AND (bar*',
        "-",
        "?",
        "NEAR(",
        "*",
        "' OR 1=1 --",
        "a:b",
        "^",
        "鍵*",
        "\ud800",
        "\0",
        "🗝",
        " ",
        "あ" * 9000,
    ],
)
def test_no_query_is_syntax(archive, cue):
    assert isinstance(archive.ask(cue), list)


def test_what_stands_nowhere_finds_nothing(archive):
    assert archive.ask("zyzzyva") == []


def test_pages_are_disjoint_and_complete(archive):
    for number in range(350):
        archive.add(f"議事録 {number} 番", "保存しました。" * (number % 7 + 1))
    pages = [archive.ask("議事録 保存", limit=50, offset=offset) for offset in range(0, 400, 50)]
    found = [hit.memory.id for page in pages for hit in page]
    assert len(found) == len(set(found)) == 351


def test_of_two_like_memories_the_newer_one_comes_first(archive):
    for days in (400, 1):
        archive.add("ログの保存期間は？", f"{days} 日前に決めました。", asked_at=NOW - timedelta(days=days))
    assert [hit.memory.exchange.answer for hit in archive.ask("ログの保存期間")][:2] == [
        "1 日前に決めました。",
        "400 日前に決めました。",
    ]


def test_an_old_exact_answer_comes_before_a_fresh_vague_one(archive):
    archive.add("pg_dump の並列数は？", "-j 4 です。", asked_at=NOW - timedelta(days=500))
    archive.add("バックアップの件", "pg_dump も見ておきます。", asked_at=NOW)
    assert archive.questions("pg_dump 並列数")[0] == "pg_dump の並列数は？"


def test_the_trace_adds_up_to_the_score(archive):
    hit = archive.ask("会議")[0]
    trace = dict(hit.trace)
    assert trace["score"] == hit.score
    assert trace["fused"] == pytest.approx(
        sum(
            trace.get(name, 0.0)
            for name in ("words", "trigrams", "vectors", "substring", "coverage", "context", "phrases")
        )
    )


def test_what_holds_all_of_the_words_comes_before_what_repeats_one(archive):
    archive.add("鍵の回転", "鍵、鍵、鍵。鍵束の鍵。" * 3)
    archive.add(
        "鍵を月曜に替える当番は、先月の会で決めたとおり順に回します。",
        "回転の日は月曜です。" + "長い話。" * 40,
    )
    assert archive.questions("鍵 回転 月曜 当番")[0].startswith("鍵を月曜に")


def test_words_side_by_side_count_for_more_than_the_same_words_apart(archive):
    archive.add("deploy the blue canary", "ok", asked_at=NOW)
    archive.add("blue paint for the deploy of a canary", "ok", asked_at=NOW)
    first, second = archive.ask("blue canary")[:2]
    assert first.memory.exchange.question == "deploy the blue canary"
    assert dict(first.trace)["phrases score"] == 1.0
    assert "phrases" not in dict(second.trace)


def test_a_paste_of_hundreds_of_words_is_looked_for_by_its_rarest(archive):
    cue = " ".join(f"word{number}" for number in range(500)) + " E1101 pylint"
    assert archive.questions(cue)[0] == "E1101 が出る"


def test_the_trace_tells_the_rank_in_each_ranking_and_after_fusion(archive):
    hits = archive.ask("会議 鍵 CI")
    traces = [dict(hit.trace) for hit in hits]
    assert traces[0]["words rank"] == traces[0]["fused rank"] == 1.0
    assert sorted(trace["fused rank"] for trace in traces) == [1.0, 2.0, 3.0]
    assert all(trace["words score"] > 0 for trace in traces)


@pytest.mark.parametrize(
    ("scope", "count"),
    [
        (Scope(), 2),
        (Scope(project="/q"), 1),
        (Scope(project="/nowhere"), 0),
        (Scope(session="other"), 1),
        (Scope(git_branch="feature"), 1),
        (Scope(since=NOW - timedelta(days=2)), 1),
        (Scope(until=NOW - timedelta(days=2)), 1),
        (Scope(role=Role.QUESTION), 2),
        (Scope(role=Role.ANSWER), 0),
        (Scope(auto=True), 3),
        (Scope(sidechains=True), 3),
    ],
)
def test_a_scope_limits_what_is_seen(archive, scope, count):
    archive.add("釣り竿", "はい。", project="/q", session="other", asked_at=NOW)
    archive.add("釣り竿", "はい。", git_branch="feature", asked_at=NOW - timedelta(days=9))
    archive.add("釣り竿", "はい。", auto=True, asked_at=NOW - timedelta(days=3))
    archive.add("釣り竿", "はい。", sidechain=True, asked_at=NOW - timedelta(days=3))
    assert len(archive.ask("釣り竿", scope)) == count


def test_vectors_find_what_shares_no_word_of_the_index_and_change_nothing_when_absent(archive):
    embedder = FakeEmbedder()
    before = archive.questions("useAuth")
    archive.embed(embedder)
    with_vectors = archive.ask("useAuth", embedder=embedder)
    assert with_vectors[0].memory.exchange.question == before[0]
    assert "vectors" in dict(with_vectors[0].trace)
    assert len(with_vectors) > len(before)


@pytest.mark.parametrize("fusion", ["blend", "score", "rrf"])
@pytest.mark.parametrize("decay", ["bonus", "factor", "off"])
def test_every_mode_finds_an_exact_word(archive, fusion, decay):
    ranking = replace(Ranking(), fusion=fusion, decay=decay)
    assert archive.questions("E1101", ranking=ranking)[0] == "E1101 が出る"
