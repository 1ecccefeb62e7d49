"""The rule table, `rules.toml`, as objects that a `Scanner` runs. Patterns are compiled when first used."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any
from unicodedata import normalize

from sui_memory.redaction.scanner import Scanner

# Patterns bound the group `value`, so that no text costs quadratic time; a longer one is masked to its end.
_LONGEST_VALUE = 512
_NOTHING = r"(?!)"
_REST_OF_VALUE = re.compile(r"""[^\s"'`<>、。「」『』（）【】\\]*""")


@dataclass(frozen=True)
class Screen:
    """A sort of text that stands where a secret could and is none, such as `None` or `${TOKEN}`."""

    words: frozenset[str]
    source: str

    def holds(self, value: str) -> bool:
        """Whether `value`, in NFKC, is one of the words (in any case) or matches the pattern whole."""
        return value.lower() in self.words or self._pattern.fullmatch(value) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self.source, re.VERBOSE)


@dataclass(frozen=True)
class Form:
    """A way to write a value: its pattern has the group `value`, or is the value."""

    source: str
    screens: tuple[Screen, ...] = ()

    def match(self, text: str, start: int) -> tuple[int, int] | None:
        """Return where the value is that is written in this form at `start`."""
        found = self._pattern.match(text, start)
        return found.span(self._group) if found else None

    def whole(self, text: str, start: int, stop: int) -> tuple[int, int]:
        """Return the value from `start` on, which `match` may have cut at the longest a pattern reads."""
        is_cut = self._group and stop - start >= _LONGEST_VALUE
        rest = _REST_OF_VALUE.match(text, stop) if is_cut else None
        return start, rest.end() if rest else stop

    def is_screened(self, value: str) -> bool:
        """Whether `value` is one of those that are no secrets."""
        plain = normalize("NFKC", value) if self.screens else value
        return any(screen.holds(plain) for screen in self.screens)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self.source, re.VERBOSE)

    @cached_property
    def _group(self) -> int:
        return self._pattern.groupindex.get("value", 0)


@dataclass(frozen=True)
class Rule:
    """One kind of secret: a form of its own, or a label that may be followed by a value in several forms."""

    kind: str
    why: str
    keywords: tuple[str, ...]
    forms: tuple[Form, ...]
    label: str | None = None
    any_case: bool = False

    def locate(self, text: str, start: int) -> tuple[int, int] | None:
        """Return the secret that belongs to the keyword at `start`, if there is one."""
        if self._label:
            labelled = self._label.match(text, start)
            if not labelled:
                return None
            start = labelled.end()
        for form in self.forms:
            if value := form.match(text, start):
                return None if form.is_screened(text[slice(*value)]) else form.whole(text, *value)
        return None

    @cached_property
    def _label(self) -> re.Pattern[str] | None:
        return re.compile(self.label, re.VERBOSE) if self.label else None


@cache
def load_rules() -> Scanner:
    """Return the scanner for the rules that ship with the package; read once for the process."""
    return Scanner(parse_rules(read_table()))


def read_table() -> dict[str, Any]:
    """Return `rules.toml` as it is, examples included."""
    return tomllib.loads(files("sui_memory.redaction").joinpath("rules.toml").read_text("utf-8"))


def parse_rules(table: Mapping[str, Any]) -> list[Rule]:
    """Return the rules of a table, in its order."""
    screens = {
        name: Screen(frozenset(entry.get("words", "").split()), entry.get("pattern", _NOTHING))
        for name, entry in table["screen"].items()
    }
    forms = {name: Form(entry["pattern"], _pick(screens, entry)) for name, entry in table["form"].items()}
    return [_parse_rule(entry, forms, _pick(screens, entry), table["label_end"]) for entry in table["rule"]]


def _pick(screens: Mapping[str, Screen], entry: Mapping[str, Any]) -> tuple[Screen, ...]:
    return tuple(screens[name] for name in entry.get("unless", ()))


def _parse_rule(
    entry: Mapping[str, Any], forms: Mapping[str, Form], screens: tuple[Screen, ...], label_end: str
) -> Rule:
    if "label" not in entry:
        return _rule(entry, (Form(entry["pattern"], screens),), None)
    written = (forms[name] for name in entry["forms"])
    return _rule(
        entry,
        tuple(Form(form.source, form.screens + screens) for form in written),
        f"(?:{entry['label']})(?:{label_end})",
    )


def _rule(entry: Mapping[str, Any], forms: tuple[Form, ...], label: str | None) -> Rule:
    return Rule(
        entry["kind"], entry["why"], tuple(entry["keywords"]), forms, label, entry.get("any_case", False)
    )
