"""A bar on stderr for whoever waits, and nothing for a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sui_memory.cli.common import is_talkative

Progress = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is, and how much there is."""


@contextmanager
def progress() -> Iterator[Progress]:
    """Give a function to report progress to; one bar for each kind of work."""
    if not is_talkative():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what)
            bars.update(tasks[what], completed=done, total=total)

        yield show
