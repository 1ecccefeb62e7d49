"""Who said it: the utterances of a person in one record, in all the places where they hide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from sui_memory.text import clean
from sui_memory.transcript.envelopes import INTERRUPT, PLAN, command_line, is_observation, shell_line, spoken
from sui_memory.transcript.models import Block, Record, kind_of, plain


class Kind(Enum):
    """What an utterance does to the conversation."""

    PROMPT = auto()
    PLAN = auto()
    COMMAND = auto()
    FOLLOWUP = auto()
    SHELL = auto()
    INTERRUPT = auto()


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something a person typed or did."""

    kind: Kind
    text: str = ""


_HUMAN_ORIGINS = {None, "human", "user", "sdk"}
_MACHINE_SOURCES = {"system", "hook"}
_PERSONAL_ORIGINS = {"human", "user"}
_PERSONAL_SOURCES = {"typed", "paste"}

_REFUSED = "The user doesn't want to"
_REASON = re.compile(
    r"(?:To tell you how to proceed, the user said:\n"
    r"|The user provided the following reason for the rejection:\s*)(.*?)"
    r"(?=\n\nNote: The user's next message|\Z)",
    re.DOTALL,
)
_ANSWERED = re.compile(r"\A(?:User has answered your questions?|Your questions? (?:has|have) been answered)")
_MIND = re.compile(r"\. You can now continue with[^\"]*\Z")
_AFTER_ANSWER = re.compile(r'(?<="), "')
_AFTER_NOTES = re.compile(r', "')
_HAS_NOTES = re.compile(r'" (?:selected preview|user notes):')
_TO_CLARIFY = "The user wants to clarify these questions"
_CLARIFIED = re.compile(r'^\s*- "(.*)"\n\s*Answer: (.*)$', re.MULTILINE)
_SLASH_COMMAND = re.compile(r"\s*/([\w:.-]+)(?:\s|\Z)")
_CLIENT_COMMANDS = frozenset(
    (
        "add-dir", "agents", "bashes", "btw", "bug", "chrome", "clear", "color", "compact", "config",
        "context", "copy", "cost", "desktop", "diff", "doctor", "effort", "exit", "export",
        "extra-usage", "fast", "feedback", "fork", "branch", "help", "hooks", "ide", "install-github-app",
        "keybindings", "login", "logout", "mcp", "memory", "mobile", "model", "new", "output-style",
        "passes", "permissions", "plan", "plugin", "privacy-settings", "quit", "release-notes",
        "reload-plugins", "remote-control", "remote-env", "rename", "reset", "resume", "rewind", "sandbox",
        "settings", "skills", "stats", "status", "statusline", "tasks", "terminal-setup", "theme", "todos",
        "upgrade", "usage", "vim", "voice",
    )
)  # fmt: skip
"""Commands that Claude Code runs itself, without a word to the model (its help, versions 1.0 to 2.1)."""

_PROGRAMS = re.compile(r"^(?:sdk|mcp)\b|\b(?:action|actions|github|gitlab|ci)\b")
"""Entrypoints that no person sits at: the kits for programs, a server for other agents, pipelines."""

_OBSERVERS = ("/.claude-mem/observer-sessions",)
"""Folders in which another memory tool lets its own sessions run."""

_SUMMARISERS = (
    "You are a Claude-Mem, a specialized observer",
    "Hello memory agent, you are continuing to observe",
    "<INSTRUCTIONS-TO-EPISODIC-MEMORY>",
    "Context: This summary will be shown in a list to help users and Claude choose",
    "Summarize this part of a conversation in 2-3 sentences.",
)
"""How other memory tools' own prompts begin, in versions that leave no field to tell them by."""

IMAGE_ONLY = "[image]"


def is_automated(record: Record) -> bool:
    """Say whether a program, not a person, drives the session that this record belongs to."""
    if record.prompt_source == "typed":
        return False
    if record.prompt_source == "sdk" or _PROGRAMS.search(record.entrypoint or ""):
        return True
    if (record.cwd or "").replace("\\", "/").endswith(_OBSERVERS):
        return True
    return record.type == "user" and _begins(record, _SUMMARISERS)


def is_observed(record: Record) -> bool:
    """Say whether a record reports from another session: then its own is an observer's."""
    return not is_signed(record) and any(is_observation(text) for text in _texts(record))


def _begins(record: Record, openings: tuple[str, ...]) -> bool:
    return any(text.lstrip().startswith(openings) for text in _texts(record))


def _texts(record: Record) -> list[str]:
    return [block.text for block in record.message.content] if record.message is not None else []


def is_signed(record: Record) -> bool:
    """Say whether the fields of a record name a person as who wrote it."""
    return record.prompt_source in _PERSONAL_SOURCES or record.origin_kind in _PERSONAL_ORIGINS


def is_machine_record(record: Record) -> bool:
    """Say whether the fields of a user record mark it as not a person's."""
    return bool(
        record.is_meta
        or record.is_summary
        or record.is_display_only
        or record.prompt_source in _MACHINE_SOURCES
        or record.origin_kind not in _HUMAN_ORIGINS
    )


def utterances(record: Record) -> Iterator[Utterance]:
    """Yield what a person said in a `user` record."""
    if record.message is None or is_machine_record(record):
        return
    blocks = record.message.content
    results = [block for block in blocks if block.type == "tool_result"]
    for block in results:
        yield from _inside_result(record, block)
    signed = is_signed(record)
    typed = [_typed(block.text, signed=signed) for block in blocks if block.type == "text"]
    found = [_planned(record, utterance) for utterance in typed if utterance is not None]
    if results:
        yield from (_beside_result(utterance) for utterance in found)
    else:
        yield from _opening(found, has_image=any(block.type == "image" for block in blocks))


def _typed(text: str, *, signed: bool) -> Utterance | None:
    if (command := command_line(text)) is not None:
        return Utterance(Kind.COMMAND, command) if command else None
    if (line := shell_line(text)) is not None:
        return Utterance(Kind.SHELL, line)
    words = spoken(text, signed=signed)
    if INTERRUPT.match(words):
        rest = INTERRUPT.sub("", words)
        return Utterance(Kind.INTERRUPT, rest)
    if words.startswith(PLAN):
        return Utterance(Kind.PLAN, words)
    return Utterance(Kind.PROMPT, words) if words else None


def _planned(record: Record, utterance: Utterance) -> Utterance:
    """Return what a record says as the plan that the client sends, when it is marked as one."""
    is_plan = record.is_plan and utterance.kind is Kind.PROMPT
    return Utterance(Kind.PLAN, utterance.text) if is_plan else utterance


def _beside_result(utterance: Utterance) -> Utterance:
    return utterance if utterance.kind is Kind.INTERRUPT else Utterance(Kind.FOLLOWUP, utterance.text)


def _opening(found: list[Utterance], *, has_image: bool) -> Iterator[Utterance]:
    """Join the text blocks of one prompt; what came after an interrupt mark is a prompt of its own.

    What follows a command in its own record is its expanded body.
    """
    prompt: list[str] = []
    kind = Kind.PROMPT
    for utterance in found:
        if kind is Kind.COMMAND and utterance.kind is Kind.PROMPT:
            continue
        if utterance.kind is Kind.INTERRUPT:
            yield Utterance(Kind.INTERRUPT)
        elif utterance.kind is not Kind.PROMPT:
            kind = utterance.kind if not prompt else kind
        if utterance.text:
            prompt.append(utterance.text)
    if prompt:
        yield Utterance(kind, "\n\n".join(prompt))
    elif has_image and not found:
        yield Utterance(Kind.PROMPT, IMAGE_ONLY)


def _inside_result(record: Record, block: Block) -> Iterator[Utterance]:
    """Yield a reason for refusing a tool, an interrupt, or the answers to the assistant's questions."""
    text = block.result
    if INTERRUPT.match(text):
        yield Utterance(Kind.INTERRUPT)
        return
    if block.is_error or text.startswith(_REFUSED):
        reason = _REASON.search(text)
        if reason and _TO_CLARIFY in reason.group(1):
            yield from _answered(_CLARIFIED.findall(reason.group(1)))
            return
        if reason and (words := spoken(reason.group(1), signed=True)):
            yield Utterance(Kind.FOLLOWUP, words)
            return
    answers = record.tool_use_result.answers if record.tool_use_result else {}
    notes = record.tool_use_result.annotations if record.tool_use_result else {}
    pairs = [(question, _answer(answer, notes.get(question))) for question, answer in answers.items()]
    if not pairs and (opening := _ANSWERED.match(text)):
        pairs = list(_pairs(text[opening.end() :])) or [("", text)]
    yield from _answered(pairs)


def _answered(pairs: Iterable[tuple[str, str]]) -> Iterator[Utterance]:
    for question, answer in pairs:
        if answer:
            yield Utterance(Kind.FOLLOWUP, clean(f"{question}\n→ {answer}" if question else answer))


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield (question, answer) from the sentence the client makes of them; either may hold quotes."""
    for question, rest in _halves(_MIND.sub("", text.lstrip(": "))):
        answer, previewed, behind = rest.partition('" selected preview:')
        if previewed:
            notes = behind.partition(" user notes: ")[2]
        else:
            answer, _, notes = rest.partition('" user notes: ')
        yield question, _answer(answer.removesuffix('"'), {"notes": notes})


def _halves(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before and behind each `"="`, without the mark between two answers."""
    question, *pieces = sentence.removeprefix('"').split('"="')
    rest = ""
    for piece in pieces[:-1]:
        rest += piece
        if (border := _border(rest)) is None:
            rest += '"="'
            continue
        yield question, rest[: border.start()]
        question, rest = rest[border.end() :], ""
    if pieces:
        yield question, rest + pieces[-1]


def _border(piece: str) -> re.Match[str] | None:
    """Return where an answer ends and the next question begins: where both have all their quotes closed."""
    if _HAS_NOTES.search(piece):
        return next(reversed([*_AFTER_NOTES.finditer(piece)]), None)
    borders = [*_AFTER_ANSWER.finditer(piece)]
    even = (
        border
        for border in borders
        if piece[border.end() :].count('"') % 2 == 0 and piece[: border.start() - 1].count('"') % 2 == 0
    )
    return next(even, borders[-1] if borders else None)


def _answer(answer: Any, note: Any) -> str:
    chosen = ", ".join(map(str, answer)) if isinstance(answer, list) else str(answer)
    remark = note.get("notes") if isinstance(note, dict) else None
    return f"{chosen} ({remark})" if isinstance(remark, str) and remark else chosen


def is_command(text: str) -> bool:
    """Say whether words look like a slash command; a path, or words about one, may look the same."""
    return _SLASH_COMMAND.match(text) is not None


def queued_words(prompt: Any, mode: str | None = None, origin: Any = None) -> str:
    """Return what a person typed into the queue, or "" for a notification that travelled the same way."""
    if mode not in {None, "prompt"} or kind_of(origin) not in _HUMAN_ORIGINS:
        return ""
    text = plain(prompt)
    if (command := _SLASH_COMMAND.match(text)) and command.group(1) in _CLIENT_COMMANDS:
        return ""
    return spoken(text, signed=kind_of(origin) in _PERSONAL_ORIGINS)
