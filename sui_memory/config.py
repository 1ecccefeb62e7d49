"""Settings: defaults, then `config.toml` in the home folder, then the environment."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from sui_memory.errors import SettingsError

_CHOICES = {"fusion": ("blend", "score", "rrf"), "decay": ("bonus", "factor", "off")}
# Smallest and largest; whole numbers where both are. More would not fit Claude Code's 10,000 characters.
_RANGES: dict[str, tuple[float, float] | tuple[int, int]] = {
    "half_life_days": (1e-3, 1e6),
    "threads": (0, 1_000),
    "bar": (0.0, 1.0),
    "memories": (1, 20),
    "characters": (200, 8_000),
    "deadline_ms": (0, 5_000),
    "idle_minutes": (0.01, 1e6),
}
_SWITCHES = ("feedback", "recall", "automated", "session_start", "sleep")
_SPELLINGS = {
    "true": True,
    "1": True,
    "on": True,
    "yes": True,
    "false": False,
    "0": False,
    "off": False,
    "no": False,
}
_PREFIX = "SUI_MEMORY_"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user may choose. Each key is read from `config.toml`, or from `SUI_MEMORY_<KEY>`.

    `feedback` lets memories rise that were used, and fall that were ignored. A `reranker` reads the best
    hits of a search again. `threads` are those of the models; 0 leaves the number to them. `recall` answers
    prompts at all, `automated` those of programs too (`claude -p`), `session_start` greets a session with
    what was left open. A memory needs evidence of `bar` to be shown, a block has at most `memories` and about
    `characters`; a prompt waits `deadline_ms` for the model's vector. The daemon ends after `idle_minutes`
    without a request; with `sleep` it merges, fades and lets go of kept memories once a night when idle.
    """

    home: Path
    model: str = "auto"
    fusion: str = "blend"
    decay: str = "bonus"
    half_life_days: float = 30.0
    feedback: bool = False
    reranker: str = "none"
    bar: float = 0.1
    threads: int = 0
    recall: bool = True
    automated: bool = True
    session_start: bool = False
    sleep: bool = False
    memories: int = 3
    characters: int = 1500
    deadline_ms: int = 150
    idle_minutes: float = 30.0

    @property
    def database(self) -> Path:
        """The one file that holds everything."""
        return self.home / "memory.db"

    @property
    def models_dir(self) -> Path:
        """Where downloaded and exported models are kept."""
        return self.home / "models"

    @property
    def config_file(self) -> Path:
        """Where the settings were read from, if it exists."""
        return self.home / "config.toml"


def home_folder(environment: Mapping[str, str]) -> Path:
    """Return `$SUI_MEMORY_HOME`, else `~/.sui-memory`."""
    chosen = environment.get("SUI_MEMORY_HOME")
    try:
        return Path(chosen).expanduser().absolute() if chosen else Path.home() / ".sui-memory"
    except RuntimeError as error:
        raise SettingsError("There is no home folder here: set SUI_MEMORY_HOME to a folder.") from error


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings in force; a key or value that cannot be understood is a `SettingsError`."""
    environment = os.environ if environment is None else environment
    settings = Settings(home_folder(environment))
    settings = _with(settings, _read_file(settings.config_file), str(settings.config_file))
    chosen = {
        name: environment[_PREFIX + name.upper()]
        for name in _keys()
        if environment.get(_PREFIX + name.upper())
    }
    return _with(settings, chosen, "the environment")


def save_setting(settings: Settings, key: str, value: str) -> Settings:
    """Write one text setting into `config.toml`, keeping all other lines, and return the new settings."""
    changed = _with(settings, {key: value}, str(settings.config_file))
    path = settings.config_file
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    line = f"{key} = {json.dumps(value, ensure_ascii=False)}"  # a JSON string is a TOML basic string
    at = next((number for number, old in enumerate(lines) if old.split("=")[0].strip() == key), None)
    lines = [*lines, line] if at is None else [*lines[:at], line, *lines[at + 1 :]]
    try:
        _write(path, "\n".join(lines) + "\n")
    except OSError as error:
        raise SettingsError(f"{path} cannot be written ({error.strerror}): check its permissions.") from error
    return changed


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = path.with_suffix(".toml.partial")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(os.open(partial, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    partial.replace(path)


def _keys() -> list[str]:
    return [field.name for field in fields(Settings) if field.name != "home"]


def _read_file(path: Path) -> dict[str, Any]:
    try:
        if path.exists() and not path.is_file():
            raise SettingsError(f"{path} is no file: remove it.")
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"{path} cannot be read ({error}): mend or remove it.") from error


def _with(settings: Settings, chosen: Mapping[str, Any], where: str) -> Settings:
    unknown = sorted(set(chosen) - set(_keys()))
    if unknown:
        raise SettingsError(f"{where} has an unknown setting {unknown[0]!r}: known are {', '.join(_keys())}.")
    return replace(settings, **{key: _value(key, value, where) for key, value in chosen.items()})


def _value(key: str, value: Any, where: str) -> Any:
    if key in _CHOICES:
        if value not in _CHOICES[key]:
            known = ", ".join(_CHOICES[key])
            raise SettingsError(f"{where}: {key} is {value!r}, but must be one of {known}.")
        return value
    if key in _RANGES:
        return _number(key, value, where)
    if key in _SWITCHES:
        return _switch(key, value, where)
    if not isinstance(value, str):
        raise SettingsError(f"{where}: {key} is {value!r}, but must be a text.")
    return value


def _number(key: str, value: Any, where: str) -> float | int:
    least, most = _RANGES[key]
    try:
        number = type(least)(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or isinstance(value, bool) or not least <= number <= most:
        raise SettingsError(f"{where}: {key} is {value!r}, but must be a number from {least:g} to {most:g}.")
    return number


def _switch(key: str, value: Any, where: str) -> bool:
    """Return a truth value: as TOML has it, or as the environment spells it."""
    found = _SPELLINGS.get(str(value).lower())
    if found is None:
        raise SettingsError(f"{where}: {key} is {value!r}, but must be true or false.")
    return found
