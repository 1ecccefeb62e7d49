"""A turn while it is being put together, and the exchange it becomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from operator import itemgetter
from typing import Any

from sui_memory.text import clean
from sui_memory.transcript.human import is_automated
from sui_memory.transcript.models import Block, Record
from sui_memory.types import Branch, Exchange, Status

ProjectOf = Callable[[str | None], str]
"""Names the project of a working directory."""

_SYNTHETIC = "<synthetic>"
_NO_ANSWER = {"", "(no content)", "No response requested."}
_PATH_FIELDS = ("file_path", "notebook_path", "path")
_MAX_FILES = 50
_MAX_TOOLS = 20


@dataclass(slots=True)
class Turn:
    """Everything from one prompt to the next on its chain.

    `parent` is the turn it follows, `after` the record; `records` are all of its own; `ordinal` is
    the place of its prompt in the conversation, `heard` holds places and words of what followed.
    """

    opener: Record
    question: str
    parent: Turn | None = None
    after: str | None = None
    ordinal: int = 0
    nth: int = 0
    sidechain: bool = False
    auto: bool = False
    plan: bool = False
    command: bool = False
    detached: bool = False
    interrupted: bool = False
    abandoned: bool = False
    heard: list[tuple[int, str]] = field(default_factory=list)
    answers: list[tuple[str | None, str]] = field(default_factory=list)
    files: dict[str, None] = field(default_factory=dict)
    tools: dict[str, None] = field(default_factory=dict)
    uuids: dict[str, None] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)
    answered_at: datetime | None = None
    _of_message: dict[str, list[int]] = field(default_factory=dict)

    @property
    def answer(self) -> str:
        """What the assistant said in this turn, in file order."""
        return "\n\n".join(text for _, text in self.answers)

    @property
    def followups(self) -> list[str]:
        """What a person said in mid-turn, in the order in which it was taken up."""
        return [words for _, words in sorted(self.heard, key=itemgetter(0))]

    @property
    def key(self) -> str:
        """The identity of the turn: its prompt's uuid, or where that has none, as in the queue, its place.

        The words are no part of it, so that masking more of them later leaves it as it is; `nth` tells
        prompts of one moment apart.
        """
        return self.opener.uuid or f"queued-{_hash(self.opener.session, self.opener.at, self.nth)}"

    @property
    def forgotten(self) -> bool:
        """Whether the user had this turn forgotten; it keeps its place, so that late records find it."""
        return self.opener.forgotten is not None

    def hear(self, record: Record, words: str, place: int) -> None:
        """Add something a person said in mid-turn, at a place in the conversation."""
        self.heard.append((place, words))
        self._cite(record)

    def say(self, record: Record) -> None:
        """Add an assistant record: its text, and the names of the tools and files it touched."""
        if record.message is None or record.is_api_error or record.message.model == _SYNTHETIC:
            return
        for block in record.message.content:
            text = _plan(block) if block.type == "tool_use" else clean(block.text)
            if block.type == "tool_use":
                self._touch(block)
            if text not in _NO_ANSWER and block.type in {"text", "tool_use"}:
                self._add(record.message.id, text)
                self._cite(record)
                self.answered_at = record.utc or self.answered_at

    def _add(self, message_id: str | None, text: str) -> None:
        """Add a text once; a longer version of one from the same message replaces it."""
        places = self._of_message.setdefault(message_id, []) if message_id is not None else []
        for place in places:
            earlier = self.answers[place][1]
            if earlier.startswith(text):
                return
            if text.startswith(earlier):
                self.answers[place] = (message_id, text)
                return
        places.append(len(self.answers))
        self.answers.append((message_id, text))

    def _touch(self, block: Block) -> None:
        if block.name and len(self.tools) < _MAX_TOOLS:
            self.tools[block.name] = None
        for name in _PATH_FIELDS:
            path = block.input.get(name)
            if isinstance(path, str) and path and len(self.files) < _MAX_FILES:
                self.files[clean(path)] = None

    def _cite(self, record: Record) -> None:
        if record.uuid is not None:
            self.uuids[record.uuid] = None

    def exchange(self, name: str, project_of: ProjectOf, agent: str = "claude-code") -> Exchange:
        """Return the finished exchange with an agent; `name` stands in for a missing session id."""
        opener = self.opener
        return Exchange(
            key=self.key,
            fingerprint=_hash(opener.utc, self.question),
            session=opener.session or name,
            project=project_of(opener.cwd),
            question=self.question,
            answer=self.answer,
            followups=tuple(self.followups),
            status=self._status(),
            branch=Branch.ABANDONED if self.abandoned else Branch.MAIN,
            sidechain=self.sidechain,
            auto=self.auto or is_automated(opener),
            plan=self.plan,
            agent=agent,
            version=opener.version,
            cwd=opener.cwd,
            git_branch=opener.git_branch,
            asked_at=opener.utc,
            answered_at=self.answered_at,
            files=tuple(self.files),
            tools=tuple(self.tools),
            uuids=tuple(dict.fromkeys([*([opener.uuid] if opener.uuid else []), *self.uuids])),
        )

    def _status(self) -> Status:
        if not self.answers:
            return Status.UNANSWERED
        return Status.INTERRUPTED if self.interrupted else Status.COMPLETE


def _plan(block: Block) -> str:
    plan = block.input.get("plan") if block.name == "ExitPlanMode" else None
    return clean(plan) if isinstance(plan, str) else ""


def _hash(*parts: Any) -> str:
    return blake2b(repr(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()
