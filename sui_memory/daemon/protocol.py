"""What is said over the socket (docs/protocol.md): the head of a request, and the limits. Imports little."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

VERSION = 1
HEAD_LIMIT = 4_096
BODY_LIMIT = 8 * 1024 * 1024
"""Bytes: some pages of pasted log; Claude Code itself takes no prompt of this size."""

_NAME = b"sui-memory"
_END = b"\n\n"


class ProtocolError(Exception):
    """A request that is not one; the sentence is for the client."""


@dataclass(frozen=True, slots=True)
class Request:
    """An operation with its options and a body."""

    operation: str
    options: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


def encode(request: Request) -> bytes:
    """Return a request as bytes."""
    lines = [f"sui-memory {VERSION} {request.operation}"]
    lines += [f"{name} {value}" for name, value in request.options.items()]
    return "\n".join(lines).encode("ascii", "replace") + _END + request.body


def decode(data: bytes) -> Request:
    """Return the request in a whole message; raises `ProtocolError`."""
    head, end, body = data.partition(_END)
    if not end or len(head) > HEAD_LIMIT:
        raise ProtocolError(f"A request begins with a head of at most {HEAD_LIMIT} bytes and an empty line.")
    first, *lines = head.split(b"\n")
    name, _, rest = first.partition(b" ")
    version, _, operation = rest.partition(b" ")
    if name != _NAME:
        raise ProtocolError("This socket speaks sui-memory's protocol and no other.")
    if version != str(VERSION).encode():
        raise ProtocolError(f"This daemon speaks version {VERSION} of the protocol.")
    options = (line.decode("ascii", "replace").partition(" ") for line in lines)
    return Request(operation.decode("ascii", "replace"), {name: value for name, _, value in options}, body)
