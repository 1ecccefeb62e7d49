"""The one writer: archives, embeds and keeps the ledger, in a thread behind the prompts."""

from __future__ import annotations

import glob
import os
import threading
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sui_memory.app import App
from sui_memory.daemon.agenda import Agenda
from sui_memory.daemon.hold import Hold
from sui_memory.daemon.log import log, log_failure
from sui_memory.daemon.quiet import Quiet
from sui_memory.errors import DaemonError, SuiMemoryError
from sui_memory.store import SqliteStore
from sui_memory.store.ledger import Injection

if TYPE_CHECKING:
    from sui_memory.mind.firing import Telling

_SETTLING_SECONDS = (0.15, 0.6, 2.0, 5.0)
"""When a transcript is read after a hook spoke of it: Claude Code writes some 100 ms late, and a closed
terminal's last lines come after the hook. A file that did not change is not opened."""

_SETTLED = len(_SETTLING_SECONDS) - 1

_SLEEP_SECONDS = 600.0
"""How long nobody has asked for anything before the daemon sleeps, and how often it looks for the time to."""

_RETRY_SECONDS = 60.0
_LONGEST_RETRY_SECONDS = 3_600.0
_EMBED_RETRY_SECONDS = 5.0
_MOST_NOTES = 10_000
"""Ledger entries that wait for a database that cannot be written; the oldest are lost beyond that."""


@dataclass(frozen=True, slots=True)
class Read:
    """Archive one transcript with its sub-agents; `rung` is the place among the settling times."""

    path: str
    rung: int = 0


@dataclass(frozen=True, slots=True)
class Sweep:
    """Archive whatever is new below a folder of transcripts; None is where Claude Code keeps them."""

    root: str | None = None


@dataclass(frozen=True, slots=True)
class Embed:
    """Make the vectors that are missing."""


@dataclass(frozen=True, slots=True)
class Sleep:
    """Sleep over what was kept on purpose, if it is time."""


@dataclass(frozen=True, slots=True)
class WriteNotes:
    """Write what waits for the ledger."""


class _Interrupted(Exception):
    """Work that goes on later: something else is due, or the daemon ends."""


class Archivist:
    """Does what the agenda says, one thing after the other, and pauses while a prompt is answered."""

    def __init__(self, hold: Hold, quiet: Quiet) -> None:
        self._hold = hold
        self._quiet = quiet
        self._agenda = Agenda()
        self._failures: dict[Hashable, int] = {}
        self._notes: deque[Callable[[SqliteStore], object]] = deque(maxlen=_MOST_NOTES)
        self._thread = threading.Thread(target=self._work, name="archive", daemon=True)
        self.doing = "nothing"
        self.has_ended = False

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self, seconds: float) -> bool:
        """End between two transactions; False when that took too long. What is left is done next time."""
        self._agenda.close()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def sweep(self, root: Path | None = None) -> None:
        """Archive whatever is new below a folder, or of all projects, soon."""
        self._agenda.add(Sweep(None if root is None else str(root)))

    def read(self, path: str) -> None:
        """Archive a transcript, now and again until nothing more can come late."""
        for rung, seconds in enumerate(_SETTLING_SECONDS):
            self._agenda.add(Read(path, rung), seconds)

    def embed(self) -> None:
        """Make missing vectors, soon."""
        self._agenda.add(Embed())

    def record(self, injection: Injection) -> None:
        """Write an injection into the ledger, soon."""
        self._note(lambda store: store.ledger.record(injection))

    def told(self, telling: Telling, at: datetime) -> None:
        """Count that lessons and reminders were told, soon."""
        if telling.lessons:
            self._note(lambda store: store.lessons.fired([lesson.id for lesson in telling.lessons], at))
        if telling.reminders:
            self._note(lambda store: store.lessons.told([each.id for each in telling.reminders], at))

    def compact(self, session: str, at: datetime) -> None:
        """Note that the context of a session was compacted."""
        self._note(lambda store: store.ledger.compact(session, at))

    def sleep_when_idle(self, seconds: float = _SLEEP_SECONDS) -> None:
        """Sleep when nothing was asked for so long; each call puts it off."""
        self._agenda.add(Sleep(), seconds)

    @property
    def waiting(self) -> int:
        """How many things are still to be done."""
        return len(self._agenda) + len(self._notes)

    def _note(self, write: Callable[[SqliteStore], object]) -> None:
        self._notes.append(write)
        self._agenda.add(WriteNotes())

    def _work(self) -> None:
        while (item := self._agenda.next()) is not None:
            self.doing = type(item).__name__.lower()
            try:
                self._do(item)
            except _Interrupted:
                self._agenda.add(item)
            except DaemonError as error:
                log_failure(self.doing, error)
                self.has_ended = True
                break
            except Exception as error:
                # Whatever it was, it must not end the thread: the next transcript may be in order.
                log_failure(self.doing, error)
                self._hold.close()
                self._retry(item)
            else:
                self._failures.pop(item, None)
            self.doing = "nothing"
        self.doing = "nothing"
        self._finish()

    def _retry(self, item: Hashable) -> None:
        """Do an item again later, and ever later: what always fails must not fill the log."""
        failures = self._failures[item] = self._failures.get(item, 0) + 1
        self._agenda.add(item, min(_RETRY_SECONDS * 2 ** (failures - 1), _LONGEST_RETRY_SECONDS))

    def _finish(self) -> None:
        try:
            self._write_notes()
        except Exception as error:
            log_failure("the last notes", error)
        self._hold.close()

    def _do(self, item: object) -> None:
        app = self._hold.app()
        self._write_notes()
        match item:
            case Read(path, rung):
                self._read(app, Path(path))
                if rung == _SETTLED:
                    # Before that the last words of the answer may be missing.
                    app.judge_shown(Path(path).stem)
            case Sweep(root):
                self._sync(app, [app.tools.adapter.home() if root is None else Path(root)])
            case Embed():
                self._embed(app)
            case Sleep():
                self._sleep(app)

    def _write_notes(self) -> None:
        """Write what waits for the ledger; what cannot be written whatever comes is dropped."""
        while self._notes:
            try:
                self._notes[0](self._hold.app().store)
            except SuiMemoryError:
                raise
            except Exception as error:
                log_failure("an entry of the ledger", error)
            self._notes.popleft()

    def _read(self, app: App, path: Path) -> None:
        """Archive a transcript; one that `/cd` moved meanwhile is somewhere in the same projects folder."""
        if os.path.exists(path):  # unlike `Path.exists`, False for whatever the system cannot take
            self._sync(app, [path, path.with_suffix("")])
        else:
            beside = os.path.join(glob.escape(str(path.parent.parent)), "*", glob.escape(path.name))
            self._sync(app, [Path(moved) for moved in sorted(glob.glob(beside))])

    def _sync(self, app: App, roots: list[Path]) -> None:
        roots = [root for root in roots if root.exists()]
        if not roots:
            return
        report = app.sync(roots, gentle=True, on_progress=lambda _: self._breathe())
        if report.new or report.updated:
            log.info("archived %d new and %d changed exchanges", report.new, report.updated)
            self.embed()
        for problem in report.problems:
            log.warning("%s", problem)

    def _embed(self, app: App) -> None:
        try:
            made = app.embed(lambda done, total: self._breathe(is_long=True), on_busy=_give_way)
        except BlockingIOError:
            self._agenda.add(Embed(), _EMBED_RETRY_SECONDS)
            return
        if made:
            log.info("made %d vectors", made)

    def _sleep(self, app: App) -> None:
        """Do what a night does, or look again later; one that failed is tried again as all else is."""
        from sui_memory.sleep import Thresholds, apply, is_bedtime, look

        now = datetime.now().astimezone()
        if is_bedtime(now, app.store.kept.slept_at()):
            # Between the plan and its application nothing may be said or kept, so the breath is drawn first.
            self._breathe()
            plan = look(app.store, now, Thresholds(chance=app.mind.chance()))
            apply(plan, app.store, app.analyzer)
            log.info(
                "slept: %d summaries, %d faded, %d let go",
                len(plan.merged),
                len(plan.faded),
                len(plan.forgotten),
            )
            self.embed()
        self.sleep_when_idle()

    def _breathe(self, *, is_long: bool = False) -> None:
        """Between two pieces of work: let prompts pass, write notes, and stop when that is wanted."""
        self._quiet.wait()
        try:
            self._write_notes()
        except SuiMemoryError as error:
            log_failure("the ledger", error)
        if self._agenda.is_closed or (is_long and self._agenda.is_due()):
            raise _Interrupted


def _give_way() -> None:
    raise BlockingIOError
