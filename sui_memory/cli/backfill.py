"""`sui-memory backfill [PATH…]`: archive every transcript."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sui_memory.cli.common import is_talkative, json_option, print_json

if TYPE_CHECKING:
    from sui_memory.archive import Report


@click.command("backfill")
@click.argument("names", nargs=-1, metavar="[PATH]...")
@click.option("--dry-run", is_flag=True, help="Read and count, but store nothing.")
@click.option("--workers", type=click.IntRange(0, 64), help="Processes that read (default: one a core).")
@click.option("--wait", is_flag=True, help="Return when all vectors are made, too.")
@click.option("--no-embed", is_flag=True, help="Make no vectors now; words can be searched all the same.")
@json_option
def backfill_command(
    names: tuple[str, ...], dry_run: bool, workers: int | None, wait: bool, no_embed: bool, as_json: bool
) -> None:
    """Archive the transcripts below PATHs, by default all that Claude Code keeps.

    Run it as often as you like: only what is new is read. Many vectors are left to a background process.
    """
    from sui_memory.app import open_app
    from sui_memory.cli.embedding import embed_or_leave
    from sui_memory.config import load_settings

    if "" in names:
        raise click.UsageError("A PATH is empty: name a folder, or `.` for this one.")
    paths = tuple(Path(name) for name in names)
    with open_app(load_settings()) as app:
        with reading() as on_progress:
            report = app.sync(
                [Path(path) for path in paths], workers=workers, dry_run=dry_run, on_progress=on_progress
            )
        if as_json:
            print_json(report.to_json())
        else:
            click.echo(summary(report, dry_run=dry_run))
        if not dry_run and not no_embed:
            embed_or_leave(app, wait=wait)
    if report.is_empty:
        raise click.ClickException(_nothing(report, paths))


def _nothing(report: Report, paths: tuple[Path, ...]) -> str:
    """Say that no conversation was found, and what was there instead."""
    where = ", ".join(map(str, paths)) or "the folder where Claude Code keeps its transcripts"
    others = report.passed_over.total() + report.files - len(report.examples)
    found = ", ".join(report.examples) + (f" and {others:,} more" if others > 0 else "")
    return f"No conversation of Claude Code in {where}" + (f"; found {found}." if found else ".")


def summary(report: Report, *, dry_run: bool = False) -> str:
    """Return what a backfill did, for a person: what was read, stored, and passed over and why."""
    speed = report.bytes / 1e6 / report.seconds if report.seconds else 0.0
    stored = "would be stored" if dry_run else "stored"
    lines = [
        f"Read {report.files:,} files, {report.bytes / 1e6:,.1f} MB "
        f"in {report.seconds:.1f} s ({speed:.0f} MB/s).",
        f"Exchanges {stored}: {report.new:,} new, {report.updated:,} updated, "
        f"{report.unchanged:,} unchanged.",
        f"Records: {report.used:,} used, {report.skipped.total():,} skipped"
        + (f" ({_most(report.skipped)})." if report.skipped else "."),
    ]
    if report.redactions:
        lines.append(f"Secrets masked: {report.redactions:,}.")
    if report.passed_over.total():
        lines.append(f"Files passed over: {_most(report.passed_over)}.")
    return "\n".join([*lines, *report.problems])


def _most(counts: Any) -> str:
    shown = [f"{name} {count:,}" for name, count in counts.most_common(8) if count]
    rest = len([count for count in counts.values() if count]) - len(shown)
    return ", ".join(shown) + (f" and {rest} kinds more" if rest > 0 else "")


@contextmanager
def reading() -> Iterator[Any]:
    """Show progress by bytes, when somebody looks."""
    if not is_talkative():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[files]} files, {task.fields[exchanges]} exchanges"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("read", files=0, exchanges=0, total=None)
        yield lambda step: bar.update(
            task, completed=step.bytes, total=step.all_bytes, files=step.files, exchanges=step.exchanges
        )
