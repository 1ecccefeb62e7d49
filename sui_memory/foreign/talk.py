"""Exports of ChatGPT and Claude.ai (`conversations.json`): each question with its answer is an exchange.

Neither service documents its format: what is relied on is told in docs/import-memory.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sui_memory.foreign.findings import digest, fields, items, moment, words
from sui_memory.text import clean
from sui_memory.types import Exchange, Status

CHATGPT = "chatgpt"
CLAUDE_AI = "claude.ai"

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Message:
    """Something said: `name` is its id in the export."""

    name: str
    is_human: bool
    text: str
    at: datetime | None


def agent_of(conversations: list[Any]) -> str | None:
    """Return whose export this is; None when it is neither's. An empty one is anybody's."""
    for found in map(fields, conversations):
        if isinstance(found.get("mapping"), dict):
            return CHATGPT
        if isinstance(found.get("chat_messages"), list):
            return CLAUDE_AI
    return None


def exchanges(conversations: list[Any], agent: str, project: str | None = None) -> Iterator[Exchange]:
    """Yield the exchanges of an export, conversation by conversation; broken ones are passed over."""
    read = _chatgpt if agent == CHATGPT else _claude_ai
    for found in map(fields, conversations):
        session = next(
            (words(found.get(name)) for name in ("conversation_id", "id", "uuid") if found.get(name)), ""
        )
        started = moment(found.get("create_time") or found.get("created_at"))
        for number, turn in enumerate(_turns(read(found))):
            yield _exchange(turn, number, started, session=session, agent=agent, project=project or agent)


def _turns(messages: Iterator[_Message]) -> Iterator[list[_Message]]:
    """Yield each human message with what is said before the next one."""
    turn: list[_Message] = []
    for message in messages:
        if message.is_human:
            if turn:
                yield turn
            turn = [message]
        elif turn:
            turn.append(message)
    if turn:
        yield turn


def _exchange(
    turn: Sequence[_Message], number: int, started: datetime | None, *, session: str, agent: str, project: str
) -> Exchange:
    question, *answers = turn
    name = question.name or str(number)
    return Exchange(
        key=f"{agent}:{session}:{name}",
        fingerprint=digest(agent, session, name),
        session=session or agent,
        project=project,
        question=question.text,
        answer="\n\n".join(answer.text for answer in answers),
        status=Status.COMPLETE if answers else Status.UNANSWERED,
        agent=agent,
        asked_at=question.at or started,
        answered_at=next((answer.at for answer in reversed(answers) if answer.at), None),
    )


def _claude_ai(conversation: dict[str, Any]) -> Iterator[_Message]:
    for message in map(fields, items(conversation.get("chat_messages"))):
        blocks = [fields(block) for block in items(message.get("content"))]
        parts = [words(block.get("text")) for block in blocks if block.get("type") == "text"]
        text = clean("\n\n".join(filter(None, parts)) or words(message.get("text")))
        if text and message.get("sender") in {"human", "assistant"}:
            is_human = message["sender"] == "human"
            yield _Message(words(message.get("uuid")), is_human, text, moment(message.get("created_at")))


def _chatgpt(conversation: dict[str, Any]) -> Iterator[_Message]:
    for node in _branch(fields(conversation.get("mapping")), conversation.get("current_node")):
        message = fields(node.get("message"))
        role = fields(message.get("author")).get("role")
        text = _said(message)
        if text and role in {"user", "assistant"}:
            name = words(message.get("id")) or words(node.get("id"))
            yield _Message(name, role == "user", text, moment(message.get("create_time")))


def _branch(mapping: dict[str, Any], leaf: Any) -> list[dict[str, Any]]:
    """Return the nodes from the root to the leaf that was open last: not what an edit left behind."""
    nodes = {name: fields(node) for name, node in mapping.items()}
    name = leaf if isinstance(leaf, str) and leaf in nodes else _latest(nodes)
    path: list[dict[str, Any]] = []
    while name in nodes:
        path.append(nodes.pop(name))  # popped, so that a circle ends
        name = words(path[-1].get("parent"))
    return path[::-1]


def _latest(nodes: dict[str, dict[str, Any]]) -> str:
    """Return the leaf that was said last."""
    leaves = [name for name, node in nodes.items() if not items(node.get("children"))]
    times = {name: moment(fields(nodes[name].get("message")).get("create_time")) for name in leaves}
    return max(leaves, key=lambda name: times[name] or _NEVER, default="")


def _said(message: dict[str, Any]) -> str:
    """Return what a message says to people: no code for tools, no thoughts, nothing that is hidden."""
    content = fields(message.get("content"))
    is_speech = content.get("content_type") in {"text", "multimodal_text"}
    is_hidden = fields(message.get("metadata")).get("is_visually_hidden_from_conversation") is True
    if not is_speech or is_hidden or message.get("recipient", "all") not in {"all", None}:
        return ""
    return clean("\n\n".join(part for part in items(content.get("parts")) if isinstance(part, str)))
