"""A real archive with the model for tests, a clock that a test sets, and the mind on it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from sui_memory.app import open_app
from sui_memory.config import Settings
from sui_memory.types import Exchange, Indexed, Memory

NOW = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)


class World:
    """An open archive and its mind. The clock ticks a second each time that it is read."""

    def __init__(self) -> None:
        self.now = NOW

    def clock(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def pass_time(self, **time: float) -> None:
        self.now += timedelta(**time)

    def talk(self, *turns: tuple[str, str], session: str = "talk") -> list[str]:
        """Archive a conversation and return the ids of its exchanges."""
        pairs = []
        for question, answer in turns:
            key = uuid4().hex
            exchange = Exchange(key, key, session, "/p", question, answer, asked_at=self.clock())
            cut = self.app.tools.cut(exchange, self.app.analyzer)
            pairs.append((Memory(exchange), Indexed(exchange, cut)))
        self.app.store.restore(pairs)
        return [memory.id for memory, _ in pairs]

    def keep_crowd(self, count: int = 40) -> list[str]:
        """Keep notes of words of their own, so that chance can tell what is alike, with vectors."""
        ids = [self.mind.remember(f"alpha{n} beta{n * 7} gamma{n * 13}").id for n in range(count)]
        self.app.embed()
        return ids


@pytest.fixture
def world(tmp_path):
    world = World()
    with open_app(Settings(tmp_path / "home", model="fake"), clock=world.clock) as app:
        world.app, world.mind, world.kept = app, app.mind, app.store.kept
        yield world


@pytest.fixture
def mind(world):
    return world.mind
