"""What of a record is archived: the conversation without the machinery, redacted.

A slim record is the original one with its long machine parts cut out, so that the same reader
understands both and exchanges can be made anew when the chunker improves.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pydantic_core import to_json

from sui_memory.text import clean
from sui_memory.transcript.records import Json


class Redactor(Protocol):
    """Masks secrets in the texts of one message, in order."""

    def redact(self, text: str) -> tuple[str, int]:
        """Return the text without its secrets, and how many were masked."""


NewRedactor = Callable[[], Redactor]

_DROPPED = frozenset(
    (
        "usage", "requestId", "userType", "slug", "permissionMode", "promptId", "stop_reason",
        "stop_sequence", "stop_details", "context_management", "container", "diagnostics",
        "thinkingMetadata", "todos", "imagePasteIds", "signature", "caller", "turnOrigin", "effort",
        "toolUseID", "parentToolUseID", "sourceToolAssistantUUID", "interruptedMessageId",
        "normalizedMessages", "compactMetadata", "level", "planContent", "snapshot", "messageCount",
        "mcpMeta", "hookInfos",
    )
)  # fmt: skip
"""Fields of the client's bookkeeping: most of a record's bytes, and never words."""

_VERBATIM = frozenset(
    (
        "uuid", "parentUuid", "logicalParentUuid", "sessionId", "timestamp", "id", "tool_use_id",
        "agentId", "leafUuid", "forkedFrom", "sourceToolUseID", "source_uuid", "messageUuid",
    )
)  # fmt: skip
"""Fields whose values are identifiers: left as they are, redaction would only break them."""

_IDENTIFIER = re.compile(r"[\w.:+-]{0,100}")

_WHOLE = frozenset(("text", "prompt", "plan", "answers", "annotations"))
"""Fields that hold words of the conversation: never shortened."""

_MAX_STRING = 200
"""Characters kept of any other string."""

_INPUT = ("file_path", "notebook_path", "path", "plan")
_MAX_ENVELOPE = 1024
_MAX_ITEMS = 50
_ELIDED = "…"
_TO_ANSWER = "\n→ "
"""What stands between a question and its answer; the rules know it, as a follow-up has it, too."""

_HUMAN_OPENINGS = (
    "The user doesn't want to",
    "User has answered your question",
    "Your question has been answered",
    "Your questions have been answered",
    "[Request interrupted by user",
)
_THINKING = frozenset(("thinking", "redacted_thinking"))
_REASON_MARK = re.compile(r"the user said:|reason for the rejection")


class Slimmer:
    """Makes slim records; `redactions` counts the values masked so far."""

    def __init__(self, new_redactor: NewRedactor) -> None:
        self._new_redactor = new_redactor
        self._message = new_redactor()
        self._envelope: dict[tuple[str, str], str] = {}
        self._keys: dict[str, str] = {}
        self._told: dict[str, str] = {}
        self.redactions = 0

    def slim(self, record: Json) -> bytes:
        """Return the record as it is archived: one JSON object, in UTF-8, without a newline."""
        kept = {key: value for key, value in record.items() if key not in _DROPPED and key != "toolUseResult"}
        self._message = self._new_redactor()
        self._told = {}
        if record.get("planContent"):
            kept["suiPlan"] = True
        if (answers := _answers(record.get("toolUseResult"))) is not None:
            kept["toolUseResult"] = self._answered(answers)
        return to_json(self._dict(kept, whole=False))

    def _answered(self, result: Json) -> Json:
        """Redact answers and the notes on them, each with its question before it: that may be the label.

        What is masked so is remembered in `_told`, because the tool result tells it once more.
        """
        questions = list(dict.fromkeys((*result["answers"], *result["annotations"])))
        names = dict(zip(questions, self._names(questions), strict=True))
        return {
            part: {names[question]: self._told_by(names[question], given) for question, given in told.items()}
            for part, told in result.items()
        }

    def _told_by(self, question: str, given: Any) -> Any:
        if isinstance(given, list):
            return [self._told_by(question, item) for item in given]
        if isinstance(given, dict):
            return {key: self._told_by(question, item) for key, item in given.items()}
        if not isinstance(given, str):
            return given
        label = f"{question}{_TO_ANSWER}"
        text, masked = self._new_redactor().redact(label + given)
        if not masked or not text.startswith(label):
            return given
        self.redactions += masked
        self._told[given] = text.removeprefix(label)
        return self._told[given]

    def _value(self, value: Any, key: str, *, whole: bool) -> Any:
        if isinstance(value, str):
            is_id = key in _VERBATIM and _IDENTIFIER.fullmatch(value)
            return value if is_id else self._string(value, key, whole=whole)
        if type(value) is int and key not in _VERBATIM:
            text, masked = self._labelled(key, str(value))
            self.redactions += masked
            return text if masked else value
        if isinstance(value, dict):
            return self._block(value, whole=whole)
        if isinstance(value, list):
            return self._list(value, key, whole=whole)
        return value

    def _list(self, items: list[Any], key: str, *, whole: bool) -> list[Any]:
        """Return a list; what a message consists of is never shortened, and a string in it is text."""
        is_content = key == "content"
        return [
            self._value(item, key, whole=whole or (is_content and isinstance(item, str)))
            for item in (items if whole or is_content else items[:_MAX_ITEMS])
        ]

    def _block(self, block: Json, *, whole: bool) -> Json:
        kind = _kind(block)
        if kind in _THINKING or kind in {"image", "document"}:
            return {"type": kind}
        if kind == "tool_use":
            block = _tool_use(block)
        elif kind == "tool_result":
            block = _human_result(block)
            whole = True
        return self._dict(block, whole=whole)

    def _dict(self, block: Json, *, whole: bool) -> Json:
        keys = [key for key in block if key not in _DROPPED]
        return {
            name: self._value(block[key], key, whole=whole or _is_words(block, key))
            for key, name in zip(keys, self._names(keys), strict=True)
        }

    def _names(self, keys: Sequence[str]) -> list[str]:
        """Redact the names of an object's fields; those that only a secret told apart are numbered."""
        known = self._keys
        names = [known.get(key) or self._key(key) for key in keys]
        if len(set(names)) == len(names):
            return names
        met: Counter[str] = Counter()
        for at, name in enumerate(names):
            met[name] += 1
            names[at] = name if met[name] == 1 else f"{name} ({met[name]})"
        return names

    def _key(self, key: str) -> str:
        """Redact the name of a field: where answers are told, it is a whole question."""
        known = self._keys.get(key)
        if known is not None:
            return known
        text, masked = self._new_redactor().redact(key)
        self.redactions += masked
        if len(self._keys) < _MAX_ENVELOPE:
            self._keys[key] = text
        return text

    def _string(self, value: str, key: str, *, whole: bool) -> str:
        # Colours and decomposed kana inside a secret or its label would hide it, and are not stored anyway.
        value = clean(value)
        if not whole:
            return self._short(value, key)
        for told, masked_told in self._told.items():
            value = value.replace(told, masked_told)
        value, masked = self._message.redact(value)
        self.redactions += masked
        return value

    def _short(self, value: str, key: str) -> str:
        """Redact and shorten a field of the envelope; the same few come with every record."""
        known = self._envelope.get((key, value))
        if known is not None:
            return known
        text, masked = self._new_redactor().redact(value)
        if not masked:
            text, masked = self._labelled(key, value)
        self.redactions += masked
        text = text if len(text) <= _MAX_STRING else text[:_MAX_STRING] + _ELIDED
        if len(self._envelope) < _MAX_ENVELOPE:
            self._envelope[key, value] = text
        return text

    def _labelled(self, key: str, value: str) -> tuple[str, int]:
        """Redact a value that only its field's name gives away, as in `{"password": "…"}`."""
        label = f"{self._key(key)}: "
        text, masked = self._new_redactor().redact(label + value)
        return (text.removeprefix(label), masked) if masked else (value, 0)


def silence(record: Json) -> str | None:
    """Name what a user or assistant record without any words is; None when it may hold some."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list) or not content:
        return None
    kinds = {_kind(block) for block in content}
    if kinds <= _THINKING:
        return "thinking"
    if kinds == {"tool_result"} and _answers(record.get("toolUseResult")) is None:
        return None if any("content" in _human_result(block) for block in content) else "tool result"
    return None


def tool_uses(record: Json) -> list[Json] | None:
    """Return the slim blocks of an assistant record that only uses tools; None when it may hold words."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list) or not isinstance(record.get("uuid"), str):
        return None
    if not {_kind(block) for block in content} <= {"tool_use", *_THINKING}:
        return None
    blocks = [_tool_use(block) for block in content if _kind(block) == "tool_use"]
    return None if any("plan" in block["input"] for block in blocks) else blocks


def _kind(block: Any) -> str:
    kind = block.get("type") if isinstance(block, dict) else None
    return kind if isinstance(kind, str) else ""


def _is_words(block: Json, key: str) -> bool:
    """Say whether a field holds words: text, or a message's or queue entry's plain content."""
    return key in _WHOLE or (
        key == "content" and isinstance(block.get(key), str) and "file_path" not in block
    )


def _tool_use(block: Json) -> Json:
    """Return a tool use with the paths it touched, or the plan it proposed, and nothing else of its input."""
    given = block.get("input")
    kept = {key: given[key] for key in _INPUT if key in given} if isinstance(given, dict) else {}
    return {"type": "tool_use", "name": block.get("name"), "input": kept}


def _human_result(block: Json) -> Json:
    """Return a tool result without its output, unless a person's words are in there."""
    content = block.get("content")
    text = content if isinstance(content, str) else "".join(_texts(content))
    head = {key: value for key, value in block.items() if key != "content"}
    if text.startswith(_HUMAN_OPENINGS) or (block.get("is_error") and _REASON_MARK.search(text)):
        return {**head, "content": text}
    return head


def _texts(content: Any) -> list[str]:
    if not isinstance(content, list):
        return []
    texts = [item.get("text") if isinstance(item, dict) else item for item in content]
    return [text for text in texts if isinstance(text, str)]


def _answers(result: Any) -> Json | None:
    """Return the answers a person gave, out of the client's own copy of a tool result."""
    if not isinstance(result, dict) or not isinstance(result.get("answers"), dict):
        return None
    notes = result.get("annotations")
    return {"answers": result["answers"], "annotations": notes if isinstance(notes, dict) else {}}


_STUB = (
    "type",
    "uuid",
    "parentUuid",
    "logicalParentUuid",
    "sessionId",
    "timestamp",
    "isSidechain",
    "agentId",
    "forkedFrom",
    "operation",
)


def stub(record: Json, *, opener: bool) -> bytes:
    """Return a forgotten record: it keeps its place in the chain, opens its turn, and holds no words."""
    kept = {key: record[key] for key in _STUB if key in record}
    return to_json({**kept, "suiForgotten": "opener" if opener else "part"})
