"""Words that are not Japanese: whole, in parts, or left out."""

import pytest

from sui_memory.language.identifiers import word_terms, words


def terms(text):
    return [term for word in words(text) for term in word_terms(word).split()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("foo_bar.py", ["foo_bar.py", "foo_bar", "foo", "bar", "py"]),
        ("useAuth", ["useauth", "use", "auth"]),
        ("HTMLParser", ["htmlparser", "html", "parser"]),
        ("OAuth2Client", ["oauth2client", "auth2", "client"]),
        ("iOS", ["ios"]),  # humps too short to mean anything
        ("E1101", ["e1101"]),
        ("src/app/main.ts", ["src/app/main.ts", "src", "app", "main.ts", "main", "ts"]),
        ("./src/app", ["src/app", "src", "app"]),
        ("foo::bar", ["foo::bar", "foo", "bar"]),
        ("HEAD~3", ["head~3", "head"]),
        ("CVE-2024-1234", ["cve-2024-1234", "cve", "2024", "1234"]),
        ("#1234", ["#1234", "1234"]),
        ("v2.1.0", ["v2.1.0", "2.1.0", "v2"]),
        ("--no-verify", ["--no-verify", "no-verify", "verify"]),
        ("@scope/pkg", ["@scope/pkg", "scope/pkg", "scope", "pkg"]),
        (".env", [".env", "env"]),
        ("C++ と C#", ["c++", "c#"]),
        ("https://docs.rs/serde", ["docs.rs/serde", "docs.rs", "docs", "rs", "serde"]),
        ("user@example.com", ["user@example.com", "user@example", "user", "example", "com"]),
        ("2024-01-15 12:30", ["2024-01-15", "2024", "12:30"]),
        ("Résumé Привет 안녕", ["résumé", "привет", "안녕"]),
    ],
)
def test_an_identifier_is_found_whole_and_by_its_parts(text, expected):
    assert terms(text.replace("と", "")) == expected


@pytest.mark.parametrize("text", ["the of and", "don't it's we'll", "-- ... ## @ //", ""])
def test_stop_words_and_punctuation_give_nothing(text):
    assert terms(text) == []


def test_a_stop_word_in_capitals_is_another_word():
    assert terms("IT it OR or") == ["it", "or"]


@pytest.mark.parametrize(
    "data",
    ["iVBORw0KGgo" * 40, "aB3/x+9Q" * 30, "f" * 65, "x_" * 400],
    ids=["base64 without joints", "base64", "hash too long", "no spaces at all"],
)
def test_encoded_data_gives_nothing(data):
    assert terms(f"before {data} after") == ["before", "after"]


def test_a_long_path_keeps_the_parts_that_are_short_enough():
    path = "packages/" + "very-long-folder-name/" * 4 + "main.test.ts"
    assert terms(path)[:2] == ["packages", "very-long-folder-name"]
    assert "main.test.ts" in terms(path)
