"""The daemon sleeps when it is switched on, when nobody asks, and once a night."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sui_memory.app import open_app
from sui_memory.config import Settings
from sui_memory.daemon.archivist import Archivist
from sui_memory.daemon.hold import Hold
from sui_memory.daemon.place import Place
from sui_memory.daemon.quiet import Quiet
from sui_memory.store.kept import Slept
from tests.daemon.workbench import Daemon, until
from tests.sleep.notes import contents, fill


@contextmanager
def archivist(settings: Settings) -> Iterator[Archivist]:
    place = Place(settings.home)
    assert place.take()
    listener = place.listen()
    worker = Archivist(Hold(settings, lambda _: None, place), Quiet())
    worker.start()
    try:
        yield worker
    finally:
        assert worker.stop(30)
        assert not worker.has_ended
        listener.close()
        place.leave()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    settings = Settings(home=tmp_path / "home", model="none", sleep=True)
    with open_app(settings) as app:
        fill(app)
    return settings


def slept_at(settings: Settings) -> datetime | None:
    with open_app(settings) as app:
        return app.store.kept.slept_at()


def test_an_idle_daemon_that_has_missed_a_night_sleeps_and_looks_again_later(settings: Settings) -> None:
    with archivist(settings) as worker:
        worker.sleep_when_idle(0)
        until(lambda: slept_at(settings) is not None and worker.doing == "nothing")
        assert worker.waiting >= 1
    with open_app(settings) as app:
        assert app.store.kept.counts()["resting"] == 3


def test_it_does_not_sleep_twice(settings: Settings) -> None:
    with open_app(settings) as app:
        app.store.kept.sleep(Slept(at=datetime.now(UTC) - timedelta(hours=1)))
    before = contents(settings.database)
    with archivist(settings) as worker:
        worker.sleep_when_idle(0)
        worker.embed()  # what is done after it
        until(lambda: worker.doing == "nothing" and worker.waiting == 1)
    assert contents(settings.database) == before


def test_whoever_asks_puts_it_off(settings: Settings) -> None:
    with archivist(settings) as worker:
        worker.sleep_when_idle(60)
        worker.sleep_when_idle()
        assert worker.waiting == 1
    assert slept_at(settings) is None


@pytest.mark.parametrize(("switch", "waiting"), [("true", 1), ("false", 0)])
def test_only_a_daemon_that_is_told_to_has_a_night_ahead(tmp_path: Path, switch: str, waiting: int) -> None:
    daemon = Daemon(tmp_path, SUI_MEMORY_SLEEP=switch)
    daemon.start()
    try:
        until(lambda: daemon.status()["waiting"] == waiting and daemon.status()["doing"] == "nothing")
        assert daemon.complaints == ""
    finally:
        daemon.kill()
