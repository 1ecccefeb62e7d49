"""Composes the mind: what it needs of the archive, of recall, and of the model that is loaded."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from sui_memory.archive.editing import edit
from sui_memory.archive.forgetting import forget
from sui_memory.errors import ModelError
from sui_memory.language import cut
from sui_memory.mind import Mind, Ports
from sui_memory.recall import Prompt
from sui_memory.redaction import redact
from sui_memory.types import Analyzer, Clock, Embedder, Exchange, Hit, Scope, Vector

if TYPE_CHECKING:
    from sui_memory.archive import Tools
    from sui_memory.recall import Recollection
    from sui_memory.searching import Found
    from sui_memory.store import SqliteStore


class Archive(Protocol):
    """What the mind is made of: an opened archive that can be searched and asked as a prompt asks it."""

    store: SqliteStore
    analyzer: Analyzer

    @property
    def tools(self) -> Tools:
        """What archiving needs."""

    def search(self, text: str, scope: Scope, *, limit: int) -> Found:
        """Find memories by words, parts of words and meaning."""

    def bring_to_mind(self, prompt: Prompt, limit: int) -> Recollection:
        """Return what a prompt brings to mind."""

    def active_model(self) -> str | None:
        """Return the id of the model whose vectors answer, if any."""


def mind_of(app: Archive, clock: Clock, loaded: Callable[[str], Embedder | None]) -> Mind:
    """Return the mind of an archive; `loaded` gives a model by its id when it is loaded, else None."""

    def searched(text: str, scope: Scope, limit: int) -> list[Hit]:
        return app.search(text, scope, limit=limit).hits

    def recalled(text: str, project: str | None, limit: int) -> tuple[Hit, ...]:
        return app.bring_to_mind(Prompt(text, "", clock(), project=project), limit).hits

    def vector(text: str) -> Vector | None:
        model_id = app.active_model()
        embedder = loaded(model_id) if model_id is not None else None
        if embedder is None:
            return None
        # Without a vector the ties are made later; what was kept stays kept.
        with suppress(ModelError):
            return embedder.embed_documents([text])[0]
        return None

    def edited(exchange: Exchange, words: str) -> Exchange:
        return edit(exchange, question=words, followups=(), answer="", store=app.store, tools=app.tools)

    def forgotten(exchange: Exchange) -> int:
        return forget([exchange], store=app.store, tools=app.tools)

    ports = Ports(
        store=app.store,
        analyzer=app.analyzer,
        redact=redact,
        cut=cut,
        clock=clock,
        search=searched,
        recall=recalled,
        vector=vector,
        edit=edited,
        forget=forgotten,
    )
    return Mind(ports)
