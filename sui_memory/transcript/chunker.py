"""Records to exchanges: one question with everything that answers it.

Works on a family: the streams of all files that share records (a session with its resumed, forked
and branched copies), so that the result does not depend on when or in which pieces they were read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set

from sui_memory.transcript.chain import Chain, Entry, Stream
from sui_memory.transcript.human import Kind, Utterance, is_automated, is_observed, queued_words, utterances
from sui_memory.transcript.queue import Fate, PromptQueue
from sui_memory.transcript.turns import Turn

_WARM_UP = "Warmup"
_COMMAND_OUTPUT = ("<local-command-stdout>", "<local-command-stderr>")


def chunk(streams: Sequence[Stream]) -> list[Turn]:
    """Return the turns of a family of streams, in file order; those without any words are left out.

    Forgotten turns are among them, empty, with the records that came late.
    """
    chain = Chain(streams)
    conversation = _Conversation(chain)
    for place, entry in enumerate(chain.entries):
        conversation.take(place, entry)
    conversation.settle_queue()
    _mark_rewound(conversation.turns, conversation.queued)
    _mark_automated(conversation.turns, chain.entries)
    _number(conversation.turns)
    repeated = _repeated(conversation.turns)
    return [turn for turn in conversation.turns if _is_worth_keeping(turn) and id(turn) not in repeated]


class _Conversation:
    """Assigns every record to the turn it belongs to."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._turn_of: dict[str, Turn] = {}
        self._last: dict[tuple[int | str | None, bool], Turn] = {}
        self._before: list[Turn | None] = []
        self._shell: dict[int, list[str]] = defaultdict(list)
        self._heard: list[tuple[int, str]] = []
        self._attachments: dict[str, str] = {}
        self._typed: dict[str, str] = {}
        self._queue = PromptQueue()
        self._builtin = _builtin_commands(chain.entries)
        self.turns: list[Turn] = []

    @property
    def queued(self) -> Set[int]:
        """The places of prompts that came out of the queue, known when it is settled."""
        return self._queue.sent

    def take(self, place: int, entry: Entry) -> None:
        record = entry.record
        turn = self._current(entry)
        self._before.append(turn)
        if record.type == "link":
            return
        if record.type == "queue-operation":
            self._queue.take(record, place)
        elif record.forgotten:
            turn = self._stub(entry, turn)
        elif record.type == "attachment":
            turn = self._attached(place, entry, turn)
        elif record.type == "user":
            turn = self._said(place, entry, turn)
        elif record.type == "assistant" and turn is not None:
            turn.say(record)
        self._belongs(entry, turn)

    def _current(self, entry: Entry) -> Turn | None:
        """Return the turn of the nearest ancestor; in a broken chain, the last one of the same talk."""
        for uuid in self._chain.ancestors(entry.parent):
            if uuid in self._turn_of:
                return self._turn_of[uuid]
        last = [self._last[talk] for talk in _talks(entry) if talk in self._last]
        return max(last, key=_ordinal, default=None)

    def _belongs(self, entry: Entry, turn: Turn | None) -> None:
        if turn is None:
            return
        turn.records.append(entry.record)
        for talk in _talks(entry):
            self._last[talk] = max(turn, self._last.get(talk, turn), key=_ordinal)
        if entry.record.uuid is not None:
            self._turn_of[entry.record.uuid] = turn

    def _stub(self, entry: Entry, turn: Turn | None) -> Turn | None:
        if entry.record.forgotten != "opener":
            return turn
        return self._open(entry, turn, Utterance(Kind.PROMPT))

    def _attached(self, place: int, entry: Entry, turn: Turn | None) -> Turn | None:
        attachment = entry.record.attachment
        if attachment is None or attachment.type != "queued_command" or attachment.is_meta:
            return turn
        words = queued_words(attachment.prompt, attachment.command_mode, attachment.origin)
        if not words or self._is_twin(entry, attachment.source, words, self._typed):
            return turn
        self._heard.append((place, words))
        self._attachments |= {uuid: words for uuid in (entry.record.uuid, attachment.source) if uuid}
        if turn is None:
            return self._open(entry, turn, Utterance(Kind.PROMPT, words))
        turn.hear(entry.record, words, place)
        return turn

    def _is_twin(self, entry: Entry, uuid: str | None, words: str, others: Mapping[str, str]) -> bool:
        """Say whether a queued prompt is there as an attachment and, right beside it, as a user record."""
        before = self._chain.conversational(entry.parent)
        return any(others.get(other) == words for other in (uuid, before) if other)

    def _said(self, place: int, entry: Entry, turn: Turn | None) -> Turn | None:
        if entry.sidechain:
            return self._delegated(entry, turn)
        for utterance in utterances(entry.record):
            if self._is_twin(entry, entry.record.uuid, utterance.text, self._attachments):
                continue
            if utterance.kind is Kind.INTERRUPT and turn is not None:
                turn.interrupted = True
            elif utterance.kind is Kind.SHELL:
                self._shell[entry.stream].append(utterance.text)
            elif utterance.kind is Kind.FOLLOWUP and turn is not None:
                turn.hear(entry.record, utterance.text, place)
                self._heard.append((place, utterance.text))
            elif utterance.kind in {Kind.PROMPT, Kind.PLAN, Kind.FOLLOWUP}:
                turn = self._open(entry, turn, utterance)
                self._heard.append((place, utterance.text))
            elif utterance.kind is Kind.COMMAND:
                self._heard.append((place, utterance.text))
                if entry.record.uuid not in self._builtin:
                    turn = self._open(entry, turn, utterance)
        return turn

    def _delegated(self, entry: Entry, turn: Turn | None) -> Turn | None:
        """Open a turn for what a sub-agent was told: the model's own words, not a person's."""
        message = entry.record.message
        if message is None or any(block.type == "tool_result" for block in message.content):
            return turn
        words = "\n\n".join(text for utterance in utterances(entry.record) if (text := utterance.text))
        return self._open(entry, turn, Utterance(Kind.PROMPT, words)) if words else turn

    def _open(self, entry: Entry, parent: Turn | None, utterance: Utterance) -> Turn:
        if entry.record.uuid is not None:
            self._typed[entry.record.uuid] = utterance.text
        after = self._chain.conversational(entry.parent)
        turn = Turn(
            opener=entry.record,
            question=utterance.text,
            parent=parent if after else None,
            after=after,
            ordinal=len(self._before) - 1,
            sidechain=entry.sidechain,
            plan=utterance.kind is Kind.PLAN,
            command=utterance.kind is Kind.COMMAND,
        )
        if not (turn.sidechain or turn.command or turn.forgotten):
            turn.heard += [(turn.ordinal, line) for line in self._shell.pop(entry.stream, [])]
        self.turns.append(turn)
        return turn

    def settle_queue(self) -> None:
        """Give a prompt that exists in the queue alone to the turn that took it up, or a turn of its own."""
        for item in self._queue.unheard(self._heard):
            turn = self._before[item.place]
            if item.fate is Fate.ABSORBED and turn is not None:
                turn.hear(item.record, item.text, item.place)
                turn.records.append(item.record)
                continue
            lone = Turn(item.record, item.text, parent=turn, ordinal=item.typed, detached=True)
            lone.records.append(item.record)
            self.turns.append(lone)
        self.turns.sort(key=_ordinal)


def _ordinal(turn: Turn) -> int:
    return turn.ordinal


def _talks(entry: Entry) -> list[tuple[int | str | None, bool]]:
    """Return what a record belongs to when its chain is broken: its file, and its session.

    Copies of a file share the session; so do its sub-agents, which have nothing else in common.
    """
    file = (entry.stream, entry.sidechain)
    return [file] if entry.sidechain else [file, (entry.record.session, False)]


def _builtin_commands(entries: Sequence[Entry]) -> set[str]:
    """Return the uuids of commands that the client ran itself: their output follows them at once."""
    parents = [
        entry.parent
        for entry in entries
        if entry.parent
        and entry.record.message is not None
        and any(block.text.lstrip().startswith(_COMMAND_OUTPUT) for block in entry.record.message.content)
    ]
    return set(parents)


def _is_worth_keeping(turn: Turn) -> bool:
    if turn.forgotten or not turn.question:
        return turn.forgotten
    if turn.command:
        return bool(turn.answers or turn.heard)
    return not (turn.sidechain and turn.question == _WARM_UP)


def _repeated(turns: Sequence[Turn]) -> set[int]:
    """Return the turns whose unanswered question was sent again at once, as after an API error."""
    return {
        id(turn.parent)
        for turn in turns
        if turn.parent is not None
        and turn.parent.question == turn.question
        and not (turn.parent.answers or turn.parent.heard)
    }


def _number(turns: Sequence[Turn]) -> None:
    """Count the prompts without a uuid that share a session and a moment."""
    times: Counter[object] = Counter()
    for turn in turns:
        if turn.opener.uuid is None:
            moment = (turn.opener.session, turn.opener.at)
            turn.nth = times[moment]
            times[moment] += 1


def _mark_rewound(turns: Sequence[Turn], queued: Set[int]) -> None:
    """Mark what a rewind left behind: of several prompts after one record the last is the one that counts.

    A fork goes on in a session of its own and abandons nothing; neither does a prompt out of the queue,
    which is sent while nobody can rewind.
    """
    before: dict[tuple[str, str | None], list[Turn]] = defaultdict(list)
    begun = {id(turn.parent) for turn in turns}
    for turn in turns:
        if turn.after is None or turn.detached or turn.sidechain:
            continue
        siblings = before[turn.after, turn.opener.session]
        for earlier in siblings if turn.ordinal not in queued else ():
            earlier.abandoned |= (
                id(earlier) in begun or _has_begun(earlier) or earlier.question == turn.question
            )
        siblings.append(turn)
    for turn in turns:
        turn.abandoned = turn.abandoned or (turn.parent is not None and turn.parent.abandoned)


def _has_begun(turn: Turn) -> bool:
    """Say whether anything came of a prompt: without it, it may only have been sent right before the next."""
    return turn.interrupted or any(record.type == "assistant" for record in turn.records)


def _mark_automated(turns: Sequence[Turn], entries: Sequence[Entry]) -> None:
    """Spread the mark of an automated session to prompts that do not say who typed them.

    An observer's session is nobody's at all; a program's may be gone on with by a person in a terminal.
    """
    observed = {entry.record.session for entry in entries if is_observed(entry.record)}
    driven = {entry.record.session for entry in entries if is_automated(entry.record)}
    for turn in turns:
        opener = turn.opener
        unsigned = opener.session in driven and opener.entrypoint is None and opener.prompt_source is None
        turn.auto = opener.prompt_source != "typed" and (opener.session in observed or unsigned)
