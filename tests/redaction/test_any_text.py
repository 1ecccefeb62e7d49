"""What holds for every text, however strange."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.redaction import redact
from tests.redaction.examples import kept, masked

FRAGMENTS = [
    *(example.text for example in masked()),
    *kept(),
    *(
        "password",
        "token",
        "secret",
        "パスワード",
        "秘密鍵",
        "PIN",
        "AKIA",
        "sk-",
        "ghp_",
        "eyJ",
        "-u",
        "--token",
    ),
    *(
        "-----BEGIN",
        "Authorization:",
        "Bearer",
        "://",
        "@",
        "user:",
        "[REDACTED:",
        "]",
        "[REDACTED:password]",
    ),
    *(
        "<private>",
        "</private>",
        "`",
        '"',
        "'",
        " ",
        "=",
        ":",
        "：",
        "は",
        "「",
        "」",
        "（",
        "）",
        "\\",
        "\\n",
        "\n",
    ),
]
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=8), max_size=8).map("".join)
LONG = 200_000
"""Characters: enough that quadratic time could not be missed."""


@given(TEXTS)
def test_redacting_again_changes_nothing(text):
    redacted, _ = redact(text)
    assert redact(redacted) == (redacted, 0)


@given(TEXTS)
def test_nothing_is_counted_that_does_not_change_the_text(text):
    redacted, count = redact(text)
    assert (count == 0) == (redacted == text)


@given(st.text(st.characters(), max_size=200))
def test_any_string_is_taken(text):
    redact(text)


def test_lone_surrogates_are_no_obstacle():
    assert redact("\ud83d password=hunter2 \udc00")[0] == "\ud83d password=[REDACTED:password] \udc00"


@pytest.mark.parametrize("secret", [example.text for example in masked()], ids=lambda text: repr(text[:40]))
def test_a_secret_after_much_harmless_text_is_found_too(secret):
    assert redact("x\n" * 500 + "\n" + secret)[1]


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "a",
            " ",
            '"',
            "'",
            "-",
            "あ",
            "<private>",
            "<private ",
            "</private>",
            "eyJ",
            "eyJhbGciOi.",
            "AAAA",
        ),
        *(
            "password=",
            "password: ",
            'password="',
            "token:",
            "パスワード：",
            "パスワードは",
            "_KEY=",
            "sk-a1-",
        ),
        *("-----BEGIN", "-----BEGIN PRIVATE KEY-----", "Authorization: ", "Cookie: a=", "[REDACTED:"),
        *("://", "://a:", "mysql ", " -u a:"),
        *("passwordは", "パスワードは\n", "パスワード：\n\n", "passphrase: a1 ", "passphrase: ab cd ef "),
        *(
            "define('",
            "define('a_KEY','",
            "identified by '",
            "requirepass a",
            "Basic認証は a:",
            "＜private＞",
        ),
        *("password?\n→ ", 'password"="', "tokenを`", "パスワードを「"),
    ],
)
def test_much_of_anything_comes_to_an_end(unit):
    text = unit * (LONG // len(unit))
    redacted, _ = redact(text)
    assert len(redacted) <= 3 * len(text)


@pytest.mark.parametrize(
    ("before", "kind"),
    [
        ("password=", "password"),
        ('"password": "', "password"),
        ("パスワード：", "password"),
        ("X_TOKEN=", "token"),
        ("Authorization: Bearer ", "authorization"),
    ],
)
def test_a_value_longer_than_the_patterns_reach_is_masked_to_its_end(before, kind):
    assert redact(before + "a1" * 5000 + '" end')[0] == f'{before}[REDACTED:{kind}]" end'
