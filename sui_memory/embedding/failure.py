"""Turns what model libraries raise into one sentence that says what, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from sui_memory.errors import ModelError


def is_installed(*modules: str) -> bool:
    """Tell whether all these top-level modules can be imported, without importing them."""
    return all(find_spec(module) is not None for module in modules)


def install_line(extra: str) -> str:
    """Return the part of a sentence that tells how to install an extra; without one, the package itself."""
    if not extra:
        return "reinstall sui-memory"
    return f"run `uv tool install '.[{extra}]'` in a checkout of sui-memory"


def require(name: str, extra: str, *modules: str) -> None:
    """Raise `ModelError` with the line to run unless the modules of an extra are installed."""
    missing = [module for module in modules if not is_installed(module)]
    if missing:
        raise ModelError(
            f"The model {name} needs {', '.join(missing)}, not installed here: {install_line(extra)}."
        )


@contextmanager
def reported(trouble: str, remedy: str) -> Iterator[None]:
    """Turn any exception into the `ModelError` "`trouble` (reason): `remedy`."."""
    try:
        yield
    except ModelError:
        raise
    # The libraries document no errors for broken weights; seen: OSError, KeyError, ValueError,
    # RuntimeError, BadZipFile, SafetensorError and plain Exception.
    except Exception as error:
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        raise ModelError(f"{trouble} ({reason}): {remedy}.") from error
