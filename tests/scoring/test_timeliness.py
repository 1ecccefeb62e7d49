"""What was said when the prompt says that it was said gains; what was said long before or after does not."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.scoring import closeness, timely

START = datetime(2026, 5, 4, tzinfo=UTC)
STOP = START + timedelta(days=7)
MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))


def test_every_moment_of_the_span_is_as_close_as_can_be():
    assert closeness(START, START, STOP) == closeness(STOP - timedelta(seconds=1), START, STOP) == 1


@pytest.mark.parametrize("away", [timedelta(weeks=1), timedelta(weeks=3)])
def test_closeness_halves_with_every_length_of_the_span_on_either_side(away: timedelta):
    expected = 0.5 ** (away / timedelta(weeks=1))
    assert closeness(START - away, START, STOP) == pytest.approx(expected)
    assert closeness(STOP + away, START, STOP) == pytest.approx(expected)


def test_a_day_beside_a_single_day_is_still_close():
    assert closeness(START - timedelta(days=1), START, START + timedelta(days=1)) > 0.6


def test_what_has_no_date_was_not_said_then():
    assert closeness(None, START, STOP) == 0


@given(MOMENTS, st.floats(0, 1))
def test_a_score_stays_between_0_and_1(moment: datetime, score: float):
    assert 0 <= timely(score, closeness(moment, START, STOP)) <= 1
