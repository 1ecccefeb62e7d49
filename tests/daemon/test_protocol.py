from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.daemon.protocol import HEAD_LIMIT, ProtocolError, Request, decode, encode

WORDS = st.text("abcdefghijklmnopqrstuvwxyz0123456789-./", min_size=1, max_size=20)


@given(WORDS, st.dictionaries(WORDS, WORDS, max_size=5), st.binary(max_size=300))
def test_a_request_arrives_as_it_was_sent(operation, options, body):
    request = Request(operation, options, body)

    assert decode(encode(request)) == request


@given(st.binary(max_size=300))
def test_any_bytes_are_a_request_or_refused(data):
    with suppress(ProtocolError):
        assert decode(data).body in data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"sui-memory 1 status\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"sui-memory 2 status\n\n",
        b"sui-memory 1 status\n" + b"a b\n" * HEAD_LIMIT + b"\n",
    ],
    ids=["nothing", "no end of the head", "another protocol", "another version", "a head too long"],
)
def test_what_is_no_request_is_refused_in_a_sentence(data):
    with pytest.raises(ProtocolError, match=r"\.$"):
        decode(data)


def test_a_body_may_look_like_a_head():
    assert decode(b"sui-memory 1 hook\nevent Stop\n\nevent Start\n\n{}").body == b"event Start\n\n{}"
