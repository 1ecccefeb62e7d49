from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.setup.failure import SetupError
from sui_memory.setup.splice import own_groups, read_settings, with_hooks, without_hooks

EVENTS = ("SessionStart", "UserPromptSubmit", "Stop")
GROUPS: dict[str, Any] = {
    event: {"hooks": [{"type": "command", "command": "ours", "timeout": 10}]} for event in EVENTS
}
OTHER = {"type": "command", "command": "theirs"}


def is_ours(handler: Any) -> bool:
    return isinstance(handler, dict) and handler.get("command") in {"ours", "ours of old"}


def put_in(text: str) -> str:
    return with_hooks(text, GROUPS, is_ours)


def take_out(text: str) -> str:
    return without_hooks(text, is_ours)


def without_empty_hooks(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings as Claude Code understands them: an event without an entry is no event."""
    events = {event: groups for event, groups in settings.get("hooks", {}).items() if groups}
    rest = {key: value for key, value in settings.items() if key != "hooks"}
    return {**rest, "hooks": events} if events else rest


# -- any document in any layout ---------------------------------------------------------------------------

SPACE = st.sampled_from(["", "", " ", "\n", "\r\n", "\t", "\n  ", " \n\t "])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.sampled_from(["{", "]", "//", '"', "\\", "日本語", "\ud83d\ude00"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
HANDLERS = st.sampled_from(
    [OTHER, {"command": "theirs", "args": []}, {"type": "command", "command": "ours of old"}]
)
LISTS = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.lists(HANDLERS, max_size=3)}, optional={"matcher": st.just("startup|resume")}
    ),
    max_size=3,
)
HOOKS = st.dictionaries(st.sampled_from([*EVENTS, "PreToolUse"]), LISTS, max_size=4)


@st.composite
def documents(draw: st.DrawFn, hooks: st.SearchStrategy[Any] = HOOKS) -> str:
    """Draw the text of a settings file: any members around the hooks, any space between any two tokens."""
    members = draw(
        st.dictionaries(st.text(max_size=4).filter(lambda key: key != "hooks"), VALUES, max_size=4)
    )
    if draw(st.booleans()):
        members["hooks"] = draw(hooks)
    keys = draw(st.permutations(list(members)))
    text = laid_out(draw, {key: members[key] for key in keys})
    return draw(st.sampled_from(["", "\ufeff"])) + draw(SPACE) + text + draw(SPACE)


def laid_out(draw: st.DrawFn, value: Any) -> str:
    space = lambda: draw(SPACE)  # noqa: E731
    if isinstance(value, dict):
        parts = [
            f"{space()}{scalar(draw, key)}{space()}:{space()}{laid_out(draw, value[key])}{space()}"
            for key in value
        ]
        return "{" + (",".join(parts) or space()) + "}"
    if isinstance(value, list):
        parts = [f"{space()}{laid_out(draw, item)}{space()}" for item in value]
        return "[" + (",".join(parts) or space()) + "]"
    return scalar(draw, value)


def scalar(draw: st.DrawFn, value: Any) -> str:
    escaped = draw(st.booleans()) or (
        isinstance(value, str) and any("\ud800" <= char < "\ue000" for char in value)
    )
    return json.dumps(value, ensure_ascii=escaped)


def parsed(text: str) -> Any:
    return json.loads(text.removeprefix("\ufeff"))


@given(documents())
def test_each_event_has_our_group_once_after_all_others(text: str):
    events = parsed(put_in(text))["hooks"]
    for event, group in GROUPS.items():
        assert events[event][-1] == group
        assert sum(is_ours(each) for entry in events[event] for each in entry["hooks"]) == 1


@given(documents())
def test_put_in_twice_is_put_in_once(text: str):
    assert put_in(put_in(text)) == put_in(text)


@given(documents())
def test_taken_out_nothing_of_ours_is_left_and_everything_of_others_is(text: str):
    before, after = parsed(text), parsed(take_out(put_in(text)))
    assert not list(own_groups(json.dumps(after), is_ours))
    for groups in before.get("hooks", {}).values():
        for group in groups:
            group["emptied"] = bool(group["hooks"]) and all(map(is_ours, group["hooks"]))
            group["hooks"] = [each for each in group["hooks"] if not is_ours(each)]
        groups[:] = [group for group in groups if not group.pop("emptied")]
    assert without_empty_hooks(after) == without_empty_hooks(before)


@given(documents(hooks=st.dictionaries(st.just("Stop"), st.just([{"hooks": [OTHER]}]), min_size=1)))
def test_in_and_out_again_gives_the_very_text_when_none_of_ours_was_in_it(text: str):
    after = take_out(put_in(text))
    empty = parsed(text) == {}
    assert after == text or (empty and parsed(after) == {})


@given(documents())
def test_what_is_outside_the_hooks_keeps_its_characters(text: str):
    assert outside(put_in(text)) == outside(text)


def outside(text: str) -> str:
    """Return the text without the member `hooks`, and without the commas and the space that go with it."""
    from sui_memory.setup.document import root

    body = text.removeprefix("\ufeff")
    found = root(body).find("hooks")
    body = body[: found.start] + body[found.stop :] if found else body
    return "".join(body.replace(",", "").split())


# -- layouts that people have -----------------------------------------------------------------------------


def test_an_empty_file_becomes_what_claude_code_itself_would_write():
    assert put_in("") == json.dumps({"hooks": {e: [g] for e, g in GROUPS.items()}}, indent=2) + "\n"


def test_the_files_own_indentation_is_used():
    text = '{\n\t"model": "opus"\n}\n'
    assert (
        put_in(text)
        == json.dumps({"model": "opus", "hooks": {e: [g] for e, g in GROUPS.items()}}, indent="\t") + "\n"
    )


@pytest.mark.parametrize(("text", "separators"), [('{"a":1}', (",", ":")), ('{"a": 1}', (", ", ": "))])
def test_a_file_of_one_line_stays_one_line(text: str, separators: tuple[str, str]):
    settings = {"a": 1, "hooks": {event: [group] for event, group in GROUPS.items()}}
    assert put_in(text) == json.dumps(settings, separators=separators)


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "model": "opus",\n  "hooks": {"Stop": [{"hooks": [{"command": "theirs"}]}]}\n}\n',
        '{\n  "hooks": {\n    "Stop": [{"hooks": [{"command": "theirs"}]}]\n  }\n}',
        '{"model": "opus",\n "hooks": {"PreToolUse": []}}\n',
    ],
    ids=["hooks", "an event", "the first member"],
)
def test_in_a_file_of_several_lines_ours_have_lines_of_their_own(text: str):
    done = put_in(text)
    ours = [line for line in done.splitlines() if '"ours"' in line]
    assert {line.strip() for line in ours} == {'"command": "ours",'}
    assert len(ours) == len(EVENTS)
    assert take_out(done) == text


def test_windows_line_ends_are_kept_and_used():
    done = put_in('{\r\n  "a": 1\r\n}\r\n')
    assert done.count("\n") == done.count("\r\n") > 10


def test_a_handler_of_another_tool_keeps_its_text_and_comes_first():
    theirs = '{"matcher":"",   "hooks": [ {"command": "theirs" ,"type":"command"} ]}'
    text = f'{{\n  "hooks": {{\n    "Stop": [\n      {theirs}\n    ]\n  }}\n}}'
    done = put_in(text)
    assert theirs in done
    assert [group["hooks"][0]["command"] for group in parsed(done)["hooks"]["Stop"]] == ["theirs", "ours"]
    assert take_out(done) == text


def test_ours_are_taken_out_of_a_group_that_they_share():
    text = '{"hooks": {"Stop": [{"hooks": [{"command": "ours"}, {"command": "a"}, {"command": "ours"}]}]}}'
    assert take_out(text) == '{"hooks": {"Stop": [{"hooks": [{"command": "a"}]}]}}'


def test_what_an_older_installation_wrote_is_replaced():
    text = '{"hooks": {"PreToolUse": [{"hooks": [{"command": "ours of old"}]}]}, "a": 1}'
    done = put_in(text)
    assert "ours of old" not in done
    assert list(parsed(done)["hooks"]) == list(EVENTS)


def test_numbers_that_python_cannot_hold_keep_their_digits():
    number = "1" * 5_000
    assert f'"big": {number}, "e": 1e999' in put_in(f'{{"big": {number}, "e": 1e999}}')


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{\n  "a": 1, // why\n  "b": 2\n}', "comment on line 2"),
        ("/* why */ {}", "comment on line 1"),
        ('{"a": 1} // why', "comment on line 1"),
        ('{"a": 1,}', "comma too many on line 1"),
        ('{"a": [1,\n2,\n]}', "comma too many"),
        ('{"hooks": {}, "hooks": {}}', "several members `hooks`"),
        ('{"hooks": {"Stop": [], "Stop": []}}', "several members Stop"),
        ('{"hooks": []}', "no object"),
        ('{"hooks": null}', "no object"),
        ('{"hooks": {"Stop": {}}}', "no array"),
        ("[]", "no JSON object"),
        ('"text"', "no JSON object"),
        ('{"a": NaN}', "NaN"),
        ("{'a': 1}", "is no JSON"),
        ('{"a": 1', "is no JSON"),
        ('{"a": 1} {}', "is no JSON"),
        ('{"a": ' + "[" * 100_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_changed_safely_is_refused_with_its_reason(text: str, reason: str):
    for change in (put_in, take_out, read_settings):
        with pytest.raises(SetupError) as refused:
            change(text)
        assert reason in str(refused.value)
        assert "\n" not in str(refused.value)
