"""Stores what was found elsewhere: redacted first, each thing once, a changed note in place of the old."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from sui_memory.foreign import tying
from sui_memory.foreign.findings import Finding, Remembered, Scene, Tied, digest
from sui_memory.foreign.places import Found
from sui_memory.language import cut
from sui_memory.redaction import Redactor
from sui_memory.store.kept import KEPT, KeepingStore, KeptMemory, Kinds, Note
from sui_memory.text import clean
from sui_memory.types import Analyzer, Exchange, Indexed, Memory

_AT_ONCE = 64
"""Memories of one transaction: some 50 ms, so that another writer never waits long."""

_ALL = 1_000_000


@dataclass(slots=True)
class Imported:
    """What an import did, or would do. `notes` and `exchanges` are what was read of each kind.

    `changed` are new words in place of old ones, `forgotten` what you had forgotten and stays so, `links` and
    `episodes` those that were added, `values` the secrets masked on the way. `problems` says of files, one
    sentence each, why they were left out.
    """

    files: int = 0
    notes: int = 0
    exchanges: int = 0
    new: int = 0
    changed: int = 0
    existing: int = 0
    forgotten: int = 0
    links: int = 0
    episodes: int = 0
    values: int = 0
    problems: list[str] = field(default_factory=list)


def import_memories(
    found: Iterable[Found],
    *,
    store: KeepingStore,
    analyzer: Analyzer,
    project: str = "",
    dry_run: bool = False,
    on_progress: Callable[[str], None] = lambda file: None,
) -> Imported:
    """Store what is not there yet and return what came of it; a `dry_run` only counts.

    Notes belong to `project`. Nothing is written before it is redacted.
    """
    result = Imported()
    storing = _Storing(result, store, analyzer, project, dry_run=dry_run)
    for one in found:
        on_progress(str(one.file))
        if one.problem:
            result.problems.append(one.problem)
        result.files += not one.problem
        memories = (finding for finding in one.findings if isinstance(finding, Remembered | Exchange))
        while batch := list(islice(memories, _AT_ONCE)):
            storing.store(batch)
        storing.tie(one.findings)
    return result


@dataclass(frozen=True, slots=True)
class _Ready:
    """A memory as it is stored; of a note, what is known beside its text."""

    exchange: Exchange
    note: Note | None


class _Storing:
    """Stores batch after batch, and knows which words lie where."""

    def __init__(
        self, result: Imported, store: KeepingStore, analyzer: Analyzer, project: str, *, dry_run: bool
    ) -> None:
        self._result = result
        self._store = store
        self._analyzer = analyzer
        self._project = project
        self._dry_run = dry_run
        kept = store.kept.recent(Kinds(rest=True), limit=_ALL)
        self._places = {one.memory.exchange.fingerprint: one for one in kept}

    def store(self, batch: Sequence[Remembered | Exchange]) -> None:
        """Store what is not there yet, and take away what stood in the place of changed notes."""
        ready = {one.exchange.key: one for one in map(self._ready, batch)}
        known = {memory.id for memory in self._store.get([one.exchange.id for one in ready.values()])}
        fresh = [one for one in ready.values() if one.exchange.id not in known]
        buried = self._store.tombstones(
            [one.exchange.key for one in fresh], [one.exchange.fingerprint for one in fresh]
        )
        wanted = [one for one in fresh if not {one.exchange.key, one.exchange.fingerprint} & buried]
        self._result.existing += len(ready) - len(fresh)
        self._result.forgotten += len(fresh) - len(wanted)
        self._write(wanted)

    def _write(self, wanted: Sequence[_Ready]) -> None:
        notes = [self._kept(one.exchange, one.note) for one in wanted if one.note]
        places = {note.memory.exchange.fingerprint: note for note in notes}
        old = {place: before for place in places if (before := self._places.get(place))}
        self._places |= places
        self._result.changed += len(old)
        self._result.new += len(wanted) - len(old)
        if self._dry_run:
            return
        # The new words first: cut short in between, the next import takes away what is left of the old.
        talk = [Memory(one.exchange) for one in wanted if not one.note]
        self._store.restore([(memory, self._indexed(memory)) for memory in talk])
        self._store.kept.restore([(note, self._indexed(note.memory), None) for note in notes])
        tying.carry({one.id: places[place].id for place, one in old.items()}, self._store.kept)
        self._store.forget([one.memory.exchange.key for one in old.values()], {}, tombstone=False)

    def tie(self, findings: Sequence[Finding]) -> None:
        """Store the links and episodes of one file, when its memories are."""
        if self._dry_run:
            return
        ids = {place: one.id for place, one in self._places.items()}
        ties = [finding for finding in findings if isinstance(finding, Tied)]
        scenes = [finding for finding in findings if isinstance(finding, Scene)]
        self._result.links += tying.link(ties, ids, self._store.kept, self._masked)
        self._result.episodes += tying.gather(scenes, ids, self._store.kept, self._masked)

    def _kept(self, exchange: Exchange, note: Note) -> KeptMemory:
        """Return a kept memory with what has become of the one in whose place it comes."""
        old = self._places.get(exchange.fingerprint)
        if old is None:
            return KeptMemory(Memory(exchange), note)
        accessed = max(note.accessed, old.note.accessed)
        accessed_at = max(filter(None, (note.accessed_at, old.note.accessed_at)), default=None)
        return KeptMemory(
            Memory(exchange, pinned=old.memory.pinned, muted=old.memory.muted),
            replace(note, accessed=accessed, accessed_at=accessed_at),
        )

    def _indexed(self, memory: Memory) -> Indexed:
        return Indexed(memory.exchange, cut(memory.exchange, self._analyzer))

    def _ready(self, finding: Remembered | Exchange) -> _Ready:
        if isinstance(finding, Exchange):
            self._result.exchanges += 1
            question, answer = self._masked(finding.question), self._masked(finding.answer)
            return _Ready(replace(finding, question=question, answer=answer), None)
        self._result.notes += 1
        return self._remembered(finding)

    def _remembered(self, finding: Remembered) -> _Ready:
        text = self._masked(clean(finding.text))
        place = self._place(digest(finding.place), text)
        exchange = Exchange(
            key=_key(place, text),
            fingerprint=place,
            session=KEPT,
            project=self._project,
            question=text,
            agent=KEPT,
            asked_at=finding.at,
            files=(self._masked(clean(finding.file)),),
        )
        tags = tuple(self._masked(clean(tag)) for tag in finding.note.tags)
        return _Ready(exchange, replace(finding.note, tags=tags))

    def _place(self, place: str, text: str) -> str:
        """Return where a text belongs. What the user edited stays: other words come to a place beside it."""
        while (there := self._places.get(place)) and there.memory.edited:
            if there.memory.exchange.key == _key(place, text):
                break
            place = digest(place, "beside")
        return place

    def _masked(self, text: str) -> str:
        masked, values = Redactor().redact(text)
        self._result.values += values
        return masked


def _key(place: str, text: str) -> str:
    return f"note:{digest(place, text)}"
