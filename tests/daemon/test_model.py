from __future__ import annotations

import threading
import time

import pytest

from sui_memory.daemon.model import ResidentModel
from sui_memory.daemon.quiet import Quiet
from sui_memory.embedding.fake import FakeEmbedder
from sui_memory.errors import ModelError


class SlowEmbedder(FakeEmbedder):
    """Waits with every vector until it is allowed to give it."""

    def __init__(self) -> None:
        super().__init__()
        self.allowed = threading.Event()

    def embed_query(self, text):
        self.allowed.wait(60)
        return super().embed_query(text)


def settled(model: ResidentModel) -> ResidentModel:
    model.prepare("fake").result(60)
    return model


def test_a_vector_that_is_late_is_not_waited_for():
    slow = SlowEmbedder()
    model = settled(ResidentModel(lambda _: slow, Quiet()))

    assert model.query("fake", "鍵", time.monotonic() + 0.01)() is None
    slow.allowed.set()
    assert model.query("fake", "鍵", time.monotonic() + 60)() is not None


def test_a_model_that_is_being_loaded_is_not_waited_for():
    loading = threading.Event()
    model = ResidentModel(lambda _: loading.wait(60) and FakeEmbedder(), Quiet())

    assert model.query("fake", "鍵", time.monotonic() + 60)() is None
    loading.set()


def test_a_model_that_could_not_be_loaded_is_tried_again():
    tries = []

    def load(_):
        tries.append(1)
        if len(tries) == 1:
            raise ModelError("Not there yet.")
        return FakeEmbedder()

    model = ResidentModel(load, Quiet())
    with pytest.raises(ModelError):
        model.open("fake")
    assert model.open("fake") is not None


def test_the_background_waits_while_a_prompt_is_answered():
    quiet = Quiet()
    model = ResidentModel(lambda _: FakeEmbedder(), quiet)
    embedder = model.open("fake")
    made = threading.Event()
    work = threading.Thread(target=lambda: (embedder.embed_documents(["鍵"] * 3), made.set()))
    with quiet.broken():
        work.start()
        waited = not made.wait(0.2)  # it would take no time; patience ends after two seconds
    work.join(60)

    assert waited
    assert made.is_set()


def test_many_texts_are_embedded_in_steps_and_in_order():
    model = ResidentModel(lambda _: FakeEmbedder(), Quiet())
    texts = [f"text {number}" for number in range(150)]

    assert model.open("fake").embed_documents(texts) == FakeEmbedder().embed_documents(texts)
