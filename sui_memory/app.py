"""The composition root: settings in, a working archive out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sui_memory.config import Settings
from sui_memory.context import fitting, render, render_opening, told_lines
from sui_memory.embedding import open_embedder, resolve
from sui_memory.errors import ModelError
from sui_memory.language import JapaneseAnalyzer
from sui_memory.recall import (
    Embed,
    Prompt,
    Query,
    Ranking,
    judge_shown,
    opening,
    recall,
    recollect,
    when_asked,
)
from sui_memory.scoring import weights_of
from sui_memory.searching import Found, searched, usable_reranker
from sui_memory.store import SqliteStore, open_store
from sui_memory.store.ledger import Injection, Shown, prompt_hash
from sui_memory.transcript.project import project_of
from sui_memory.turn import is_taken, turn_in
from sui_memory.types import Analyzer, Clock, Embedder, Hit, Reranker, Scope

if TYPE_CHECKING:
    from sui_memory.archive import Progress, Report, Tools
    from sui_memory.mind import Mind
    from sui_memory.mind.firing import Rules, Telling
    from sui_memory.recall import Recollection

Load = Callable[[str], Embedder | None]
"""Gives a loaded model by its id; raises `ModelError`."""

_EMBED_BATCH = 64
"""Passages embedded between two commits: what an interruption loses at most."""


def utc_now() -> datetime:
    """Return the time now, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Answer:
    """What answers a hook: a block or "" for silence, what the ledger keeps, and the lessons told in it."""

    block: str
    injection: Injection
    telling: Telling | None = None


class App:
    """The archive of one user: what the command line and the daemon call.

    What only archiving needs is imported when something is archived: a search is asked far more often.
    """

    def __init__(
        self,
        settings: Settings,
        store: SqliteStore,
        analyzer: Analyzer,
        clock: Clock,
        load: Load | None = None,
    ) -> None:
        self.settings = settings
        self.store = store
        self.analyzer = analyzer
        self._clock = clock
        self._load = load or self._open_embedder
        self._embedders: dict[str, Embedder | None] = {}

    @cached_property
    def tools(self) -> Tools:
        """What archiving needs."""
        from sui_memory.archive import default_tools

        return default_tools()

    @cached_property
    def mind(self) -> Mind:
        """What a person or an agent does with memories on purpose."""
        from sui_memory.minding import mind_of

        return mind_of(self, self._clock, self._embedders.get)

    @cached_property
    def rules(self) -> Rules:
        """The lessons and reminders, held ready."""
        from sui_memory.mind.firing import Rules

        return Rules(self.store.lessons)

    def sync(
        self,
        roots: Iterable[Path] = (),
        *,
        workers: int | None = None,
        gentle: bool = False,
        dry_run: bool = False,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> Report:
        """Archive what is new below the roots, by default all of Claude Code's transcripts.

        A `gentle` sync leaves a core to others, and whatever it reads with yields to them.
        """
        from sui_memory.archive import sync

        return sync(
            list(roots) or [self.tools.adapter.home()],
            store=self.store,
            tools=self.tools,
            workers=workers,
            gentle=gentle,
            dry_run=dry_run,
            on_progress=on_progress,
        )

    def embed(
        self,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
        *,
        latest: Callable[[], Settings] | None = None,
        on_busy: Callable[[], None] = lambda: None,
    ) -> int:
        """Give every passage a vector of the chosen model and return how many were made.

        Resumable: each batch is committed; a new model answers when it is complete. `on_busy` is called
        before waiting for another process. When `latest` reads of another model, this stops, for that one.
        """
        read = latest or (lambda: self.settings)
        with turn_in(self.settings.home, on_busy):
            self.settings = read()
            waiting = self.backlog()
            embedder = self._embedding_model() if waiting else None
            if embedder is None:
                return 0
            self.store.use_model(embedder.model_id, embedder.dim)
            done = 0
            for made in self._batches(embedder, lambda: read().model == self.settings.model):
                done += made
                on_progress(done, max(done, waiting))
        self.mind.tie_likes()
        return done

    def _batches(self, embedder: Embedder, is_wanted: Callable[[], bool]) -> Iterator[int]:
        """Embed and commit batch after batch as long as the model is wanted; yield the size of each."""
        while pending := self.store.pending(embedder.model_id, _EMBED_BATCH):
            vectors = embedder.embed_documents([passage.text for passage in pending])
            # Asked before the commit, because the last one makes this the model that answers searches.
            if not is_wanted():
                return
            self.store.add_vectors(
                embedder.model_id,
                [(passage.rowid, vector) for passage, vector in zip(pending, vectors, strict=True)],
            )
            yield len(pending)

    def is_embedding(self) -> bool:
        """Say whether a process, this one or another, is embedding this archive."""
        return is_taken(self.settings.home)

    def backlog(self, model_id: str | None = None) -> int:
        """Return how many passages have no vector of a model (by default the chosen one); loads nothing."""
        if model_id is None:
            chosen = resolve(self.settings.model, models_dir=self.settings.models_dir)
            if chosen is None:
                return 0
            model_id = chosen.model_id
        for row in self.store.models():
            if row.model_id == model_id:
                return row.pending
        passages = self.store.stats()["passages"]
        return passages if isinstance(passages, int) else 0

    def require_model(self) -> None:
        """Raise `ModelError` when the chosen model cannot be opened here, without loading it."""
        chosen = resolve(self.settings.model, models_dir=self.settings.models_dir)
        if chosen is not None and not chosen.usable:
            raise chosen.refusal()

    def _embedding_model(self) -> Embedder | None:
        chosen = resolve(self.settings.model, models_dir=self.settings.models_dir)
        return self.embedder(chosen.model_id) if chosen else None

    def search(self, text: str, scope: Scope = Scope(), *, limit: int = 10, offset: int = 0) -> Found:
        """Find memories as `find` does; a reranker, if the settings name one, reads the best again."""
        return searched(Query(text, self._clock(), scope, limit, offset), self.find, self.reranker)

    def find(self, query: Query) -> Found:
        """Find memories by words, parts of words and, as far as vectors are at hand, by meaning."""
        embedder = self._searching_embedder()
        started = time.perf_counter()
        hits = recall(
            query,
            store=self.store,
            analyzer=self.analyzer,
            embedder=embedder,
            ranking=self._ranking(embedder.model_id if embedder else None),
        )
        milliseconds = (time.perf_counter() - started) * 1000
        return Found(hits, milliseconds, embedder.model_id if embedder else None)

    @cached_property
    def reranker(self) -> Reranker | None:
        """The loaded reranker; None when none is chosen, and when it cannot be loaded: `doctor` tells why."""
        return usable_reranker(self.settings)

    def embedder(self, model_id: str) -> Embedder | None:
        """Return a loaded model; raises `ModelError` when it cannot be loaded."""
        if model_id not in self._embedders:
            self._embedders[model_id] = self._load(model_id)
        return self._embedders[model_id]

    def _open_embedder(self, model_id: str) -> Embedder | None:
        return open_embedder(
            model_id, models_dir=self.settings.models_dir, threads=self.settings.threads or None
        )

    def answer(
        self,
        prompt: Prompt,
        event: str,
        model_id: str | None,
        embed: Embed | None,
        told: frozenset[str] = frozenset(),
    ) -> Answer:
        """Return what a prompt brings to mind as a block, or silence and its reason.

        `embed` gives vectors of `model_id`, as far as they come in time. `told` names lessons and reminders
        that the session has before its eyes.
        """
        started = time.perf_counter()
        budget = self.settings.characters
        telling = self.rules.for_prompt(prompt.text, project_of(prompt.project), prompt.now, told)
        lines = told_lines(telling.lessons, telling.reminders, budget_chars=budget)
        recollection = self.recollect(prompt, model_id, embed)
        hits = fitting(recollection.hits, budget_chars=budget, told=lines)
        block = render(hits, recollection.terms, memories=len(hits), budget_chars=budget, told=lines)
        silence = recollection.silence or "no room in a block of so few characters"
        injection = Injection(
            at=prompt.now,
            session=prompt.session,
            event=event,
            prompt_hash=prompt_hash(prompt.text),
            silence=None if block else silence,
            memories=tuple(Shown(hit.memory.id, hit.score, hit.trace) for hit in hits),
            characters=len(block),
            milliseconds=(time.perf_counter() - started) * 1000,
            model=None if recollection.late else model_id,
            late=recollection.late,
            refused=() if recollection.hits else _refused(recollection.refused),
        )
        return Answer(block, injection, telling.first(len(lines)))

    def recollect(
        self, prompt: Prompt, model_id: str | None, embed: Embed | None, limit: int | None = None
    ) -> Recollection:
        """Return what a prompt brings to mind, at most `limit` or as many as the settings allow."""
        return recollect(
            self._with_ledger(prompt),
            store=self.store,
            analyzer=self.analyzer,
            embed=embed if model_id else None,
            ranking=self._ranking(model_id),
            limit=limit or self.settings.memories,
            usages=self.store.ledger.feedback if self.settings.feedback else None,
        )

    def bring_to_mind(self, prompt: Prompt, limit: int) -> Recollection:
        """Return what a prompt brings to mind, with all the time that the model needs."""
        embedder = self._searching_embedder()
        if embedder is None:
            return self.recollect(prompt, None, None, limit)
        return self.recollect(prompt, embedder.model_id, when_asked(embedder), limit)

    def opening(self, prompt: Prompt, event: str) -> Answer:
        """Return what the last sessions of a project left open as a short block, for one that starts."""
        started = time.perf_counter()
        known = self._with_ledger(prompt)
        found = opening(known.project, store=self.store, now=prompt.now, session=prompt.session)
        memories = [memory for memory in found if memory.id not in known.shown]
        block = render_opening(memories)
        injection = Injection(
            at=prompt.now,
            session=prompt.session,
            event=event,
            prompt_hash="",
            silence=None if block else "nothing was left open",
            memories=tuple(Shown(memory.id, 0.0) for memory in memories) if block else (),
            characters=len(block),
            milliseconds=(time.perf_counter() - started) * 1000,
        )
        return Answer(block, injection)

    def judge_shown(self, session: str) -> int:
        """Note what a session made of the memories it was shown, as far as its answers are archived."""
        return judge_shown(session, store=self.store, ledger=self.store.ledger, analyzer=self.analyzer)

    def _with_ledger(self, prompt: Prompt) -> Prompt:
        ledger = self.store.ledger
        return replace(
            prompt,
            project=project_of(prompt.project),
            shown=prompt.shown | ledger.shown(prompt.session),
            compacted_at=prompt.compacted_at or ledger.compacted_at(prompt.session),
        )

    def active_model(self) -> str | None:
        """Return the id of the model whose vectors answer, if one is chosen and has any."""
        if self.settings.model == "none":
            return None
        return self.store.active_model()

    def _searching_embedder(self) -> Embedder | None:
        """Return the model whose vectors are complete; words alone do when it cannot be loaded."""
        model_id = self.active_model()
        try:
            return self.embedder(model_id) if model_id else None
        except ModelError:
            return None

    def _ranking(self, model_id: str | None) -> Ranking:
        settings, weights = self.settings, weights_of(model_id)
        return Ranking(settings.fusion, settings.decay, settings.half_life_days, weights, settings.bar)


def _refused(hits: Sequence[Hit]) -> tuple[Shown, ...]:
    """Return for the ledger what a silence nearly showed."""
    return tuple(Shown(hit.memory.id, hit.score, hit.trace) for hit in hits)


@contextmanager
def open_app(
    settings: Settings, *, clock: Clock = utc_now, load: Load | None = None, kind: type[App] = App
) -> Iterator[App]:
    """Open the archive that the settings name, making it when there is none.

    An archive that may not be written to can still be searched. `load` gives embedding models by their
    id instead of opening them here: the daemon shares one. `kind` is an `App` that does some of it otherwise.
    """
    analyzer = JapaneseAnalyzer()
    database = settings.database
    read_only = database.exists() and not os.access(database, os.W_OK)
    store = open_store(database, analyzer=analyzer, read_only=read_only)
    try:
        yield kind(settings, store, analyzer, clock, load)
    finally:
        store.close()
