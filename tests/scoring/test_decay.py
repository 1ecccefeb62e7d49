"""Decay: of two like memories the newer, and an old exact one before a fresh vague one."""

from datetime import UTC, datetime, timedelta

import pytest

from sui_memory.scoring.decay import BONUS, decayed, freshness

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def fresh(days: float) -> float:
    return freshness(NOW - timedelta(days=days), NOW)


@pytest.mark.parametrize(("days", "expected"), [(0, 1.0), (30, 0.5), (60, 0.25), (300, 2**-10)])
def test_freshness_halves_every_thirty_days(days, expected):
    assert fresh(days) == pytest.approx(expected)


def test_a_memory_without_a_date_is_not_fresh():
    assert freshness(None, NOW) == 0.0


def test_a_memory_of_tomorrow_is_as_fresh_as_one_of_now():
    assert fresh(-1) == 1.0


def test_of_two_like_memories_the_newer_one_wins():
    assert decayed(0.8, fresh(1)) > decayed(0.8, fresh(200))


def test_an_old_exact_answer_beats_a_fresh_vague_one():
    assert decayed(0.9, fresh(500)) > decayed(0.8, fresh(0))


def test_the_bonus_never_decides_over_more_than_its_size():
    assert decayed(0.5 + 2 * BONUS, fresh(10_000)) > decayed(0.5, fresh(0))


@pytest.mark.parametrize("mode", ["bonus", "factor", "off"])
def test_scores_stay_between_0_and_1(mode):
    assert all(
        0 <= decayed(score, fresh(days), mode) <= 1 for score in (0.0, 0.3, 1.0) for days in (0, 40, 900)
    )


def test_the_pure_factor_and_no_decay_can_be_chosen():
    assert decayed(0.8, fresh(30), "factor") == pytest.approx(0.4)
    assert decayed(0.8, fresh(30), "off") == 0.8
