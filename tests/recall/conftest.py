"""A real archive of made-up exchanges that can be asked, and given prompts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from sui_memory.archive import default_tools
from sui_memory.recall import Prompt, Query, Ranking, recall, recollect
from sui_memory.store import open_store
from sui_memory.types import Exchange, Indexed, Memory, Scope

NOW = datetime(2026, 6, 1, tzinfo=UTC)


class Archive:
    """A real archive of made-up exchanges, an hour apart, the last one new."""

    def __init__(self, folder) -> None:
        self.tools = default_tools()
        self.store = open_store(folder / "memory.db", analyzer=self.tools.analyzer)
        self.count = 0

    def add(self, question, answer="", **fields):
        self.count += 1
        asked = NOW - timedelta(hours=1000 - self.count)
        exchange = Exchange(
            **{
                "key": f"k{self.count}",
                "fingerprint": f"f{self.count}",
                "session": "s",
                "project": "/p",
                "question": question,
                "answer": answer,
                "asked_at": asked,
                **fields,
            }
        )
        indexed = Indexed(exchange, self.tools.cut(exchange, self.tools.analyzer))
        self.store.restore([(Memory(exchange), indexed)])
        return exchange

    def embed(self, embedder) -> None:
        self.store.use_model(embedder.model_id, embedder.dim)
        while pending := self.store.pending(embedder.model_id, 100):
            vectors = embedder.embed_documents([passage.text for passage in pending])
            self.store.add_vectors(
                embedder.model_id, [(p.rowid, v) for p, v in zip(pending, vectors, strict=True)]
            )

    def ask(self, text, scope=Scope(), embedder=None, ranking=Ranking(), **page):
        query = Query(text, NOW, scope, **page)
        return recall(
            query, store=self.store, analyzer=self.tools.analyzer, embedder=embedder, ranking=ranking
        )

    def questions(self, text, *rest, **options):
        return [hit.memory.exchange.question for hit in self.ask(text, *rest, **options)]

    def prompt(self, text, *, embed=None, limit=3, usages=None, **fields):
        return recollect(
            Prompt(text, fields.pop("session", "new"), NOW, **fields),
            store=self.store,
            analyzer=self.tools.analyzer,
            embed=embed,
            ranking=Ranking(),
            limit=limit,
            usages=usages,
        )


@pytest.fixture(name="empty")
def empty_fixture(tmp_path):
    archive = Archive(tmp_path)
    yield archive
    archive.store.close()
