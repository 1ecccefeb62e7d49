"""What every embedder promises; run over all models that need no download."""

from __future__ import annotations

from math import isclose, sqrt

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sui_memory.embedding.text import MAX_CHARS
from sui_memory.types import Embedder, Vector

ODD_TEXTS = [
    "",
    " \n\t",
    "\ud800",
    "a\ud83d b",
    "\0",
    "a\0b",
    "😀👨‍👩‍👧‍👦🇯🇵",
    "\u202e\ufeff",
    "﷽" * 200,
    "x" * 1_000_000,
]


def cosine(left: Vector, right: Vector) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def is_unit(vector: Vector) -> bool:
    return isclose(sqrt(cosine(vector, vector)), 1.0, abs_tol=1e-5)


def test_a_model_has_a_name_and_a_width(embedder: Embedder):
    assert embedder.model_id
    assert len(embedder.embed_query("鍵はどこ")) == embedder.dim


def test_vectors_are_float32_buffers_of_length_one(embedder: Embedder):
    query, document = embedder.embed_query("鍵はどこ"), embedder.embed_documents(["鍵は金庫の中"])[0]
    assert is_unit(query)
    assert is_unit(document)
    assert memoryview(query).nbytes == memoryview(document).nbytes == 4 * embedder.dim


def test_documents_come_back_in_order_and_alone_as_in_a_batch(embedder: Embedder):
    texts = ["短い", "認証のトークンが切れたら取り直します。" * 12, "", "def f(x): return x", "鍵", "短い"]
    batch = embedder.embed_documents(texts)
    for text, vector in zip(texts, batch, strict=True):
        assert cosine(vector, embedder.embed_documents([text])[0]) > 0.99999


def test_no_documents_give_no_vectors(embedder: Embedder):
    assert embedder.embed_documents([]) == []


def test_the_same_text_gives_the_same_vector(embedder: Embedder):
    assert list(embedder.embed_query("会議の決定")) == list(embedder.embed_query("会議の決定"))


def test_what_means_the_same_is_nearer_than_what_does_not(embedder: Embedder):
    asked = embedder.embed_query("データベースの接続エラー")
    near, far = embedder.embed_documents(
        ["データベースに接続できないエラーが出ます。", "今夜の夕食はカレーにします。"]
    )
    assert cosine(asked, near) > cosine(asked, far)


@pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: ascii(text[:8]))
def test_odd_text_gives_a_unit_vector(embedder: Embedder, text: str):
    assert is_unit(embedder.embed_query(text))
    assert is_unit(embedder.embed_documents([text])[0])


def test_blank_texts_share_one_vector(embedder: Embedder):
    assert list(embedder.embed_query("")) == list(embedder.embed_query(" \n　"))


def test_only_the_head_of_a_long_text_counts(embedder: Embedder):
    head = "あ" * MAX_CHARS
    assert list(embedder.embed_query(head)) == list(embedder.embed_query(head + "終わり"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(st.characters(codec=None), max_size=60), max_size=4))
def test_any_text_gives_a_unit_vector(embedder: Embedder, texts: list[str]):
    vectors = embedder.embed_documents(texts)
    assert len(vectors) == len(texts)
    assert all(is_unit(vector) for vector in vectors)
