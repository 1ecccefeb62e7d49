"""What a prompt brings to mind from a real archive, and when it stays silent."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sui_memory.embedding.fake import FakeEmbedder
from sui_memory.recall import Recollection, Silence
from sui_memory.types import Status
from tests.recall.conftest import NOW, Archive

TALK = [
    ("署名の鍵はどこに置く？", "鍵は /etc/pan/jwt.key に置き、九十日ごとに替えます。"),
    ("貸出データの保存先を決めたい。PostgreSQL と SQLite のどちらがいい？", "SQLite を WAL で使います。"),
    ("会議の議事録を共有した？", "はい、関係者に送りました。"),
    ("Why does useAuth() return undefined?", "The provider is mounted below the router."),
    ("返却ボタンで database is locked が出る", "BEGIN IMMEDIATE にして待つようにしました。"),
    ("トップの画像が大きすぎる", "幅を 800 に縮めました。"),
    ("READMEのtypoを直して", "直しました。"),
    ("テストをもう一度実行して", "すべて通りました。"),
    ("週末の売上をグラフにしたい", "棒グラフにして、曜日ごとに並べました。"),
    ("メールの件名が文字化けする", "件名を UTF-8 の B 符号化にしました。"),
]


@pytest.fixture(name="archive")
def archive_fixture(empty):
    for question, answer in TALK:
        empty.add(question, answer)
    return empty


@pytest.fixture(name="shared", scope="module")
def shared_fixture(tmp_path_factory):
    archive = Archive(tmp_path_factory.mktemp("shared"))
    for question, answer in TALK:
        archive.add(question, answer)
    yield archive
    archive.store.close()


def questions(recollection: Recollection) -> list[str]:
    return [hit.memory.exchange.question for hit in recollection.hits]


@pytest.mark.parametrize(
    ("prompt", "number"),
    [
        ("鍵", 0),
        ("鍵の場所は？", 0),
        ("jwt.key はどこだっけ", 0),
        ("会議", 2),
        ("貸出データに SQLite を選んで PostgreSQL をやめた理由は？", 1),
        ("useAuth", 3),
        ("useAuth の undefined を直して", 3),
        ("/review useAuth の undefined", 3),
        ("why was useAuth undefined?", 3),
        ("database is locked を直した方法", 4),
        ("文字化けしたメールの件名はどう直した？", 9),
        ("このエラーを調べて\n```\ndatabase is locked\n```\nDB の返却でまた出た", 4),
    ],
)
def test_a_prompt_about_something_said_brings_it_to_mind_first(shared, prompt, number):
    assert questions(shared.prompt(prompt))[:1] == [TALK[number][0]]


@pytest.mark.parametrize(
    ("prompt", "silence"),
    [
        ("はい", Silence.SMALL_TALK),
        ("READMEのtypoを直して", Silence.ORDER),
        ("run the tests again", Silence.ORDER),
        ("コミットして", Silence.ORDER),
        ("/compact", Silence.COMMAND),
        ("<task-notification>\n<summary>鍵</summary>\n</task-notification>", Silence.MACHINE),
        ("🗝", Silence.WORDLESS),
        ("zyzzyva", Silence.NOTHING),
        ("Kubernetes の HPA で鍵を Pod に渡す条件は？", Silence.WEAK),
        ("ダークモードの画像の色を青にして", Silence.WEAK),
    ],
)
def test_a_prompt_about_nothing_said_is_answered_with_silence_and_its_reason(shared, prompt, silence):
    recollection = shared.prompt(prompt)
    assert (recollection.hits, recollection.silence) == ((), silence)


def test_a_single_word_that_most_memories_hold_is_too_vague(empty):
    for number in range(30):
        empty.add(f"画面 {number} 番", "保存した")
    assert empty.prompt("画面").silence is Silence.VAGUE


def test_an_empty_archive_is_silent(empty):
    assert empty.prompt("鍵はどこ？").hits == ()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(max_size=300) | st.text(alphabet="</>-recalmoisytm 鍵テスト🗝\ud800\0\x1b!", max_size=80))
def test_any_text_is_answered(shared, text):
    recollection = shared.prompt(text)
    assert bool(recollection.hits) != bool(recollection.silence)


@pytest.mark.parametrize(
    "huge", ["x = 1 # ERROR at foo\n" * 50_000, "鍵を設定する。" * 150_000, "<a" * 500_000]
)
def test_a_huge_prompt_costs_no_more_than_its_ends(shared, huge):
    recollection = shared.prompt(huge)
    assert len(recollection.terms) <= 32


def test_what_is_pasted_does_not_drown_what_was_asked(shared):
    pasted = "\n".join(f"2026-01-01 12:00:{number % 60:02} worker {number} idle" for number in range(9_000))
    assert questions(shared.prompt(f"database is locked がまた出た\n{pasted}"))[:1] == [TALK[4][0]]


def test_what_the_session_has_before_its_eyes_is_not_recalled(archive):
    own = archive.add("在庫の締め時刻は？", "毎晩二十時です。", session="mine")
    assert questions(archive.prompt("在庫の締め時刻", session="mine")) == []
    assert questions(archive.prompt("在庫の締め時刻", session="other")) == [own.question]
    assert questions(archive.prompt("在庫の締め時刻", session="other", shown=frozenset({own.id}))) == []


def test_what_was_said_before_the_last_compaction_comes_back(archive):
    own = archive.add(
        "在庫の締め時刻は？", "毎晩二十時です。", session="mine", asked_at=NOW - timedelta(hours=2)
    )
    compacted = {"session": "mine", "compacted_at": NOW - timedelta(hours=1)}
    assert questions(archive.prompt("在庫の締め時刻", **compacted)) == [own.question]


def test_a_question_that_was_never_answered_is_not_recalled(archive):
    archive.add("在庫の締め時刻は？", "", status=Status.UNANSWERED)
    assert archive.prompt("在庫の締め時刻").hits == ()


@pytest.mark.parametrize("name", ["ゾルマ", "ミズカゲ", "さざれい"])
def test_a_name_that_is_cut_otherwise_in_its_memory_is_recalled_all_the_same(archive, name):
    made = archive.add(f"{name}駅前店の棚卸はいつ？", "月末です。")
    assert questions(archive.prompt(name))[:1] == [made.question]


def test_a_muted_memory_is_never_recalled(archive):
    found = archive.prompt("会議の議事録").hits[0]
    archive.store.mute(found.memory.id, muted=True)
    assert archive.prompt("会議の議事録").hits == ()


@pytest.mark.parametrize("field", ["auto", "sidechain"])
def test_programs_and_sub_agents_are_not_recalled(archive, field):
    archive.add("在庫の締め時刻は？", "毎晩二十時です。", **{field: True})
    assert archive.prompt("在庫の締め時刻").hits == ()


def test_of_two_projects_the_asking_one_comes_first_and_the_other_is_not_shut_out(archive):
    for project in ("/code/shop", "/code/bakery"):
        archive.add(f"{project} の締め時刻は何時？", "二十時です。", project=project, asked_at=NOW)
    for project in ("/code/shop", "/code/bakery"):
        best = archive.prompt("締め時刻は何時？", project=project).hits[0]
        assert best.memory.exchange.project == project


def test_a_question_asked_twice_is_recalled_once_and_newer_first(archive):
    for days in (90, 1):
        asked = NOW - timedelta(days=days)
        archive.add("ログの保存期間は何日にする？", f"{days} 日前に決めました。", asked_at=asked)
    (hit,) = archive.prompt("ログの保存期間").hits
    assert hit.memory.exchange.answer == "1 日前に決めました。"


def test_no_more_than_the_limit_is_recalled(archive):
    for name in ("赤い", "丸い", "古い", "大きい"):
        archive.add(f"{name}棚卸表の印刷を{name}紙で試した結果", f"{name}ものは読めました。" * 5)
    assert len(archive.prompt("棚卸表の印刷", limit=2).hits) == 2


def test_the_trace_tells_the_evidence(shared):
    trace = dict(shared.prompt("鍵の場所は？").hits[0].trace)
    assert {"words", "fused", "fresh", "near", "score"} <= trace.keys()
    assert {"covered", "held", "missed", "order", "evidence", "bar"} <= trace.keys()
    assert trace["evidence"] >= trace["bar"]


def test_what_the_bar_turned_away_is_told(shared):
    refused = shared.prompt("Kubernetes の鍵で Pod を増やす HPA の条件は？").refused
    assert 0 < len(refused) <= 3
    assert all(dict(hit.trace)["evidence"] < 0.5 for hit in refused)


def test_the_words_of_the_cue_are_told_and_small_talk_is_none_of_them(shared):
    assert set(shared.prompt("それでお願いします。鍵の場所は？").terms) == {"鍵", "場所"}


def test_a_vector_is_made_only_when_something_is_asked(archive):
    embedder = FakeEmbedder()
    archive.embed(embedder)
    asked: list[str] = []

    def embed(text):
        asked.append(text)
        return lambda: embedder.embed_query(text)

    assert archive.prompt("はい", embed=embed).silence is Silence.SMALL_TALK
    assert asked == []
    (hit, *_) = archive.prompt("会議の議事録", embed=embed).hits
    assert asked == ["会議の議事録"]
    assert {"vectors", "vectors rank"} <= dict(hit.trace).keys()


def test_a_vector_that_is_late_is_done_without_and_told(archive):
    recollection = archive.prompt("会議の議事録", embed=lambda text: lambda: None)
    assert recollection.late
    assert dict(recollection.hits[0].trace)["late"] == 1.0
    assert not archive.prompt("会議の議事録").late


@pytest.mark.parametrize("prompt", ["先週の会議の議事録に戻して", "この間の会議の続き"])
def test_an_order_that_names_the_days_of_something_said_is_no_plain_order(archive, prompt):
    dated = archive.prompt(prompt)
    assert dated.hits
    assert not any(dict(hit.trace)["order"] for hit in dated.hits)
