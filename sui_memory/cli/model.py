"""`sui-memory model`: show, choose, download and export the embedding models."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sui_memory.cli.common import is_talkative, json_option, open_archive, print_json, print_table

if TYPE_CHECKING:
    from sui_memory.config import Settings
    from sui_memory.embedding import ModelInfo
    from sui_memory.store import ModelRow


@click.group("model", invoke_without_command=True)
@json_option
@click.pass_context
def model_command(context: click.Context, as_json: bool) -> None:
    """Show the embedding models; `use`, `download` or `export` one of them.

    A NAME is one of those listed, `auto`, `none`, a folder, or a hub's owner/name.
    """
    if context.invoked_subcommand is not None:
        return
    from sui_memory.config import load_settings

    settings = load_settings()
    chosen, listed = _listed(settings, _stored(settings))
    if as_json:
        print_json({"chosen": settings.model, "resolved": chosen, "models": [_as_json(e) for e in listed]})
        return
    _print(listed)
    click.echo(f"\nThe settings choose {settings.model}" + (f", here {chosen}." if chosen else "."))


@model_command.command("use", short_help="Choose a model and make its vectors.")
@click.argument("name")
@click.option("--wait", is_flag=True, help="Return when all vectors are made.")
def use_command(name: str, wait: bool) -> None:
    """Choose the model NAME and give the archive its vectors; until they are complete the old ones serve."""
    from sui_memory.app import open_app
    from sui_memory.cli.embedding import embed_or_leave, tell_estimate
    from sui_memory.config import load_settings
    from sui_memory.embedding import resolve

    settings = load_settings()
    model = resolve(name, models_dir=settings.models_dir)
    _require_usable(model)
    with open_app(settings) as app:
        if model is not None:
            app.embedder(model.model_id)  # what cannot be loaded is not chosen
        app.settings = _save(settings, str(Path(name).expanduser().resolve()) if _is_path(name) else name)
        if _is_overruled(name, app.settings.model):
            return
        if model is None:
            click.echo("Memories are now found by words and parts of words only.", err=True)
            return
        tell_estimate(app, model)
        click.echo(f"The model chosen is {model.model_id}.", err=True)
        made = embed_or_leave(app, wait=wait)
        if made:
            click.echo(f"{made:,} vectors were made.", err=True)
        elif not app.backlog():
            click.echo("The archive already had its vectors.", err=True)


@model_command.command("embed", short_help="Make the vectors that are missing.")
@click.option("--background", is_flag=True, help="Say nothing and yield to everything else on the machine.")
def embed_command(background: bool) -> None:
    """Give the archive the vectors that the chosen model still lacks; stopping it loses nothing."""
    from sui_memory.cli.embedding import embed_archive

    if background:
        os.nice(19)
    with open_archive() as app:
        made = embed_archive(app)
    click.echo(f"{made:,} vectors were made.", err=True)


@model_command.command("download", short_help="Download a model from its hub.")
@click.argument("name")
def download_command(name: str) -> None:
    """Download the model NAME from its hub, and say how long the archive would take with it."""
    from sui_memory.app import open_app
    from sui_memory.cli.embedding import tell_estimate
    from sui_memory.config import load_settings
    from sui_memory.embedding import resolve
    from sui_memory.embedding.download import download

    settings = load_settings()
    with _downloading(name) as on_progress:
        folder = download(name, models_dir=settings.models_dir, progress=on_progress)
    click.echo(str(folder))
    model = resolve(name, models_dir=settings.models_dir)
    if model is not None and model.usable and settings.database.exists():
        with open_app(settings) as app:
            tell_estimate(app, model)
    click.echo(f"Run `sui-memory model use {name}` to use it.", err=True)


@model_command.command("export", short_help="Convert a model: faster, smaller, no torch.")
@click.argument("name")
def export_command(name: str) -> None:
    """Convert the model NAME once to int8 on onnxruntime: a third of the time and memory, no torch."""
    from sui_memory.config import load_settings
    from sui_memory.embedding.export import export_model
    from sui_memory.embedding.weights import EXPORT_SUFFIX

    folder, cosine = export_model(
        name,
        models_dir=load_settings().models_dir,
        on_start=lambda model: click.echo(f"Converting {model}; this takes a minute or more.", err=True),
    )
    click.echo(str(folder))
    click.echo(
        f"Its vectors agree with the original's (least cosine {cosine:.4f}); "
        f"run `sui-memory model use {name}{EXPORT_SUFFIX}` to use it.",
        err=True,
    )


@dataclass(frozen=True, slots=True)
class _Listed:
    """A model as listed: what it is, whether it is chosen, and its vectors in the archive, if any."""

    info: ModelInfo | None
    row: ModelRow | None
    chosen: bool

    @property
    def name(self) -> str:
        """What a user types; the id when nothing else is known."""
        return self.info.name if self.info else self.row.model_id if self.row else ""


def _stored(settings: Settings) -> Sequence[ModelRow]:
    """Return what the archive has of each model; where there is no archive yet, none is made."""
    from sui_memory.app import open_app

    if not settings.database.exists():
        return ()
    with open_app(settings) as app:
        return app.store.models()


def _listed(settings: Settings, rows: Sequence[ModelRow]) -> tuple[str | None, list[_Listed]]:
    """Return the id that the settings mean here, and every model that is known or has vectors."""
    from sui_memory.embedding import available, resolve
    from sui_memory.errors import ModelError

    try:
        chosen = resolve(settings.model, models_dir=settings.models_dir)
    except ModelError as error:
        click.echo(str(error), err=True)
        chosen = None
    known = {info.model_id: info for info in available(settings.models_dir)}
    if chosen:
        known.setdefault(chosen.model_id, chosen)
    stored = {row.model_id: row for row in rows}
    chosen_id = chosen.model_id if chosen else None
    return chosen_id, [
        _Listed(known.get(model_id), stored.get(model_id), model_id == chosen_id)
        for model_id in dict.fromkeys([*known, *stored])
    ]


def _as_json(listed: _Listed) -> dict[str, Any]:
    info, row = listed.info, listed.row
    return {
        "name": listed.name,
        "model_id": info.model_id if info else listed.name,
        "dim": (info.dim if info else row.dim if row else 0) or None,
        "installed": bool(info and info.installed),
        "at_hand": bool(info and info.at_hand),
        "bytes": info.size if info else None,
        "note": info.note if info else None,
        "chosen": listed.chosen,
        "active": bool(row and row.active),
        "vectors": row.vectors if row else 0,
        "pending": row.pending if row else None,
    }


def _print(listed: Sequence[_Listed]) -> None:
    from rich.filesize import decimal

    rows = []
    for each in listed:
        info, row = each.info, each.row
        marks = [
            name
            for name, is_set in {"chosen": each.chosen, "active": bool(row and row.active)}.items()
            if is_set
        ]
        rows.append(
            (
                each.name,
                _state(info),
                decimal(info.size) if info and info.size else "",
                f"{row.vectors:,}" if row else "",
                " ".join(marks),
                info.note if info else "",
            )
        )
    print_table(
        ("model", "state", "size", "vectors", "in use", "what it is"), rows, right=("size", "vectors")
    )


def _state(info: ModelInfo | None) -> str:
    if info is None:
        return "unknown"
    return "ready" if info.usable else f"not {info.lack}"


def _require_usable(model: ModelInfo | None) -> None:
    from sui_memory.errors import ModelError

    if model is not None and not model.usable:
        raise ModelError(f"The model {model.name} is not {model.lack} here: {model.remedy}.")


def _is_path(name: str) -> bool:
    return name.startswith(("/", "~", ".")) or (os.sep in name and Path(name).is_dir())


def _save(settings: Settings, name: str) -> Settings:
    from sui_memory.config import save_setting
    from sui_memory.errors import SettingsError

    try:
        return save_setting(settings, "model", name)
    except OSError as error:
        raise SettingsError(
            f"{settings.config_file} cannot be written ({error.strerror}): make its folder writable."
        ) from error


def _is_overruled(*names: str) -> bool:
    """Say so when the environment names another model: vectors of this one would be of no use yet."""
    forced = os.environ.get("SUI_MEMORY_MODEL")
    if not forced or forced in names:
        return False
    click.echo(f"SUI_MEMORY_MODEL={forced} in the environment still wins: unset it.", err=True)
    return True


@contextmanager
def _downloading(name: str) -> Iterator[Any]:
    """Show progress by bytes, when somebody looks."""
    if not is_talkative():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda here, total: bar.update(task, completed=here, total=total)
