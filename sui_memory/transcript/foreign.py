"""Other programs' session files, which end in `.jsonl`, too: named, so that they are not indexed as noise."""

from __future__ import annotations

import re

from pydantic_core import from_json

from sui_memory.transcript.records import Json, tidy

SNIFF = 65536
"""Bytes of a file's head that are enough to name its format."""

_MAX_LINES = 20
_CODEX_TYPES = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted"))
_JOURNAL_TYPES = frozenset(("started", "result"))
_MESSAGES = re.compile(rb'"messages"\s*:\s*\[')


def foreign_format(head: bytes) -> str | None:
    """Name another program's format by the first bytes of a file; None when nothing speaks against ours."""
    first = head.lstrip(b"\xef\xbb\xbf\0 \t\r\n")[:SNIFF]
    lines = first.split(b"\n")
    if _is_pretty(lines):
        return "a Gemini session" if _is_gemini_text(first) else "pretty-printed JSON"
    for line in lines[:_MAX_LINES]:
        record = _object(line)
        if record is not None and _is_ours(record):
            return None
        if (name := _name(record) if record is not None else None) is not None:
            return name
    if lines[0][:1] == b"{" and b'"parentUuid"' not in lines[0] and _is_gemini_text(lines[0]):
        return "a Gemini session"
    return None if first[:1] in {b"{", b"", b"["} or b'{"' in first else "not JSON lines"


def _is_pretty(lines: list[bytes]) -> bool:
    """Say whether the first object is spread over lines."""
    return lines[0].strip() == b"{" and len(lines) > 1 and lines[1].lstrip()[:1] == b'"'


def _is_gemini_text(text: bytes) -> bool:
    return b'"sessionId"' in text and _MESSAGES.search(text) is not None


def _object(line: bytes) -> Json | None:
    try:
        value = from_json(tidy(line))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _is_ours(record: Json) -> bool:
    return isinstance(record.get("type"), str) and ("uuid" in record or "sessionId" in record)


def _name(record: Json) -> str | None:
    kind = record.get("type")
    if kind is None and "sessionId" in record and ("messages" in record or "projectHash" in record):
        return "a Gemini session"
    if (kind in _CODEX_TYPES and "payload" in record) or "record_type" in record:
        return "a Codex rollout"
    return "a workflow journal" if kind in _JOURNAL_TYPES else None
