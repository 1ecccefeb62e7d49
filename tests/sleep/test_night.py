"""A night over a real archive: exactly what the plan says, at once or not at all, and undoable."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sui_memory.app import App
from sui_memory.sleep import apply, is_bedtime, look
from sui_memory.store.kept import Kinds, Rest
from tests.archive.workbench import TALK, Workbench
from tests.sleep.notes import NOW, contents, fill


def test_a_night_changes_exactly_what_the_rules_say(app: App) -> None:
    ids = fill(app)
    before = app.store.kept.notes(list(ids.values()))
    apply(look(app.store, NOW), app.store, app.analyzer)
    after = app.store.kept.notes(list(ids.values()))
    changed = {what for what, name in ids.items() if before[name] != after[name]}
    assert changed == {"merged, one", "merged, other", "fades", "goes"}
    assert after[ids["fades"]].importance == 2
    assert after[ids["goes"]].rest is Rest.FORGOTTEN
    assert {after[ids[f"merged, {one}"]].rest for one in ("one", "other")} == {Rest.MERGED}


def test_a_summary_is_a_kept_memory_with_its_sources(app: App) -> None:
    ids = fill(app)
    plan = look(app.store, NOW)
    apply(plan, app.store, app.analyzer)
    (summary,) = [memory for memory in app.store.kept.recent(limit=99) if memory.note.sources]
    assert set(summary.note.sources) == {ids["merged, one"], ids["merged, other"]}
    assert summary.memory.exchange == plan.merged[0].summary
    assert summary.id in {hit.memory.id for hit in app.search("浮標").hits}
    assert ids["merged, one"] not in {hit.memory.id for hit in app.search("浮標").hits}


def test_looking_changes_nothing(app: App) -> None:
    fill(app)
    before = contents(app.settings.database)
    assert not look(app.store, NOW).is_empty
    assert contents(app.settings.database) == before


def test_a_second_run_finds_nothing_left(app: App) -> None:
    fill(app)
    apply(look(app.store, NOW), app.store, app.analyzer)
    assert look(app.store, NOW).is_empty
    assert look(app.store, NOW + timedelta(hours=1)).rested
    assert look(app.store, NOW + timedelta(hours=1)).is_empty


def test_the_next_night_memories_fade_on(app: App) -> None:
    ids = fill(app)
    for night in range(3):
        apply(look(app.store, NOW + timedelta(days=night)), app.store, app.analyzer)
    notes = app.store.kept.notes([ids["fades"]])
    assert notes[ids["fades"]].importance == 1


def test_a_run_in_a_night_that_has_had_its_fading_does_not_put_off_the_next(app: App) -> None:
    fill(app)
    apply(look(app.store, NOW), app.store, app.analyzer)
    apply(look(app.store, NOW + timedelta(hours=12)), app.store, app.analyzer)
    assert app.store.kept.slept_at() == NOW


def test_what_is_at_rest_comes_back(app: App) -> None:
    ids = fill(app)
    apply(look(app.store, NOW), app.store, app.analyzer)
    assert app.store.kept.wake([ids["goes"], ids["merged, one"]]) == 2
    assert ids["goes"] in {memory.id for memory in app.store.kept.recent(Kinds(), 99)}


def test_archived_exchanges_are_never_touched(app: App, tmp_path: Path) -> None:
    bench = Workbench(app, tmp_path / "transcripts")
    bench.archive(TALK.records())
    before = bench.all()
    apply(look(app.store, NOW + timedelta(days=4_000)), app.store, app.analyzer)
    assert bench.all() == before


BEDTIMES = [
    (None, 12, True),
    (9, 3, False),
    (18, 3, True),
    (18, 1, True),
    (18, 0, False),
    (18, 6, False),
    (23, 12, False),
    (24, 12, True),
]


@pytest.mark.parametrize(("hours_ago", "hour", "is_time"), BEDTIMES)
def test_it_is_bedtime_once_a_night_or_after_a_missed_one(
    hours_ago: int | None, hour: int, is_time: bool
) -> None:
    now = datetime(2026, 11, 30, hour, 30, tzinfo=UTC)
    slept_at = None if hours_ago is None else now - timedelta(hours=hours_ago)
    assert is_bedtime(now, slept_at) is is_time
