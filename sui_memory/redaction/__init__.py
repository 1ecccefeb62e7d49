"""Masking of secrets before anything is stored: by `rules.toml`, as told in docs/redaction.md."""

from sui_memory.redaction.redactor import Redactor, kinds, redact

__all__ = ["Redactor", "kinds", "redact"]
