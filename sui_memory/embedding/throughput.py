"""How fast a model is on this machine, so that a user can be told how long the archive will take."""

from __future__ import annotations

from time import perf_counter

from sui_memory.types import Embedder

MEASURED_SECONDS = 0.3
"""Long enough for a stable figure, short enough to be done before every estimate."""

_PASSAGE = (
    "ログイン後に画面が白くなる件を調べました。原因は useAuth の初期化が二度走り、古いトークンで "
    "GET /api/session を呼んでいたことです。"
    "`refreshToken()` を待ってから描画するように直し、テストを足しました。\n"
    "The second request now waits for the first one, and a failed refresh sends the user back to /login.\n"
) * 3


def throughput(embedder: Embedder) -> float:
    """Return the passages (of some 700 characters) that a model embeds per second here; loads nothing."""
    count, batch = 0, 1
    start = perf_counter()
    while (elapsed := perf_counter() - start) < MEASURED_SECONDS:
        embedder.embed_documents([f"{count + i} {_PASSAGE}" for i in range(batch)])
        count += batch
        batch = min(8, batch * 2)
    return count / elapsed
