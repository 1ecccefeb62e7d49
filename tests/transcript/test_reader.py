"""Damaged, foreign and growing files: every whole record is read, once, and everything else is counted."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sui_memory.transcript.foreign import foreign_format
from sui_memory.transcript.lines import MAX_LINE, read_lines
from sui_memory.transcript.records import parse_line
from tests.transcript.script import Script, cut, read, talk

QUESTIONS = ["採番の規則は？", "毎月戻る？", "欠番は？"]


def sample() -> Script:
    script = Script()
    for number, question in enumerate(QUESTIONS):
        script.turn(question, f"答え{number}です。")
    return script


EXPECTED = talk(sample())
LINES = sample().lines


def damage(name: str) -> bytes:
    one, two, three, four, five, six = LINES
    torn = one[: len(one) // 2]
    odd = b'{"type":"progress","n":'
    cases = {
        "CRLF": b"\r\n".join(LINES) + b"\r\n",
        "BOM first": b"\xef\xbb\xbf" + b"\n".join(LINES) + b"\n",
        "BOM in the middle": b"\n".join([one, two, b"\xef\xbb\xbf" + three, four, five, six]) + b"\n",
        "glued": one + two + b"\n" + three + four + five + six + b"\n",
        "glued with blanks": one + b"  \t" + two + b"\n" + b"\n".join([three, four, five, six]) + b"\n",
        "torn before": torn + one + b"\n" + b"\n".join([two, three, four, five, six]) + b"\n",
        "torn on its line": torn + b"\n" + b"\n".join(LINES) + b"\n",
        "torn by a short piece": b'{"type":"pr-link","prNu' + one + b"\n" + b"\n".join(LINES[1:]) + b"\n",
        "torn behind": one + torn + b"\n" + b"\n".join([two, three, four, five, six]) + b"\n",
        "NUL run on the line": b"\0" * 9000 + one + b"\n" + b"\n".join(LINES[1:]) + b"\n",
        "NUL line at the end": b"\n".join(LINES) + b"\n" + b"\0" * 143_000,
        "NUL inside a record": one[:40] + b"\0" * 64 + one[40:] + b"\n" + b"\n".join(LINES[1:]) + b"\n",
        "blank lines": b"\n\n".join(LINES) + b"\n\n \n\t\n",
        "no newline at the end": b"\n".join(LINES),
        "other JSON": b"\n".join([b'"a string"', b"[1, 2]", b"12", b"null", b"true", b"{}", *LINES]) + b"\n",
        "plain text": b"\n".join([b"hello", one, b"Error: { not json", *LINES[1:]]) + b"\n",
        "half a line at the end": b"\n".join(LINES) + b"\n" + torn,
        "deep nesting": b"\n".join([one, odd + b"[" * 999 + b"]" * 999 + b"}", *LINES[1:]]) + b"\n",
        "deep nesting 2": b"\n".join([one, odd + b'{"a":' * 600 + b"1" + b"}" * 601, *LINES[1:]]) + b"\n",
        "a torn deep line": b"\n".join([one, odd + b'[{"a":' * 5000, *LINES[1:]]) + b"\n",
        "a huge number": b"\n".join([one, odd + b"9" * 5000 + b"}", *LINES[1:]]) + b"\n",
        "NaN": b"\n".join([one, odd + b"NaN}", *LINES[1:]]) + b"\n",
    }  # fmt: skip
    return cases[name]


DAMAGES = [
    "CRLF", "BOM first", "BOM in the middle", "glued", "glued with blanks", "torn before", "torn on its line",
    "torn by a short piece", "torn behind", "NUL run on the line", "NUL line at the end",
    "NUL inside a record",
    "blank lines", "no newline at the end", "other JSON", "plain text", "half a line at the end",
    "deep nesting", "deep nesting 2", "a torn deep line", "a huge number", "NaN",
]  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_never_loses_a_whole_record(name: str) -> None:
    assert talk(damage(name)) == EXPECTED


@pytest.mark.parametrize("name", DAMAGES)
def test_every_record_is_used_or_skipped_for_a_reason(name: str) -> None:
    reading = read(damage(name))
    assert reading.used == len(LINES)
    assert reading.read == reading.used + reading.skipped.total()
    assert all(reading.skipped)


def test_a_record_glued_to_a_torn_one_is_not_taken_for_its_child() -> None:
    script = Script()
    script.user("入れ子の記録は？")
    nested = json.dumps({"type": "user", "message": {"role": "user", "content": "QUOTED"}}).encode()
    line = b'{"type":"progress","data":' + nested + b',"torn":"ye' + script.lines[0]
    assert [human for human, _ in talk(line + b"\n")] == ["入れ子の記録は？"]


@pytest.mark.parametrize("kind", ["user", "bash_progress"])
def test_what_lies_in_a_torn_record_is_no_record_for_having_a_session(kind: str) -> None:
    script = Script()
    script.user("破れた行は？")
    message = {"role": "user", "content": "QUOTED"}
    nested = json.dumps({"type": kind, "sessionId": script.session, "message": message}).encode()
    line = b'{"type":"progress","data":' + nested + b',"torn":"ye' + script.lines[0]
    assert [human for human, _ in talk(line + b"\n")] == ["破れた行は？"]


def test_a_queue_record_behind_a_torn_one_is_found() -> None:
    script = Script()
    script.user("破れた行は？")
    script.queue("enqueue", "追記")
    script.queue("remove")
    data = script.lines[0] + b"\n" + script.lines[0][:60] + script.lines[1] + b"\n" + script.lines[2] + b"\n"
    assert [human for human, _ in talk(data)] == ["破れた行は？\n\n追記"]


def test_the_search_in_a_long_damaged_line_is_given_up() -> None:
    script = Script()
    script.turn("長い破れた行は？", "飛ばします。")
    torn = b'{"a":' * 900 + b'"' + b"x" * 8_000_000
    assert talk(torn + b"\n" + script.data()) == [("長い破れた行は？", "飛ばします。")]


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_only_a_newline_ends_a_line(separator: str) -> None:
    script = Script()
    script.turn(f"前{separator}後", "はい。")
    assert len(cut(script)) == 1


def test_invalid_utf8_inside_a_string_is_replaced() -> None:
    script = Script()
    script.turn("文字化け：", "直しました。")
    data = script.data().replace("文字化け：".encode(), "文字化け：".encode() + b"\x83\x81\xff")
    ((human, answer),) = talk(data)
    assert human.startswith("文字化け：")
    assert "\N{REPLACEMENT CHARACTER}" in human
    assert answer == "直しました。"


@pytest.mark.parametrize("escape", [b"\\ud83c", b"\\udf63", b"\\ud83c\\ud83c\\udf63"])
def test_lone_surrogates_become_replacement_characters(escape: bytes) -> None:
    script = Script()
    script.turn("絵文字X切れ", "はいX。")
    exchanges = cut(script.data().replace(b"X", escape))
    assert "\N{REPLACEMENT CHARACTER}" in exchanges[0].question
    assert exchanges[0].text.encode("utf-8")


def test_whole_surrogate_pairs_are_characters() -> None:
    script = Script()
    script.turn("寿司X", "はい。")
    assert talk(script.data().replace(b"X", b"\\ud83c\\udf63")) == [("寿司🍣", "はい。")]


ODD: list[dict[str, Any]] = [
    {"timestamp": 12}, {"timestamp": "yesterday"}, {"cwd": 5}, {"cwd": None}, {"version": 2.1},
    {"gitBranch": []},
    {"isMeta": "no such thing"}, {"entrypoint": {"a": 1}}, {"origin": 7}, {"origin": []}, {"promptSource": 1},
    {"toolUseResult": 3}, {"toolUseResult": {"answers": "x"}}, {"toolUseResult": ["x"]}, {"parentUuid": 4},
    {"attachment": "x"}, {"forkedFrom": 1}, {"isSidechain": "nope"}, {"agentId": 1}, {"operation": 1},
]  # fmt: skip


@pytest.mark.parametrize("fields", ODD, ids=str)
def test_a_field_of_a_wrong_type_counts_as_missing(fields: dict[str, Any]) -> None:
    script = Script()
    script.user("型の違う欄", **fields)
    script.say("読めます。", **fields)
    assert talk(script) == [("型の違う欄", "読めます。")]


@pytest.mark.parametrize(
    "content",
    [None, 5, {}, [], [1, None, "x"], [{"type": 3}], [{"type": "text"}], [{"type": "text", "text": 5}],
     [[]], {"type": "text", "text": "x"}],
    ids=str,
)  # fmt: skip
def test_content_of_a_wrong_type_is_survived(content: Any) -> None:
    script = sample()
    script.user(content)
    script.say(content)
    script.raw({"type": "user", "message": content})
    script.raw({"type": "assistant", "message": "text"})
    script.turn("最後", "はい。")
    assert ("最後", "はい。") in talk(script)


@pytest.mark.parametrize("text", [12, {"nested": "x"}, None, True], ids=str)
def test_one_odd_block_does_not_cost_the_others(text: Any) -> None:
    script = Script()
    script.user([{"type": "text", "text": text}, {"type": "text", "text": "残る言葉"}])
    script.say(
        [{"type": "text", "text": text}, {"type": "text", "text": "残る答え"}, {"type": "new_kind", "x": 1}]
    )
    ((human, answer),) = talk(script)
    assert "残る言葉" in human
    assert "残る答え" in answer


def test_a_version_with_hardly_any_fields_is_read() -> None:
    lines = [
        {"type": "user", "message": {"content": "最小の記録"}},
        {"type": "assistant", "message": {"content": "答え"}},
        {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "二つ目"}]}},
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "答え二"}]},
        },
    ]
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    assert talk(data) == [("最小の記録", "答え"), ("二つ目", "答え二")]
    assert len({exchange.key for exchange in cut(data)}) == 2


def test_unknown_kinds_are_counted_by_name_and_kept_in_the_raw_archive() -> None:
    script = sample()
    script.write({"type": "hologram", "payload": {"text": "新しい種類"}})
    script.write({"type": "attachment", "attachment": {"type": "new_attachment", "content": "x"}})
    script.write({"type": "system", "subtype": "new_subtype"})
    script.turn("続き", "はい。")
    reading = read(script.data())
    assert reading.skipped["unknown:hologram"] == 1
    assert reading.skipped["attachment:new_attachment"] == 1
    assert reading.skipped["system:new_subtype"] == 1
    assert any(b"hologram" in record for record in reading.records)
    assert talk(script)[-1] == ("続き", "はい。")


def test_the_order_of_keys_and_blanks_do_not_matter() -> None:
    script = sample()
    reordered = b"".join(
        json.dumps(dict(sorted(record.items())), separators=(" , ", " : ")).encode() + b"\n"
        for record in script.records
    )
    assert talk(reordered) == EXPECTED


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_what_is_read_in_pieces_is_what_is_read_at_once(data: st.DataObject) -> None:
    whole = b"\n".join([LINES[0] + LINES[1], b'{"torn":"' + LINES[2], *LINES[3:]])
    border = data.draw(st.integers(0, len(whole)))
    first = read(whole[:border])
    second = read(whole, first.offset)
    assert first.offset <= border
    assert [*first.records, *second.records] == read(whole).records
    assert first.used + second.used == len(LINES)


@given(st.binary(max_size=400))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_survived(noise: bytes) -> None:
    reading = read(noise)
    assert 0 <= reading.offset <= len(noise)
    cut(noise)
    cut(b"\n".join([*LINES, noise, *LINES]) + b"\n")


FIELDS = st.sampled_from(
    [
        "type",
        "message",
        "content",
        "text",
        "uuid",
        "parentUuid",
        "attachment",
        "prompt",
        "timestamp",
        "toolUseResult",
        "answers",
        "id",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(FIELDS, inner),
    max_leaves=12,
)
KINDS = st.sampled_from(["user", "assistant", "queue-operation", "attachment", "system", "progress"])


@given(JSON, KINDS)
@settings(max_examples=300, deadline=None)
def test_any_json_is_survived(value: Any, kind: str) -> None:
    record = {**(value if isinstance(value, dict) else {"message": value}), "type": kind}
    line = json.dumps(record).encode() + b"\n"
    reading = read(line)
    assert reading.offset == len(line)
    cut(line)


def test_an_incomplete_line_waits() -> None:
    data = b"\n".join(LINES)
    reading = read(data[:-3])
    assert reading.offset <= data.rindex(b"\n") + 1
    assert reading.used == len(LINES) - 1


def test_a_very_long_line_is_passed_over_in_bounded_memory() -> None:
    long = b'{"type":"user","message":{"content":"' + b"word " * (MAX_LINE // 4) + b'"}}'
    reading = read(LINES[0] + b"\n" + long + b"\n" + LINES[1] + b"\n")
    assert (reading.used, reading.skipped["oversized line"]) == (2, 1)


def test_the_words_beside_a_large_image_are_kept() -> None:
    script = Script()
    image = {"type": "image", "source": {"type": "base64", "data": "QUJD" * 1_000_000}}
    script.user([{"type": "text", "text": "この画面の崩れを直して"}, image])
    script.say("直しました。")
    assert max(len(line.text) for line in read_lines(io.BytesIO(script.data()), 0)) < 4_000_000
    assert talk(script) == [("この画面の崩れを直して", "直しました。")]


def test_nested_records_are_not_found_in_a_sound_line() -> None:
    parsed = parse_line(LINES[0] + b" trailing noise")
    assert (len(parsed.objects), parsed.damaged) == (1, 1)


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b'{\n  "sessionId": "x",\n  "messages": [\n', "a Gemini session"),
        (b'{\n  "hello": 1\n}\n', "pretty-printed JSON"),
        (b'{"timestamp":"t","type":"session_meta","payload":{"id":"x"}}\n', "a Codex rollout"),
        (b'{"type":"started","id":"a"}\n{"type":"result","id":"a"}\n', "a workflow journal"),
        (
            b'{"sessionId":"x","projectHash":"h","messages":[{"type":"user","content":"q"}]}',
            "a Gemini session",
        ),
        (b'{"messages": [{"type":"gemini"}], "sessionId": "x"}\n', "a Gemini session"),
        (b'{"sessionId":"x","messages":[{"type":"user","content":"' + b"q" * 70_000, "a Gemini session"),
        (b'{"sessionId":"x","projectHash":"h","startTime":"t","kind":"main"}\n', "a Gemini session"),
        (b'{"payload":{"id":"x"},"timestamp":"t","type": "session_meta"}\n', "a Codex rollout"),
        (b'{"payload":{"type":"agent_message"},"type":"event_msg"}\n', "a Codex rollout"),
        (b'{"id":"a","agent":"b","type": "started"}\n', "a workflow journal"),
        (b"just some text\n", "not JSON lines"),
        (LINES[0] + b"\n", None),
        (b"\0\0\0\n" + LINES[0] + b"\n", None),
        (b"", None),
        (b'torn":"x"}\n' + LINES[0], None),
    ],
)
def test_other_programs_files_are_named(head: bytes, name: str | None) -> None:
    assert foreign_format(head) == name
