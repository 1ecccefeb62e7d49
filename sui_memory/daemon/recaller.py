"""Answers prompts and searches, in the one thread that reads."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property, partial
from typing import TypeVar

from sui_memory.app import Answer, App, utc_now
from sui_memory.before_tool import before_tool
from sui_memory.config import Settings
from sui_memory.daemon.hold import Hold
from sui_memory.daemon.log import log_failure
from sui_memory.daemon.model import ResidentModel
from sui_memory.daemon.place import Place
from sui_memory.daemon.quiet import Quiet
from sui_memory.recall import Prompt, Query, Recollection
from sui_memory.searching import Found, searched, usable_reranker
from sui_memory.types import Embedder, Reranker, Scope

_Result = TypeVar("_Result")

TOO_LATE_SECONDS = 0.6
"""After this the hook has given up, or nearly: a prompt that waited so long is not worth answering."""

_PATIENCE_SECONDS = 2.0
"""How long who asks on purpose waits for the vector of a model that is loaded already."""


class Recaller:
    """Holds the store for reading. Words and trigrams answer at once; vectors as soon as a model is there."""

    def __init__(self, settings: Settings, model: ResidentModel, quiet: Quiet, place: Place) -> None:
        self._settings = settings
        self._model = model
        self._quiet = quiet
        self._hold = Hold(settings, model.open, place)
        self._thread = ThreadPoolExecutor(1, "recall")
        self._rereading = ThreadPoolExecutor(1, "rerank")

    def open(self) -> Future[None]:
        """Open the archive and touch what the first prompt needs."""

        def touch(app: App) -> None:
            app.analyzer.query_terms("記憶")

        return self._run(touch)

    def warm(self) -> Future[None]:
        """Begin to load the model, behind the prompts, and then its vectors."""
        return self._run(self._prepare)

    def answer(self, prompt: Prompt, event: str, told: frozenset[str]) -> Future[Answer]:
        """Answer a prompt within the deadline of the settings, without the lessons named in `told`."""
        asked = time.monotonic()
        until = asked + self._settings.deadline_ms / 1000

        def answer(app: App) -> Answer:
            if time.monotonic() - asked > TOO_LATE_SECONDS:
                raise TimeoutError
            model_id = app.active_model()
            embed = partial(self._model.query, model_id, until=until) if model_id else None
            return app.answer(prompt, event, model_id, embed, told)

        return self._run(answer)

    def before_tool(self, prompt: Prompt, tool: str, event: str, told: frozenset[str]) -> Future[Answer]:
        """Say what was learnt about a tool whose input is the text of the prompt."""
        return self._run(lambda app: before_tool(app, prompt, tool, event, told))

    def opening(self, prompt: Prompt, event: str) -> Future[Answer]:
        """Say what was left open in the project of a session that starts."""
        return self._run(lambda app: app.opening(prompt, event))

    def search(self, text: str, scope: Scope, limit: int, offset: int) -> Future[Found]:
        """Search as the command line does, with the resident model.

        A reranker takes seconds, so it reads in a thread of its own, where it keeps no prompt waiting.
        """
        query = Query(text, utc_now(), scope, limit, offset)
        if self._settings.reranker == "none":
            return self._run(lambda app: app.find(query))
        return self._rereading.submit(lambda: searched(query, self._find, self._reranker))

    def recollect(self, prompt: Prompt, limit: int) -> Future[Recollection]:
        """Return what a prompt would be shown, for who asks on purpose and waits for the model's vector."""
        until = time.monotonic() + _PATIENCE_SECONDS

        def recollect(app: App) -> Recollection:
            model_id = app.active_model()
            embed = partial(self._model.query, model_id, until=until) if model_id else None
            return app.recollect(prompt, model_id, embed, limit)

        return self._run(recollect)

    def close(self, seconds: float) -> None:
        """Stop after the answer at work and close the archive, unless that takes too long."""
        closing = self._thread.submit(self._hold.close)
        self._thread.shutdown(wait=False)
        self._rereading.shutdown(wait=False, cancel_futures=True)
        with suppress(TimeoutError):
            closing.result(seconds)

    @cached_property
    def _reranker(self) -> Reranker | None:
        return usable_reranker(self._settings)

    def _find(self, query: Query) -> Found:
        return self._run(lambda app: app.find(query)).result()

    def _run(self, work: Callable[[App], _Result]) -> Future[_Result]:
        def run() -> _Result:
            with self._quiet.broken():
                try:
                    return work(self._hold.app())
                except TimeoutError:
                    raise
                except Exception:
                    # The next one opens it anew, whatever was wrong with it.
                    self._hold.close()
                    raise

        return self._thread.submit(run)

    def _prepare(self, app: App) -> None:
        app.rules.warm()
        model_id = app.active_model()
        if model_id is None:
            app.store.warm()
        else:
            self._model.prepare(model_id).add_done_callback(self._warm)

    def _warm(self, loading: Future[Embedder | None]) -> None:
        if loading.cancelled():
            return
        if (error := loading.exception()) is not None:
            log_failure("loading the model", error)
            return
        self._run(lambda app: app.store.warm())
