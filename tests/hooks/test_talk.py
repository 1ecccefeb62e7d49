"""What a hook sends to a daemon that listens, and what it makes of the answer."""

import contextlib
import os
import signal
import socket
import struct
import threading

import pytest

from tests.hooks.stage import ANSWER, daemon, run, run_as_it_is, run_redirected, run_unread, running, say

ASKING = {"user_prompt_submit": b"UserPromptSubmit", "session_start": b"SessionStart"}
TELLING = {"stop": b"Stop", "pre_compact": b"PreCompact", "session_end": b"SessionEnd"}
EVENT = '{"prompt": "前に決めた鍵の置き場所は？"}\n'.encode()
LIMIT = 8 * 1_048_576


@pytest.mark.parametrize(("script", "event"), (ASKING | TELLING).items())
def test_a_hook_sends_its_event_and_the_bytes_it_was_given(tmp_path, script, event):
    with daemon(tmp_path) as listening:
        run(script, EVENT, home=tmp_path, CLAUDE_PID="4242", CLAUDE_CODE_ENTRYPOINT="sdk-cli")
        head, _, body = listening.request().partition(b"\n\n")
    assert body == EVENT
    first, *options = head.split(b"\n")
    assert first == b"sui-memory 1 hook"
    assert options[:1] == [b"event " + event]
    assert options[2:] == [b"pid 4242", b"entry sdk-cli"]


@pytest.mark.parametrize("script", ASKING)
def test_the_answer_to_a_question_is_printed_as_it_is(tmp_path, script):
    with daemon(tmp_path):
        assert run(script, EVENT, home=tmp_path) == ANSWER


@pytest.mark.parametrize("script", TELLING)
def test_other_events_print_nothing_whatever_the_daemon_says(tmp_path, script):
    with daemon(tmp_path) as listening:
        assert run(script, EVENT, home=tmp_path) == b""
        assert listening.request()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(ANSWER[:-1], id="without its end"),
        pytest.param(ANSWER[:20], id="half"),
        pytest.param(b"x" * 65_536 + b"\n", id="longer than any"),
        pytest.param(b"x" * 5_000_000 + b"\n", id="far longer than any"),
    ],
)
def test_an_answer_that_is_not_whole_is_thrown_away(tmp_path, answer):
    with daemon(tmp_path, say(answer)):
        assert run("user_prompt_submit", EVENT, home=tmp_path) == b""


def test_an_answer_in_many_pieces_is_put_together(tmp_path):
    answer = b'"' + b"x" * 60_000 + b'"\n'

    def in_pieces(connection, _):
        for start in range(0, len(answer), 7_001):
            connection.sendall(answer[start : start + 7_001])

    with daemon(tmp_path, in_pieces):
        assert run("user_prompt_submit", EVENT, home=tmp_path) == answer


def test_a_connection_that_breaks_is_no_answer(tmp_path):
    def break_off(connection, _):
        connection.sendall(ANSWER[:10])
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with daemon(tmp_path, break_off):
        assert run("user_prompt_submit", EVENT, home=tmp_path) == b""


@pytest.mark.parametrize(
    "size", [pytest.param(5_000_000, id="five megabytes"), pytest.param(LIMIT - 1, id="the largest")]
)
def test_a_long_prompt_arrives_whole_though_its_characters_are_torn_by_chunks(tmp_path, size):
    body = b"a" + "鍵".encode() * ((size - 1) // 3)
    body += b"b" * (size - len(body)) + b"\n"
    with daemon(tmp_path) as listening:
        assert run("user_prompt_submit", body, home=tmp_path) == ANSWER
        assert listening.request().partition(b"\n\n")[2] == body


@pytest.mark.parametrize("size", [LIMIT, LIMIT + 65_536])
def test_more_than_the_protocol_allows_is_not_sent(tmp_path, size):
    with daemon(tmp_path) as listening:
        assert run("user_prompt_submit", b"a" * size + b"\n", home=tmp_path) == b""
    assert listening.idle


@pytest.mark.parametrize("body", [b"\x83\x5c\x00\xff{\n", b"no newline", b"\n", b'{"a":\n1}\n'])
def test_what_is_no_json_goes_to_the_daemon_as_it_is(tmp_path, body):
    with daemon(tmp_path) as listening:
        run("stop", body, home=tmp_path)
        assert listening.request().partition(b"\n\n")[2] == body


def test_a_line_is_enough_though_its_pipe_stays_open(tmp_path):
    reader, writer = os.pipe()
    os.write(writer, EVENT)
    with daemon(tmp_path):
        assert run("user_prompt_submit", reader, home=tmp_path) == ANSWER
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize("script", ASKING | TELLING)
def test_half_a_line_in_a_pipe_that_stays_open_is_not_waited_for_for_ever(tmp_path, script):
    reader, writer = os.pipe()
    os.write(writer, EVENT[:9])
    with daemon(tmp_path) as listening:
        assert run_as_it_is(script, reader, home=tmp_path) == b""
    assert listening.idle
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize("script", ASKING | TELLING)
def test_a_terminal_is_no_input(tmp_path, script):
    ours, theirs = os.openpty()
    with daemon(tmp_path) as listening:
        assert run_as_it_is(script, theirs, home=tmp_path) == b""
    assert listening.idle
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize("script", ASKING | TELLING)
def test_nothing_at_all_is_not_sent(tmp_path, script):
    with daemon(tmp_path) as listening:
        assert run(script, b"", home=tmp_path) == b""
    assert listening.idle


@pytest.mark.parametrize("script", ASKING | TELLING)
def test_a_daemon_that_hears_and_says_nothing_is_not_waited_for_for_ever(tmp_path, script):
    over = threading.Event()
    with daemon(tmp_path, lambda *_: over.wait()) as listening:
        assert run_as_it_is(script, EVENT, home=tmp_path) == b""
        assert listening.request()
        over.set()


def test_a_terminal_that_closes_meanwhile_troubles_nobody(tmp_path):
    over = threading.Event()

    def answer_later(connection, _):
        over.wait()
        connection.sendall(ANSWER)

    with daemon(tmp_path, answer_later) as listening, running("user_prompt_submit", tmp_path) as hook:
        hook.stdin.write(EVENT)
        hook.stdin.flush()
        assert listening.request()
        hook.send_signal(signal.SIGHUP)
        hook.send_signal(signal.SIGINT)
        over.set()
        assert hook.stdout.read() == ANSWER
        assert (hook.wait(), hook.stderr.read()) == (0, b"")


@pytest.mark.parametrize("script", ASKING | TELLING)
def test_a_daemon_that_takes_no_connection_is_not_waited_for_for_ever(tmp_path, monkeypatch, script):
    monkeypatch.chdir(tmp_path)
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind("daemon.sock")
        listener.listen(0)
        with contextlib.suppress(BlockingIOError):
            for _ in range(16):  # Linux lets more than none wait, macOS turns the rest away
                waiting = stack.enter_context(socket.socket(socket.AF_UNIX))
                waiting.setblocking(False)
                waiting.connect("daemon.sock")
        assert run_as_it_is(script, EVENT, home=tmp_path) == b""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CLAUDE_PID", "12\nevent Stop"),
        ("CLAUDE_PID", "-1"),
        ("CLAUDE_CODE_ENTRYPOINT", "cli\n\nbody"),
        ("CLAUDE_CODE_ENTRYPOINT", "コード"),
        ("CLAUDE_CODE_ENTRYPOINT", "a b"),
        ("CLAUDE_CODE_ENTRYPOINT", "--"),
    ],
)
def test_an_odd_word_in_the_environment_stays_out_of_the_head(tmp_path, name, value):
    with daemon(tmp_path) as listening:
        run("stop", EVENT, home=tmp_path, **{name: value})
        head, _, body = listening.request().partition(b"\n\n")
    assert body == EVENT
    assert [line.split()[0] for line in head.split(b"\n")] == [b"sui-memory", b"event", b"client"]


def test_nothing_secret_of_the_environment_is_sent(tmp_path):
    with daemon(tmp_path) as listening:
        run(
            "stop", EVENT, home=tmp_path, CLAUDE_CODE_MESSAGING_TOKEN="tok-3141", ANTHROPIC_API_KEY="key-2718"
        )
        request = listening.request()
    assert b"3141" not in request
    assert b"2718" not in request


@pytest.mark.parametrize("script", ASKING | TELLING)
@pytest.mark.parametrize(
    "name", ["SUI_MEMORY_DISABLE", "SUI_MEMORY_CHILD", "CLAUDE_CODE_SKIP_PROMPT_HISTORY"]
)
def test_where_memory_is_not_wanted_nothing_is_sent(tmp_path, script, name):
    with daemon(tmp_path) as listening:
        assert run(script, EVENT, home=tmp_path, **{name: "1"}) == b""
    assert listening.idle


@pytest.mark.parametrize("value", ["", "0"])
def test_a_switch_may_be_set_to_off(tmp_path, value):
    with daemon(tmp_path):
        assert run("user_prompt_submit", EVENT, home=tmp_path, SUI_MEMORY_DISABLE=value) == ANSWER


@pytest.mark.parametrize("name", ["x" * 200, "記憶 の 家", 'it\'s $HOME; `id` & "more"'])
def test_the_home_may_have_any_name(tmp_path, name):
    with daemon(tmp_path / name):
        assert run("user_prompt_submit", EVENT, home=tmp_path / name) == ANSWER


def test_the_home_may_be_given_as_an_argument(tmp_path):
    with daemon(tmp_path / "記憶"):
        assert run("user_prompt_submit", EVENT, "/no/python", tmp_path / "記憶") == ANSWER


def test_without_a_word_the_home_is_in_the_users_folder(tmp_path):
    with daemon(tmp_path / ".sui-memory"):
        assert run("user_prompt_submit", EVENT, HOME=str(tmp_path)) == ANSWER


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("script", ["user_prompt_submit", "stop"])
def test_a_closed_stream_troubles_nobody(tmp_path, script, closed):
    with daemon(tmp_path):
        assert run_redirected(script, EVENT, closed, home=tmp_path) in (b"", ANSWER)


def test_a_reader_who_has_gone_troubles_nobody(tmp_path):
    with daemon(tmp_path) as listening:
        run_unread("user_prompt_submit", EVENT, home=tmp_path)
        assert listening.request()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device here is always full")
def test_a_full_disk_troubles_nobody(tmp_path):
    with daemon(tmp_path):
        assert run_redirected("user_prompt_submit", EVENT, ">/dev/full", home=tmp_path) == b""
