"""What is packed comes back as it was, whatever it was."""

from __future__ import annotations

from hashlib import sha256
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.store.sqlite import packing
from sui_memory.store.sqlite.packing import (
    packed_digest,
    packed_json,
    packed_uuid,
    packed_uuids,
    unpacked_digest,
    unpacked_json,
    unpacked_uuid,
    unpacked_uuids,
)

UUIDS = st.uuids().map(str)
DIGESTS = st.binary(min_size=16, max_size=16).map(bytes.hex)
NAMES = st.one_of(UUIDS, DIGESTS, UUIDS.map(str.upper), DIGESTS.map(str.upper), st.text())


@given(NAMES)
def test_every_name_comes_back(name: str) -> None:
    assert unpacked_uuid(packed_uuid(name)) == name
    assert unpacked_digest(packed_digest(name)) == name


@given(st.lists(NAMES).map(tuple))
def test_every_list_of_names_comes_back(names: tuple[str, ...]) -> None:
    assert unpacked_uuids(packed_uuids(names)) == names


@given(UUIDS, DIGESTS)
def test_uuids_and_digests_take_sixteen_bytes(uuid: str, digest: str) -> None:
    assert packed_uuid(uuid) == UUID(uuid).bytes
    assert packed_digest(digest) == bytes.fromhex(digest)


@given(st.dictionaries(st.text(), st.text() | st.booleans() | st.lists(st.text())))
def test_all_fields_come_back(fields: dict[str, object]) -> None:
    assert unpacked_json(packed_json(fields)) == fields


def test_long_text_is_compressed_and_short_text_is_not() -> None:
    assert packed_json({"question": "鍵は？"}) == '{"question":"鍵は？"}'
    long = packed_json({"answer": "鍵は机の上です。" * 20})
    assert isinstance(long, bytes)
    assert len(long) < 100


def test_what_was_packed_long_ago_can_still_be_read() -> None:
    packed = (
        "28b52ffd205a3d010090e98db593e69cbae381aee4b88ae38292227d0600b025cc9ec5c151c16755586824d6dc1c0b08"
    )
    fields = {"question": "鍵はどこですか？", "answer": "机の上を確認してください。"}
    assert unpacked_json(bytes.fromhex(packed)) == fields


def test_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        packed_json({"answer": "\ud800"})


def test_the_dictionary_is_part_of_the_format_and_never_changes():
    assert sha256(packing._DICTIONARY.encode()).hexdigest()[:32] == "201250902aec79442b6310b02f16ee1d"
