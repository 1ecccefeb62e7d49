import pytest

from sui_memory.redaction import Redactor, redact


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("a <private>b</private> c", "a [REDACTED:private] c"),
        ("a <PRIVATE>b</Private> c", "a [REDACTED:private] c"),
        ('a <private reason="x">b</private > c', "a [REDACTED:private] c"),
        ("a ＜private＞b＜/private＞ c", "a [REDACTED:private] c"),
        ("a ＜Private＞b＜／private＞ c", "a [REDACTED:private] c"),
        ("a ＜private＞b", "a [REDACTED:private]"),
        ("a <private>b\n\nc</private> d", "a [REDACTED:private] d"),
        ("a <private>b <private>c</private> d</private> e", "a [REDACTED:private] e"),
        ("a <private>b <private>c</private> d", "a [REDACTED:private]"),
        ("a <private>b", "a [REDACTED:private]"),
        ("<private></private>", "[REDACTED:private]"),
        ("`<private>b</private>` c", "`[REDACTED:private]` c"),
        ("<private>the tag `</private>` is not the end</private> c", "[REDACTED:private] c"),
        ("<private>password=hunter2</private>", "[REDACTED:private]"),
    ],
)
def test_private_blocks_are_removed_whole(text, redacted):
    assert redact(text) == (redacted, 1)


@pytest.mark.parametrize(
    "text",
    [
        "write `<private>` before and `</private>` after it",
        "a </private> b",
        "<privateer>b</privateer>",
        "<private/> and <private />",
        "private <priv>",
    ],
)
def test_talk_about_the_tag_stays(text):
    assert redact(text) == (text, 0)


def test_two_blocks_count_twice():
    assert redact("<private>a</private> b <private>c</private>") == (
        "[REDACTED:private] b [REDACTED:private]",
        2,
    )


def test_an_unclosed_block_runs_on_through_the_texts_of_its_message():
    message = Redactor()
    assert message.redact("a <private>b") == ("a [REDACTED:private]", 1)
    assert message.private
    assert message.redact("still secret") == ("[REDACTED:private]", 1)
    assert message.redact("secret</private> open") == ("[REDACTED:private] open", 1)
    assert not message.private
    assert message.redact("open") == ("open", 0)


def test_nesting_is_kept_from_one_text_to_the_next():
    message = Redactor()
    message.redact("<private> <private>")
    assert message.redact("a</private>b")[0] == "[REDACTED:private]"
    assert message.redact("c</private>d")[0] == "[REDACTED:private]d"


def test_the_next_message_starts_open():
    redact("<private>")
    assert redact("open") == ("open", 0)
