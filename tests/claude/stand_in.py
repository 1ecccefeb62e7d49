"""A stand-in for the Messages API on this machine: canned answers, and every request kept to be looked at."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

OTHERWISE = "なるほど、わかりました。"
"""What is answered when no rule fits."""

STICKS = "[…]"
"""Where a stream sticks."""

_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_STUCK = b": sticks\n\n"  # a comment among the events
_NUMBERS = count(1)


@dataclass(frozen=True)
class Use:
    """A use of a tool by the model."""

    tool: str
    given: Mapping[str, Any]


@dataclass(frozen=True)
class Request:
    """The body of one request for an answer."""

    body: Mapping[str, Any]

    @property
    def text(self) -> str:
        """All words that the model would see, but for the descriptions of its tools."""
        turns = [self.body.get("system"), *(turn.get("content") for turn in self._turns)]
        return "\n".join(_words(turn) for turn in turns)

    @property
    def prompt(self) -> str:
        """What the person said last, without what the client put around it."""
        said = (_words(turn["content"]) for turn in reversed(self._turns) if turn["role"] == "user")
        return next((_REMINDER.sub("", words).strip() for words in said), "")

    @property
    def results(self) -> list[str]:
        """What the tools returned that the model used last, as it would see it."""
        content = self._turns[-1]["content"] if self._turns else ""
        blocks = content if isinstance(content, list) else []
        return [_words(block["content"]) for block in blocks if block["type"] == "tool_result"]

    @property
    def is_conversation(self) -> bool:
        """Whether the client goes on with the talk; titles and the like are asked for without tools."""
        return bool(self.body.get("tools"))

    @property
    def _turns(self) -> list[Mapping[str, Any]]:
        return list(self.body.get("messages", []))


def _words(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(block.get("text", "") for block in blocks)


class StandIn:
    """The stand-in while it runs. Rules may be added at any time."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.requests: list[Request] = []
        self.given_up = threading.Event()
        self._rules: list[tuple[str, str]] = []
        self._uses: list[tuple[str, Use]] = []

    def answer(self, prompt: str, answer: str) -> None:
        """Give this answer to every prompt that contains `prompt`; the first rule that fits counts.

        At `STICKS` in it a stream sticks until the stand-in is closed.
        """
        self._rules.append((prompt, answer))

    def use(self, prompt: str, tool: str, **given: Any) -> None:
        """Have the model use a tool after a prompt that contains `prompt`, each time before it answers."""
        self._uses.append((prompt, Use(tool, given)))

    def results(self) -> list[str]:
        """Return what the tools returned, in order."""
        return [result for request in list(self.requests) for result in request.results]

    def asked(self, prompt: str) -> list[Request]:
        """Return the requests of a conversation whose last prompt contains `prompt`, in order."""
        return [it for it in list(self.requests) if it.is_conversation and prompt in it.prompt]

    def reply(self, request: Request) -> str | Use:
        """Keep a request and return its answer."""
        self.requests.append(request)
        if request.is_conversation:
            use = next((use for part, use in self._uses if part in request.prompt), None)
            if use is not None:
                return use
        return next((answer for part, answer in self._rules if part in request.prompt), OTHERWISE)


@contextmanager
def stand_in() -> Iterator[StandIn]:
    """Serve on a free port of this machine until the block is left."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.api = StandIn(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server.api
    finally:
        server.api.given_up.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    api: StandIn


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        """Say nothing on stderr."""

    def handle(self) -> None:
        # A client that is killed, or ends its session, does not wait for what it asked for.
        with suppress(ConnectionError):
            super().handle()

    def do_HEAD(self) -> None:
        self._send(b"")

    def do_GET(self) -> None:
        self._send_json({"data": [], "has_more": False})

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._send_json({"input_tokens": max(1, len(data) // 4)})
        elif path.endswith("/messages"):
            request = Request(json.loads(data))
            self._send_answer(request, self.server.api.reply(request))
        else:
            self._send_json({})

    def _send_answer(self, request: Request, answer: str | Use) -> None:
        message = _message(request, answer)
        if request.body.get("stream"):
            before, stuck, after = b"".join(_events(message)).partition(_STUCK)
            self._send(before, "text/event-stream", len(stuck + after))
            if stuck:
                self.server.api.given_up.wait()
        else:
            self._send_json(message)

    def _send_json(self, value: object) -> None:
        self._send(json.dumps(value).encode(), "application/json")

    def _send(self, data: bytes, kind: str = "text/plain", later: int = 0) -> None:
        """Send data, of which some bytes more are to come."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data) + later))
        self.end_headers()
        self.wfile.write(data)


def _message(request: Request, answer: str | Use) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": answer}
    if isinstance(answer, Use):
        number = f"toolu_{next(_NUMBERS):024}"
        block = {"type": "tool_use", "id": number, "name": answer.tool, "input": dict(answer.given)}
    return {
        "id": f"msg_{next(_NUMBERS):024}",
        "type": "message",
        "role": "assistant",
        "model": request.body.get("model", ""),
        "content": [block],
        "stop_reason": "tool_use" if isinstance(answer, Use) else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 100,
            "output_tokens": 20,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    }


def _events(message: Mapping[str, Any]) -> Iterator[bytes]:
    """Return a message of one block as the server-sent events of a stream."""
    (block,) = message["content"]
    begun = {**message, "content": [], "stop_reason": None}
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_start", message=begun)
    if block["type"] == "tool_use":
        yield _event("content_block_start", index=0, content_block={**block, "input": {}})
        given = json.dumps(block["input"])
        yield _event(
            "content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": given}
        )
    else:
        yield _event("content_block_start", index=0, content_block={**block, "text": ""})
        for number, part in enumerate(block["text"].split(STICKS)):
            yield _STUCK * min(number, 1)
            yield _event("content_block_delta", index=0, delta={"type": "text_delta", "text": part})
    yield _event("content_block_stop", index=0)
    yield _event("message_delta", delta=ended, usage={"output_tokens": 20})
    yield _event("message_stop")


def _event(kind: str, **fields: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()
