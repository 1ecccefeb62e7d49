"""What comes through the socket and is no request, while others ask in earnest."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from sui_memory.daemon.protocol import BODY_LIMIT
from tests.daemon.workbench import Daemon, laboratory, read, until

ASKED = "港の合言葉は何でしたか？"
DEEP = b"[" * 100_000


@pytest.fixture(scope="module")
def knowing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that knows the answer to `ASKED`."""
    with laboratory(tmp_path_factory.mktemp("knowing")) as daemon:
        spoken = daemon.start().transcript("talk")
        spoken.say("港の合言葉は何にする？", "合言葉は zyxquark にしました。")
        daemon.hook("Stop", spoken.event())
        daemon.wait_for(spoken)
        yield daemon
        assert daemon.process.poll() is None


def asking(daemon: Daemon) -> dict[str, Any]:
    """Return a prompt of a session that was never shown anything."""
    return daemon.transcript(f"asking {time.monotonic_ns()}").event(prompt=ASKED)


def answers(daemon: Daemon) -> bool:
    """Say whether a real prompt gets its answer."""
    return "zyxquark" in daemon.hook("UserPromptSubmit", asking(daemon))


def hook(body: bytes, event: bytes = b"UserPromptSubmit") -> bytes:
    """Return a hook's request around a body."""
    return b"sui-memory 1 hook\nevent " + event + b"\n\n" + body


def prompt(text: str) -> bytes:
    """Return the body of a prompt."""
    return json.dumps({"session_id": "a", "prompt": text}).encode()


SILENT = {
    "half a head": b"sui-memory 1 hook\nevent Stop",
    "a head without an event": b"sui-memory 1 hook\n\n{}",
    "no JSON": hook(b"{"),
    "no bytes": hook(b""),
    "bytes that are no text": hook(b"\xff\xfe\x00" * 1_000),
    "JSON of another kind": hook(b"[1]"),
    "JSON null": hook(b"null"),
    "JSON of wrong kinds": hook(b'{"session_id": 7, "prompt": ["x"], "cwd": {"a": 1}}'),
    "wrong kinds beside a session": hook(b'{"session_id": "a", "prompt": {"x": 1}, "cwd": 3, "source": []}'),
    "deep JSON": hook(DEEP),
    "deep JSON in a field": hook(b'{"session_id": "a", "prompt": ' + DEEP),
    "a great number": hook(b'{"session_id": "a", "prompt": ' + b"9" * 100_000 + b"}"),
    "an unknown event": hook(prompt("x"), b"NoSuchEvent"),
    "half a surrogate pair": hook(prompt("\ud800 何だろう \udfff")),
    "half a surrogate pair for a session": hook(b'{"session_id": "\\ud800", "prompt": "x y z"}'),
    "NUL": hook(prompt("\0 何だろう \0")),
    "NUL for a session": hook(b'{"session_id": "\\u0000", "prompt": "x y z"}'),
    "a strange process id": b"sui-memory 1 hook\nevent Stop\npid " + b"9" * 3_000 + b"\n\n" + prompt("x"),
    "a hook of another version": b"sui-memory 2 hook\nevent Stop\n\n{}",
    "a hook of a far version": b"sui-memory 99999999999999999999 hook\nevent Stop\n\n{}",
    "a prompt of 8 MiB": hook(prompt("鍵 " * (BODY_LIMIT // 14))),
    "a word of 8 MiB": hook(prompt("x" * (BODY_LIMIT - 1_000))),
    "8 MiB of line ends": hook(b'{"session_id": "a", "prompt": "' + b"\\n" * (BODY_LIMIT // 2 - 100) + b'"}'),
}


@pytest.mark.parametrize("message", SILENT.values(), ids=SILENT)
def test_what_is_no_hook_gets_no_answer_and_keeps_none_from_others(knowing: Daemon, message: bytes) -> None:
    assert knowing.send(message) == b""
    assert answers(knowing)


REFUSED = {
    "nothing": b"",
    "garbage": bytes(range(256)) * 10,
    "HTTP": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "an unknown operation": b"sui-memory 1 make-tea\n\n",
    "no operation": b"sui-memory 1 \n\n",
    "another version": b"sui-memory 2 status\n\n",
    "no version": b"sui-memory\n\n",
    "an operation that is no text": b"sui-memory 1 \xff\xfe\n\n",
    "a head that is too long": b"sui-memory 1 status\n" + b"a b\n" * 2_000 + b"\n",
    "a search for nothing": b"sui-memory 1 search\n\n",
    "a search in a list": b"sui-memory 1 search\n\n[1]",
    "a search in depth": b"sui-memory 1 search\n\n" + DEEP,
    "a search without bounds": b'sui-memory 1 search\nlimit many\n\n{"text": "x"}',
    "a search in a strange scope": b'sui-memory 1 search\n\n{"text": "x", "scope": 7}',
    "a search of a strange project": b'sui-memory 1 search\n\n{"text": "x", "scope": {"project": {"a": 1}}}',
    "a search since a strange day": b'sui-memory 1 search\n\n{"text": "x", "scope": {"since": "never"}}',
    "a sync of no list": b"sui-memory 1 sync\n\n7",
    "a sync in depth": b"sui-memory 1 sync\n\n" + DEEP,
}


@pytest.mark.parametrize("message", REFUSED.values(), ids=REFUSED)
def test_what_is_no_request_is_refused_in_a_sentence(knowing: Daemon, message: bytes) -> None:
    reply = json.loads(knowing.send(message))
    assert list(reply) == ["error"]
    assert reply["error"].endswith(".")
    assert "\n" not in reply["error"]
    assert answers(knowing)


def test_a_request_of_a_hundred_megabytes_is_cut_off(knowing: Daemon) -> None:
    before = knowing.status()["resident_bytes"]
    with knowing.connection() as connection, suppress(BrokenPipeError, ConnectionResetError):
        connection.sendall(hook(b""))
        for _ in range(100):
            connection.sendall(b"x" * 1_000_000)
        connection.shutdown(socket.SHUT_WR)
        assert read(connection) == b""
    assert answers(knowing)
    assert knowing.status()["resident_bytes"] - before < 60_000_000


@pytest.mark.parametrize("said", [b"", b"sui-memory 1 ho", hook(prompt(ASKED))])
def test_clients_that_go_away_keep_nobody_waiting(knowing: Daemon, said: bytes) -> None:
    for _ in range(50):
        with knowing.connection() as connection:
            connection.sendall(said)
    assert answers(knowing)


def test_prompts_are_answered_beside_clients_that_say_half_or_a_byte_now_and_then(knowing: Daemon) -> None:
    with ExitStack() as stack:
        silent = [stack.enter_context(knowing.connection()) for _ in range(3)]
        slow = [stack.enter_context(knowing.connection()) for _ in range(50)]
        for connection, said in zip(silent, (b"", b"sui-memory 1 ho", hook(b'{"session_id": ')), strict=True):
            connection.sendall(said)
        for position in range(5):
            for connection in slow:
                connection.sendall(b"sui-memory"[position : position + 1])
            assert "zyxquark" in knowing.run_hook("UserPromptSubmit", asking(knowing))
        assert [read(connection) for connection in (*silent, *slow)] == [b""] * 53
    assert answers(knowing)


def test_two_hundred_clients_at_once_leave_it_in_order(knowing: Daemon) -> None:
    replies: list[bytes] = []

    def ask() -> None:
        with suppress(OSError):
            replies.append(knowing.send(b"sui-memory 1 status\n\n"))

    threads = [threading.Thread(target=ask) for _ in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    whole = [reply for reply in replies if reply]
    assert {json.loads(reply)["pid"] for reply in whole} == {knowing.process.pid}
    assert len(whole) >= 100
    until(lambda: answers(knowing), "an answer")


@pytest.mark.slow
def test_a_client_that_never_reads_its_reply_keeps_the_daemon_neither_busy_nor_alive(tmp_path: Path) -> None:
    with laboratory(tmp_path, SUI_MEMORY_IDLE_MINUTES="0.05") as daemon:
        spoken = daemon.transcript("talk")
        for turn in range(100):
            spoken.say(f"{turn} 冊目の返却期限は？", f"{turn} 冊目の返却は二週間後です。" * 300)
        daemon.start().hook("Stop", spoken.event())
        daemon.wait_for(spoken)
        with daemon.connection() as connection:
            connection.sendall(b"sui-memory 1 search\nlimit 100\n\n" + json.dumps({"text": "返却"}).encode())
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(1) == b"{"
            assert daemon.status()["pid"] == daemon.process.pid
            assert daemon.wait() == 0
