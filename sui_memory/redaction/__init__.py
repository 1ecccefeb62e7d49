"""Masking of secrets before anything is stored. The rules are in `rules.toml`; how it works is in docs/redaction.md."""

from sui_memory.redaction.redactor import Redactor, kinds, redact

__all__ = ["Redactor", "kinds", "redact"]
