"""Takes the words of forgotten turns out of the raw records of a family, in every copy of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic_core import from_json

from sui_memory.transcript.chain import fingerprint
from sui_memory.transcript.envelopes import SUMMARY, is_machine
from sui_memory.transcript.human import Kind, is_signed, queued_words, utterances
from sui_memory.transcript.models import Record, parse_record
from sui_memory.transcript.slim import stub
from sui_memory.transcript.turns import Turn

Lines = Mapping[str, Sequence[bytes]]
Place = tuple[str, ...]

_ARCHIVED = {"user", "assistant", "attachment", "queue-operation", "system", "link"}
"""The record types that the chunker knows; only these can be told apart by turn."""

_STUB_MARK = b'"suiForgotten"'


def hush(lines: Lines) -> Lines:
    """Return the lines with a stub for every record that was silenced before and has come again."""
    known = _stubs(lines)
    if not known:
        return lines
    return {path: list(_hushed(each, known)) for path, each in lines.items()}


def _stubs(lines: Lines) -> dict[Place, str]:
    """Return where stubs are, and what each of them is in its turn."""
    records = (parse_record(line) for each in lines.values() for line in each if _STUB_MARK in line)
    return {_place(record): record.forgotten for record in records if record and record.forgotten}


def _hushed(lines: Sequence[bytes], known: Mapping[Place, str]) -> Iterator[bytes]:
    present = frozenset(lines)
    for line in lines:
        record = parse_record(line)
        role = known.get(_place(record)) if record and record.forgotten is None else None
        hushed = line if role is None else stub(from_json(line), opener=role == "opener")
        if hushed is line or hushed not in present:
            yield hushed


def silence(
    lines: Lines, kept: Sequence[Turn], dropped: Sequence[Turn], sessions: Collection[str]
) -> dict[str, list[bytes]]:
    """Return the lines with stubs in the place of the records of dropped turns.

    Of `sessions`, whatever belongs to no kept turn becomes a stub, too. Summaries that the client made
    and records of unknown types may quote anything, so they go as well.
    """
    if not dropped and not sessions:
        return {path: list(each) for path, each in lines.items()}
    judge = _Judge(kept, dropped, sessions)
    return {path: [after for line in each for after in _judged(line, judge)] for path, each in lines.items()}


def _judged(line: bytes, judge: _Judge) -> Sequence[bytes]:
    record = parse_record(line)
    if record is None or record.type not in _ARCHIVED:
        return ()
    if record.forgotten is not None or record.type == "link" or not judge.is_doomed(record):
        return (line,)
    return (stub(from_json(line), opener=judge.is_opener(record)),)


class _Judge:
    """Tells which records hold words of dropped turns."""

    def __init__(self, kept: Sequence[Turn], dropped: Sequence[Turn], sessions: Collection[str]) -> None:
        self._sessions = sessions
        heard = {id(turn) for turn in kept}
        self._doomed = _Traces.of(record for turn in dropped for record in _with_earlier_tries(turn, heard))
        self._openers = _Traces.of(turn.opener for turn in dropped)
        self._kept = _Traces.of(record for turn in kept for record in turn.records)
        self._queued = _Traces.of(record for turn in kept for record in _from_the_queue(turn))
        self._doomed_words = [words for turn in dropped for words in (turn.question, *turn.followups)]
        self._kept_words = [words for turn in kept for words in turn.followups]

    def is_opener(self, record: Record) -> bool:
        return record in self._openers

    def is_doomed(self, record: Record) -> bool:
        if _is_summary(record):
            return True
        if record.type == "queue-operation":
            return record not in self._queued and (
                self._is_doomed_by_place(record)
                or _is_among(queued_words(record.content), self._doomed_words)
            )
        line = _shell_line(record)
        if _is_among(line, self._kept_words):
            return False
        return _is_among(line, self._doomed_words) or self._is_doomed_by_place(record)

    def _is_doomed_by_place(self, record: Record) -> bool:
        return record in self._doomed or (record.session in self._sessions and record not in self._kept)


@dataclass(frozen=True, slots=True)
class _Traces:
    """Records that are known again in any copy: by uuid, or by their words."""

    places: frozenset[Place]
    prints: frozenset[bytes]

    @classmethod
    def of(cls, records: Iterator[Record]) -> _Traces:
        found = list(records)
        prints = frozenset(mark for record in found if (mark := fingerprint(record)))
        return cls(frozenset(map(_place, found)), prints)

    def __contains__(self, record: Record) -> bool:
        return _place(record) in self.places or fingerprint(record) in self.prints


def _place(record: Record) -> Place:
    """Return what a record and its stub share: the uuid, or in the queue, session and moment."""
    if record.uuid is not None:
        return (record.uuid,)
    at = record.at.isoformat() if record.at else ""
    return (record.type, record.operation or "", record.session or "", at)


def _with_earlier_tries(turn: Turn, kept: Collection[int]) -> Iterator[Record]:
    """Yield the records of a turn and of the same question sent in vain right before it.

    `kept` are the `id()`s of turns that are none of that.
    """
    yield from turn.records
    earlier = turn.parent
    while earlier is not None and id(earlier) not in kept and earlier.question == turn.question:
        yield from earlier.records
        earlier = earlier.parent


def _from_the_queue(turn: Turn) -> Iterator[Record]:
    """Yield the queue's records whose words are in this turn: they lie where they were typed."""
    for record in turn.records:
        if record.type == "queue-operation" and queued_words(record.content) in _heard(turn):
            yield record


def _heard(turn: Turn) -> tuple[str, ...]:
    return (turn.question, *turn.followups) if turn.detached else tuple(turn.followups)


def _shell_line(record: Record) -> str:
    """Return what a person typed behind `!`, or "": it lies in one turn and is heard in the next."""
    said = utterances(record) if record.type == "user" else iter(())
    return next((utterance.text for utterance in said if utterance.kind is Kind.SHELL), "")


def _is_among(words: str, texts: Sequence[str]) -> bool:
    """Say whether words are whole lines of one of the texts: several queued prompts are sent as one."""
    return bool(words) and any(f"\n{words}\n" in f"\n{text}\n" for text in texts)


def _is_summary(record: Record) -> bool:
    if record.is_summary:
        return True
    if record.type != "user" or record.message is None or is_signed(record):
        return False
    texts = [block.text for block in record.message.content]
    return any(text.lstrip().startswith(SUMMARY) and is_machine(text) for text in texts)
