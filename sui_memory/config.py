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

_FUSIONS = ("blend", "score", "rrf")
_DECAYS = ("bonus", "factor", "off")
_PREFIX = "SUI_MEMORY_"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user may choose. Each key is read from `config.toml`, or from `SUI_MEMORY_<KEY>`.

    `threads` are those of the embedding model; 0 leaves the number to the model.
    """

    home: Path
    model: str = "auto"
    fusion: str = "blend"
    decay: str = "bonus"
    half_life_days: float = 30.0
    threads: int = 0

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
    choices = {"fusion": _FUSIONS, "decay": _DECAYS}.get(key)
    if choices:
        if value not in choices:
            raise SettingsError(f"{where}: {key} is {value!r}, but must be one of {', '.join(choices)}.")
        return value
    if key in {"half_life_days", "threads"}:
        return _number(key, value, where)
    if not isinstance(value, str):
        raise SettingsError(f"{where}: {key} is {value!r}, but must be a text.")
    return value


def _number(key: str, value: Any, where: str) -> float | int:
    least = 0 if key == "threads" else 1e-3
    try:
        number = int(value) if key == "threads" else float(value)
    except (TypeError, ValueError, OverflowError):
        number = -1
    if not least <= number < 1e6:
        raise SettingsError(f"{where}: {key} is {value!r}, but must be a number from {least:g} on.")
    return number
