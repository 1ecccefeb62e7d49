"""From text to index terms, and back out of a real FTS5 table."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sui_memory.language import FTS_TOKENIZER, JapaneseAnalyzer

ANALYZER = JapaneseAnalyzer()
ANY_TEXT = st.text(st.characters(exclude_categories=()))
MIXED_TEXT = st.lists(
    st.sampled_from(
        ["再実行", "サーバー", "を", "。", "\n", " ", "useAuth", "a/b.py", "#12", "ｶﾞ", "\ue000", "𠮷", "é"]
    )
    | ANY_TEXT
).map("".join)


def table(*texts):
    database = apsw.Connection(":memory:")
    database.execute(f'create virtual table words using fts5(terms, tokenize="{FTS_TOKENIZER}")')
    database.executemany("insert into words(terms) values (?)", [(ANALYZER.terms(text),) for text in texts])
    return database


def found(database, query):
    phrases = " OR ".join(f'"{term}"' for term in ANALYZER.query_terms(query))
    return bool(list(database.execute("select 1 from words where words match ?", (phrases,))))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("会議の議事録を共有した", "会議 議事 録 共有"),
        ("再実行gen-itgc後50件", "再 実行 gen-itgc gen itgc 後 50 件"),
        ("サーバとサーバーとｻｰﾊﾞｰ", "サーバ サーバ サーバ"),
        ("彼に会って、またあう", "会う 又 会う"),
        ("美しかった。静かな鍵", "美しい 静か 鍵"),
        ("東京の佐藤さん", "東京 佐藤"),  # proper names as written, さん is no word
        ("レンダラーとレンダラ", "レンダラ レンダラ"),  # not in the dictionary
        ("これはそれであるということです", ""),
        ("ＡＰＩキー", "api キー"),
        ("ログか\u3099消えた", "ログ 消える"),
        ("𠮷useAuth", "𠮷 useauth use auth"),
        ("useAuthで\ue000認証", "useauth use auth 認証"),  # our own placeholder in a text
        ("鍵\0穴\ud800門", "鍵 穴 門"),
        ("", ""),
        (" \n\t😀→…", ""),
    ],
)
def test_terms_are_content_words_and_identifiers_in_order(text, expected):
    assert ANALYZER.terms(text) == expected


@pytest.mark.parametrize(
    "query", ["会議", "議事", "共有", "itgc", "gen-itgc", "会議 共有", "議事録共有方法", "実行", "件", "50件"]
)
def test_short_and_glued_japanese_is_found(query):
    assert found(table("会議の議事録を共有した", "再実行gen-itgc後50件"), query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("src/app/main.ts を直した", "main.ts"),
        ("error TS2345 in useAuth", "ts2345"),
        ("Fixed the failing tests", "failed test"),  # stems
        ("秘密鍵を作る", "鍵"),
        ("CIが落ちた", "CI"),
        ("IT業界", "it"),
        ("初期値と文字列型", "型"),
    ],
)
def test_what_is_asked_in_other_words_is_found(text, query):
    assert found(table(text), query)


def test_query_terms_are_distinct_and_in_order():
    assert ANALYZER.query_terms("How do I call useAuth from 認証 and useAuth?") == [
        "call",
        "useauth",
        "use",
        "auth",
        "認証",
    ]


@pytest.mark.parametrize(("query", "expected"), [("to be", ["to", "be"]), ("する", ["する"]), ("?!", [])])
def test_a_query_of_stop_words_alone_keeps_them(query, expected):
    assert ANALYZER.query_terms(query) == expected


@settings(deadline=None)  # the first text loads the dictionary
@given(MIXED_TEXT)
def test_any_text_gives_clean_terms_of_bounded_length(text):
    terms = ANALYZER.terms(text)
    assert terms == " ".join(terms.split())
    assert all(len(term) <= 64 for term in terms.split())
    assert not set(terms) & set('"\0\ue000')
    terms.encode()


@settings(deadline=None)  # the first text loads the dictionary
@given(MIXED_TEXT)
def test_a_text_gives_the_same_terms_whatever_came_before(text):
    assert ANALYZER.terms(text) == JapaneseAnalyzer().terms(text)


@settings(deadline=None)  # the first text loads the dictionary
@given(MIXED_TEXT)
def test_a_text_asks_for_its_own_terms(text):
    assert set(ANALYZER.terms(text).split()) <= set(ANALYZER.query_terms(text))


@pytest.mark.parametrize(
    "text",
    [
        "foo_bar.py useAuth E1101 src/app/main.ts foo::bar",
        "HEAD~3 CVE-2024-1234 #1234 v2.1.0 --no-verify @scope/pkg c++ c#",
    ],
)
def test_every_term_is_one_token_of_the_index(text):
    database = table(text)
    database.execute("create virtual table tokens using fts5vocab(words, instance)")
    (tokens,) = next(database.execute("select count(*) from tokens"))
    assert tokens == len(ANALYZER.terms(text).split())


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(
        ["会議の議事録", "漢", "a", "a.", "-", "😀", "\ue000", "'", "か\u3099", "𠮷", " ", "aB/+"]
    )
)
def test_a_long_text_without_spaces_is_no_trouble(unit):
    ANALYZER.terms(unit * 20_000)


def test_a_long_text_gives_what_its_lines_give():
    line = "会議の議事録を共有した。useAuthを直す\n"
    assert ANALYZER.terms(line * 1_000).split() == ANALYZER.terms(line).split() * 1_000


def test_threads_may_share_an_analyzer():
    texts = [f"会議{number}の議事録をuse{number}で共有した" for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(JapaneseAnalyzer().terms, texts)) == [ANALYZER.terms(text) for text in texts]


def test_the_version_names_rules_and_dictionary():
    assert ANALYZER.version.startswith("sui 1, unidic-lite 1.")


def test_the_dictionary_is_not_loaded_before_it_is_needed():
    code = (
        "import sys; from sui_memory.language import JapaneseAnalyzer; analyzer = JapaneseAnalyzer();"
        "analyzer.version; analyzer.terms('plain English'); sys.exit('fugashi' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
