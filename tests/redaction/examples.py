"""The examples in `rules.toml` as test cases: ⟦…⟧ marks what is masked, ‹40› stands for 40 characters."""

import re
from dataclasses import dataclass
from itertools import cycle, islice

from sui_memory.redaction.rules import read_table

_ALPHABETS = {
    "": "a7Kq2ZxR9mTb4WnE6vYc8LpD3sHj5GfU",
    "x": "9f4ce7b02d8a61e5",
    "X": "9F4CE7B02D8A61E5",
    "U": "Q7ZK2MXR5TBW3NEY6VCL4PDSHJGF",
    "d": "7294815360",
}


@dataclass(frozen=True)
class Example:
    kind: str
    text: str
    redacted: str


def masked() -> list[Example]:
    return [_example(rule["kind"], text) for rule in read_table()["rule"] for text in rule["masks"]]


def kept() -> list[str]:
    return [_fill(text) for rule in read_table()["rule"] for text in rule["keeps"]]


def _example(kind: str, marked: str) -> Example:
    text = _fill(marked)
    return Example(
        kind, re.sub("[⟦⟧]", "", text), re.sub("⟦.*?⟧", f"[REDACTED:{kind}]", text, flags=re.DOTALL)
    )


def _fill(text: str) -> str:
    return re.sub(
        r"‹(\d+)([a-zA-Z]?)›",
        lambda filler: "".join(islice(cycle(_ALPHABETS[filler[2]]), int(filler[1]))),
        text,
    )
