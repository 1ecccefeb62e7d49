"""The records of a Claude Code transcript, as far as memory cares. Everything else is ignored.

The shapes were read off published transcripts of versions 1.0.24 to 2.1.332; every field may be
missing, and a field of an unexpected type counts as missing.
"""

from __future__ import annotations

from dataclasses import field
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from pydantic_core import from_json

# Slots, because a long session has a hundred thousand records: a model with a `__dict__` takes 3 KB each.
_foreign = dataclass(slots=True, frozen=True, config=ConfigDict(extra="ignore"))


@_foreign
class Block:
    """One block of a message's content."""

    type: str = ""
    text: str = ""
    id: str | None = None
    name: str | None = None
    input: dict[str, Any] = field(default_factory=dict)
    tool_use_id: str | None = None
    content: Any = None
    is_error: bool | None = None

    @property
    def result(self) -> str:
        """The text of a tool result, whose content is a string or a list of blocks."""
        return plain(self.content)


def plain(content: Any) -> str:
    """Return the text of a message content: a string, or a list that holds text blocks or strings."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (item.get("text") if isinstance(item, dict) else item for item in content)
    return "\n\n".join(text for text in texts if isinstance(text, str))


def _blocks(content: Any) -> Any:
    if isinstance(content, str):
        content = [content]
    if not isinstance(content, list):
        return content
    return [{"type": "text", "text": item} if isinstance(item, str) else item for item in content]


@_foreign
class Message:
    """What was sent to or came from the model; plain text counts as one text block."""

    id: str | None = None
    model: str | None = None
    content: Annotated[tuple[Block, ...], BeforeValidator(_blocks)] = ()


@_foreign
class Attachment:
    """Something put beside the conversation; only queued commands hold a person's words."""

    type: str = ""
    prompt: Any = None
    command_mode: str | None = Field(None, alias="commandMode")
    origin: Any = None
    is_meta: bool | None = Field(None, alias="isMeta")
    source: str | None = Field(None, alias="source_uuid")


@_foreign
class ToolUseResult:
    """The client's own view of a tool result; only the answers a person picked or typed matter."""

    answers: dict[str, Any] = field(default_factory=dict)
    annotations: dict[str, Any] = field(default_factory=dict)


@_foreign
class Record:
    """One line of a transcript."""

    type: str
    uuid: str | None = None
    parent: str | None = Field(None, alias="parentUuid")
    logical_parent: str | None = Field(None, alias="logicalParentUuid")
    session: str | None = Field(None, alias="sessionId")
    at: datetime | None = Field(None, alias="timestamp")
    cwd: str | None = None
    git_branch: str | None = Field(None, alias="gitBranch")
    version: str | None = None
    entrypoint: str | None = None
    prompt_source: str | None = Field(None, alias="promptSource")
    origin: Any = None
    forked_from: Any = Field(None, alias="forkedFrom")
    is_meta: bool | None = Field(None, alias="isMeta")
    is_sidechain: bool | None = Field(None, alias="isSidechain")
    is_summary: bool | None = Field(None, alias="isCompactSummary")
    is_display_only: bool | None = Field(None, alias="isVisibleInTranscriptOnly")
    is_api_error: bool | None = Field(None, alias="isApiErrorMessage")
    agent_id: str | None = Field(None, alias="agentId")
    message: Message | None = None
    attachment: Attachment | None = None
    tool_use_result: ToolUseResult | None = Field(None, alias="toolUseResult")
    operation: str | None = None
    content: Any = None
    forgotten: str | None = Field(None, alias="suiForgotten")
    is_plan: bool | None = Field(None, alias="suiPlan")

    @property
    def origin_kind(self) -> str | None:
        """Who made this record; newer versions write an object, one quoted record a plain string."""
        return kind_of(self.origin)

    @property
    def utc(self) -> datetime | None:
        """The record's time in UTC; a time without a zone is taken as UTC.

        At either end of the calendar a time has no room for zones: it counts as none.
        """
        if self.at is None or not MINYEAR < self.at.year < MAXYEAR:
            return None
        return self.at.replace(tzinfo=UTC) if self.at.tzinfo is None else self.at.astimezone(UTC)


def kind_of(origin: Any) -> str | None:
    """Return the kind of an `origin` field in either of its two shapes."""
    kind = origin.get("kind") if isinstance(origin, dict) else origin
    return kind if isinstance(kind, str) else None


_MAX_REPAIRS = 8
_record = TypeAdapter(Record)


def parse_record(line: bytes) -> Record | None:
    """Return the record on a line; fields of the wrong type are left out. `None` when there is none."""
    try:
        return _record.validate_json(line)
    except ValidationError as error:
        return _repair(line, error)


def _repair(line: bytes, error: ValidationError) -> Record | None:
    try:
        value = from_json(line)
    except ValueError:
        return None
    for _ in range(_MAX_REPAIRS):
        for problem in error.errors(include_url=False, include_input=False):
            _drop(value, problem["loc"])
        try:
            return _record.validate_python(value)
        except ValidationError as again:
            error = again
    return None


def _drop(value: Any, location: tuple[int | str, ...]) -> None:
    """Delete the innermost field that `location` names, as far as it exists."""
    *way, last = location or ("type",)
    for step in way:
        value = _step(value, step)
    if isinstance(value, dict):
        value.pop(last, None)
    elif isinstance(value, list) and isinstance(last, int) and last < len(value):
        value[last] = {}


def _step(value: Any, step: int | str) -> Any:
    if isinstance(value, dict):
        return value.get(str(step))
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return None
