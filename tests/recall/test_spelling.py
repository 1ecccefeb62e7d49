"""What stands in for the words that no memory holds."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sui_memory.recall.gate import Silence
from sui_memory.recall.spelling import HOMOPHONE, MISREAD, SURE, respelled

TALK = [
    ("定例の会議は何時から?", "毎週水曜 14:30 です"),
    ("deploy の手順を教えて", "踏み台サーバに入って kubernetes の context を切り替えます"),
    ("なぜ postgres を選んだ?", "トランザクションが要るからです。database は一つで足ります"),
    ("棚番の頭文字は?", "冷凍は Z で始まります"),
    ("バッチが落ちたときの電話の順番", "岩瀬さん、上野さんです"),
    ("レベルが頭打ちになる", "上限は 20 です"),
    ("デプロイメントの設定", "v1.2.3 を使います。color は gray です"),
]


@pytest.fixture(name="archive")
def archive_fixture(empty):
    for question, answer in TALK:
        empty.add(question, answer)
    return empty


def spelled(archive, text):
    analyzer = archive.tools.analyzer
    return respelled(text, analyzer.query_terms(text), store=archive.store, analyzer=analyzer)


@pytest.mark.parametrize(
    ("romaji", "text", "terms"),
    [
        ("kaigi no jikan dokodakke", "会議のじかんどこだっけ", ("会議", "じかん")),
        ("deploy no tejun", "deploy の手順", ("deploy", "手順")),
        ("fumidai saabaa wa?", "踏み台サーバは", ("踏み台", "サーバ")),  # a long end is optional
        ("tanaban no atama", "棚番の頭", ("棚", "番", "頭")),  # a compound of two terms
        ("batti ga otita", "バッチが落ちる", ("バッチ", "落ちる")),  # inflected, and by the keys of an IME
        ("reberu atama uchi", "レベル頭打ち", ("レベル", "頭打ち")),  # one word, typed as two
        ("ARIGATOU", "ありがとう", ("ありがとう",)),
    ],
)
def test_a_prompt_in_romaji_is_read_as_japanese(archive, romaji, text, terms):
    found = spelled(archive, romaji)
    assert (found.text, found.terms) == (text, terms)
    assert set(found.trust.values()) == {SURE}


@pytest.mark.parametrize(
    "text",
    [
        "what is the kaigi about",  # English around it
        "rename the banana route",
        "banana",  # may be read, but is in no memory
        "make a note",
        "会議の時間",
        "postgres database",
        "",
        "?",
    ],
)
def test_other_prompts_stay_as_they_are(archive, text):
    terms = tuple(archive.tools.analyzer.query_terms(text))
    found = spelled(archive, text)
    assert (found.text, found.terms, found.trust) == (text, terms, {})


@pytest.mark.parametrize(
    ("typed", "meant", "least"),
    [
        ("postgers", "postgr", 0.6),
        ("databse", "databas", 0.7),
        ("colour", "color", 0.6),
        ("懐疑", "会議", HOMOPHONE),
        ("デプロイメト", "デプロイメント", 0.6),
    ],
)
def test_a_word_that_no_memory_holds_is_taken_for_its_neighbour(archive, typed, meant, least):
    found = spelled(archive, f"{typed} 手順")
    assert found.terms == (meant, "手順")
    assert least <= found.trust[meant] < 1


@pytest.mark.parametrize("typed", ["v1.2.4", "タイトル", "thanks", "src/databse.py", "cola"])
def test_numbers_real_words_and_paths_are_no_slips(archive, typed):
    terms = archive.tools.analyzer.query_terms(typed)
    assert spelled(archive, typed).terms[0] == terms[0]


def test_two_kanji_that_are_no_word_are_taken_for_the_word_that_sounds_like_them(archive):
    archive.add("受信の条件", "問題のある値だけ調整します")
    found = spelled(archive, "受信の状件と門題の長製")
    assert found.terms == ("受信", "条件", "問題", "調整")
    assert found.trust == dict.fromkeys(["条件", "問題", "調整"], MISREAD)


def test_a_guess_covers_less_than_the_word_itself(archive):
    def evidence(text):
        return dict(archive.prompt(text).hits[0].trace)["covered"]

    assert evidence("postgers を選んだ") < evidence("postgres を選んだ") == 1


def test_a_prompt_in_romaji_brings_its_memory_to_mind(archive):
    recollection = archive.prompt("teirei kaigi nanji kara")
    assert recollection.hits[0].memory.exchange.question == TALK[0][0]
    assert set(recollection.terms) == {"定例", "会議"}


def test_a_search_finds_what_was_meant(archive):
    assert archive.questions("kaigi")[0] == TALK[0][0]
    assert archive.questions("postgers")[0] == TALK[2][0]


@pytest.mark.parametrize("text", ["arigatou", "ohayou", "arigatou gozaimasu"])
def test_small_talk_in_romaji_is_small_talk(archive, text):
    assert archive.prompt(text).silence == Silence.SMALL_TALK


@given(text=st.text(max_size=60) | st.text("aeioukstnhmr '-?", max_size=60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
def test_any_text_can_be_respelled(archive, text):
    found = spelled(archive, text)
    assert all(0 <= trust <= 1 for trust in found.trust.values())
    assert found.trust.keys() <= set(found.terms)
