import re
from pathlib import Path

import pytest

from sui_memory.redaction import kinds, redact
from sui_memory.redaction.rules import load_rules, parse_rules, read_table
from tests.redaction.examples import Example, kept, masked


@pytest.mark.parametrize("example", masked(), ids=lambda example: f"{example.kind}: {example.text[:40]!r}")
def test_every_secret_among_the_examples_is_masked_with_its_kind(example: Example):
    assert redact(example.text)[0] == example.redacted


@pytest.mark.parametrize("text", kept(), ids=lambda text: repr(text[:40]))
def test_every_harmless_example_stays_as_it_is(text):
    assert redact(text) == (text, 0)


@pytest.mark.parametrize("rule", read_table()["rule"], ids=lambda rule: rule["why"])
def test_every_rule_has_examples_of_both_sorts_and_a_reason(rule):
    assert rule["masks"]
    assert rule["keeps"]
    assert rule["why"].endswith(".")
    assert re.fullmatch("[a-z0-9-]{1,40}", rule["kind"])


@pytest.mark.parametrize("rule", parse_rules(read_table()), ids=lambda rule: rule.why)
def test_keywords_in_any_case_are_written_in_lower_case(rule):
    assert not rule.any_case or all(word == word.lower() for word in rule.keywords)


def test_the_table_is_read_once():
    assert load_rules() is load_rules()


def test_kinds_are_named_in_order():
    text = "password=hunter2 and https://user:pass@host and <private>x"
    assert kinds(text) == ["password", "url-password"]


def test_the_count_is_the_number_of_masked_values():
    assert redact("password=a1 token=b2 password=c3")[1] == 3


def test_a_labelled_value_of_known_form_keeps_the_kind_of_the_form():
    assert redact("token: AKIA" + "Q7ZK2MXR5TBW3NEY")[0] == "token: [REDACTED:aws-key]"


def test_the_documentation_names_every_kind_with_its_reason():
    page = (Path(__file__).parents[2] / "docs" / "redaction.md").read_text("utf-8")
    missing = [rule["kind"] for rule in read_table()["rule"] if rule["why"] not in page]
    assert not missing
    assert all(f"| `{rule['kind']}` |" in page for rule in read_table()["rule"])
