"""Fewer bytes for what an archive is full of: uuids, digests, and text.

`packed_uuid` and `packed_digest` are SQL functions too, so that a list of names can be looked up.
"""

from __future__ import annotations

import json
import threading
from binascii import unhexlify
from collections.abc import Mapping
from typing import Any, cast

import apsw
import zstandard

_LEVEL = 6  # 3 is 2 % larger, 9 no smaller and half as fast (the texts of the benchmark's corpus)
# What texts begin with or are full of, for a short one repeats little of its own: 8 % of all bytes (the
# same texts). It is part of the format: what was packed with it cannot be read with another one.
_DICTIONARY = (
    "エラーが発生しました。確認してください。お願いします。どうすればいいですか？について教えてください。"
    "を修正しました。を追加しました。を変更します。テストを実行して、すべて通りました。原因は、ためです。"
    "ことができます。する必要があります。しています。ファイルの設定データベース関数"
    "\\n\\n```python\\nimport def return self\\n```\\n\\n```bash\\n- **\\n1. \\n2. ## I'll the error is "
    "fixed. Let me check the tests. The problem was that this function should be please add a test for "
    '{"question":"このあのその","answer":"","followups":["ください。","cwd":"/home/","cwd":"/Users/code/",'
    '"files":[".ts",".md","/src/",".py"],"tools":["Agent","WebFetch","Write","Glob","Grep","Edit","Read",'
    '"Bash"],"plan":true,"status":"interrupted","status":"unanswered","agent":"codex","version":"2.1.'
)
_DIGITS = 32  # of a uuid and of a digest


class _Zstd(threading.local):
    """Contexts to use again: making one costs as much as a text. One thread at a time may use them."""

    def __init__(self) -> None:
        dictionary = zstandard.ZstdCompressionDict(
            _DICTIONARY.encode(), dict_type=zstandard.DICT_TYPE_RAWCONTENT
        )
        self.compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=dictionary)
        self.decompressor = zstandard.ZstdDecompressor(dict_data=dictionary)


_zstd = _Zstd()


def register(connection: apsw.Connection) -> None:
    """Make the functions known to SQL."""
    for function in (packed_uuid, packed_digest):
        connection.create_scalar_function(
            function.__name__, cast("apsw.ScalarProtocol", function), 1, deterministic=True
        )


def packed_uuid(text: str) -> bytes | str:
    """Return the 16 bytes of a canonical uuid; any other text as it is."""
    packed = packed_digest(text.replace("-", ""))
    return packed if isinstance(packed, bytes) and unpacked_uuid(packed) == text else text


def unpacked_uuid(packed: bytes | str) -> str:
    """Return the text that `packed_uuid` was given."""
    return packed if isinstance(packed, str) else _hyphenated(packed.hex())


def _hyphenated(digits: str) -> str:
    # Six times as fast as `UUID`, and a memory has ten of them.
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def packed_digest(text: str) -> bytes | str:
    """Return the 16 bytes of 32 small hexadecimal digits; any other text as it is."""
    try:
        packed = unhexlify(text)
    except ValueError:
        return text
    return packed if len(text) == _DIGITS and packed.hex() == text else text


def unpacked_digest(packed: bytes | str) -> str:
    """Return the text that `packed_digest` was given."""
    return packed if isinstance(packed, str) else packed.hex()


def packed_uuids(uuids: tuple[str, ...]) -> bytes | str:
    """Return 16 bytes for each uuid (a long answer has dozens), or JSON when one is not canonical."""
    packed = [packed_uuid(uuid) for uuid in uuids]
    whole = [part for part in packed if isinstance(part, bytes)]
    return b"".join(whole) if len(whole) == len(packed) else to_json(uuids)


def unpacked_uuids(packed: bytes | str) -> tuple[str, ...]:
    """Return the uuids that `packed_uuids` was given."""
    if isinstance(packed, str):
        return tuple(json.loads(packed))
    digits = packed.hex()
    starts = range(0, len(digits), _DIGITS)
    return tuple([_hyphenated(digits[start : start + _DIGITS]) for start in starts])


def packed_json(fields: Mapping[str, Any]) -> bytes | str:
    """Return fields as JSON, compressed by zstd unless that is no shorter."""
    text = to_json(fields)
    plain = text.encode()
    packed = _zstd.compressor.compress(plain)
    return packed if len(packed) < len(plain) else text


def unpacked_json(packed: bytes | str) -> dict[str, Any]:
    """Return the fields that `packed_json` was given, tuples as lists."""
    text = packed if isinstance(packed, str) else _zstd.decompressor.decompress(packed).decode()
    fields: dict[str, Any] = json.loads(text)
    return fields


def to_json(value: object) -> str:
    """Return compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
