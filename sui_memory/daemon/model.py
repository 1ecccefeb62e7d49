"""The resident model: loaded once, used by one thread, shared by recall and archive."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as LateError
from contextlib import suppress

from sui_memory.daemon.quiet import Quiet
from sui_memory.errors import ModelError
from sui_memory.types import Embedder, Vector

_STEP_SECONDS = 0.04
"""How long a query may have to wait for a step of the background: a quarter of a prompt's deadline."""

_MAX_STEP = 64


class ResidentModel:
    """Loads models and runs them in a thread of its own, so that a late one keeps nobody waiting.

    Few models stand being used by two threads at once, and two that compute at once only take the
    cores from each other.
    """

    def __init__(self, load: Callable[[str], Embedder | None], quiet: Quiet) -> None:
        self._load = load
        self._quiet = quiet
        self._thread = ThreadPoolExecutor(1, "model")
        self._loaded: dict[str, Future[Embedder | None]] = {}

    def prepare(self, model_id: str) -> Future[Embedder | None]:
        """Begin to load a model, unless that was done before; one that could not be loaded is tried again."""
        known = self._loaded.get(model_id)
        if known is None or (known.done() and known.exception() is not None):
            known = self._loaded[model_id] = self._thread.submit(self._load, model_id)
        return known

    def query(self, model_id: str, text: str, until: float) -> Callable[[], Vector | None]:
        """Begin to make the vector of a cue. What is returned waits for it until then (`time.monotonic`).

        It gives None when the vector is late by then, or the model not even loaded.
        """
        loading = self.prepare(model_id)
        is_ready = loading.done() and loading.exception() is None
        embedder = loading.result() if is_ready else None
        if embedder is None:
            return lambda: None
        asked = self._thread.submit(embedder.embed_query, text)

        def vector() -> Vector | None:
            try:
                return asked.result(max(0.0, until - time.monotonic()))
            except (LateError, ModelError):
                asked.cancel()
                return None

        return vector

    def open(self, model_id: str) -> Embedder | None:
        """Return the model for the background: it works in small steps, between prompts."""
        embedder = self.prepare(model_id).result()
        return None if embedder is None else _Stepping(embedder, self._thread, self._quiet)

    async def settled(self) -> None:
        """Wait until what is being loaded is there, or cannot be."""
        for loading in list(self._loaded.values()):
            with suppress(Exception):  # whoever asks for the model hears of it
                await asyncio.wrap_future(loading)

    def loaded(self) -> list[str]:
        """Return the ids of the models in memory."""
        return [name for name, loading in self._loaded.items() if loading.done() and not loading.exception()]

    def close(self) -> None:
        """Stop after the step at work."""
        self._thread.shutdown(wait=False, cancel_futures=True)


class _Stepping:
    """An embedder that gives way to prompts between small steps, whose size follows its speed."""

    def __init__(self, embedder: Embedder, thread: ThreadPoolExecutor, quiet: Quiet) -> None:
        self._embedder = embedder
        self._thread = thread
        self._quiet = quiet
        self._step = 1

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    @property
    def dim(self) -> int:
        return self._embedder.dim

    def embed_query(self, text: str) -> Vector:
        return self._thread.submit(self._embedder.embed_query, text).result()

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        vectors: list[Vector] = []
        while len(vectors) < len(texts):
            self._quiet.wait()
            some = texts[len(vectors) : len(vectors) + self._step]
            started = time.monotonic()
            vectors += self._thread.submit(self._embedder.embed_documents, some).result()
            self._adapt(time.monotonic() - started)
        return vectors

    def _adapt(self, seconds: float) -> None:
        if seconds < _STEP_SECONDS / 2:
            self._step = min(_MAX_STEP, self._step * 2)
        elif seconds > _STEP_SECONDS:
            self._step = max(1, self._step // 2)
