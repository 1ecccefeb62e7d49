import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.redaction import redact
from tests.redaction.examples import Example, kept, masked


@pytest.mark.parametrize("example", masked(), ids=lambda example: f"{example.kind}: {example.text[:40]}")
def test_every_secret_among_the_examples_is_masked_with_its_kind(example):
    assert redact(example.text)[0] == example.redacted


@pytest.mark.parametrize("text", kept(), ids=lambda text: text[:40])
def test_every_harmless_example_stays_as_it_is(text):
    assert redact(text) == (text, 0)
