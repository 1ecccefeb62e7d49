"""What a new session may be told of how the last ones of its project ended."""

from datetime import timedelta

from sui_memory.recall import opening
from sui_memory.types import Branch, Status
from tests.recall.conftest import NOW


def opened(archive, project="/p", **options):
    return [memory.exchange.key for memory in opening(project, store=archive.store, now=NOW, **options)]


def add(archive, key, session, *, days=1.0, **fields):
    archive.add(
        f"{key} の件", "はい。", key=key, session=session, asked_at=NOW - timedelta(days=days), **fields
    )


def test_without_a_project_or_an_archive_there_is_nothing_to_tell(empty):
    assert opened(empty, None) == []
    assert opened(empty) == []


def test_the_last_exchanges_of_the_last_two_sessions_are_told_the_latest_first(empty):
    add(empty, "first", "a", days=3)
    add(empty, "second", "a", days=2.9)
    add(empty, "third", "b", days=2)
    add(empty, "fourth", "c", days=1)
    assert opened(empty) == ["fourth", "third"]


def test_what_was_cut_off_comes_before_what_was_done(empty):
    add(empty, "cut", "a", days=3, status=Status.INTERRUPTED)
    add(empty, "unanswered", "b", days=2, status=Status.UNANSWERED)
    add(empty, "done", "c", days=1)
    assert opened(empty) == ["unanswered", "cut"]


def test_what_was_cut_off_and_then_went_on_is_not_open(empty):
    add(empty, "cut", "a", days=3, status=Status.INTERRUPTED)
    add(empty, "done", "a", days=2)
    assert opened(empty) == ["done"]


def test_nothing_older_than_two_weeks_is_told(empty):
    add(empty, "old", "a", days=15)
    assert opened(empty) == []


def test_other_projects_programs_and_abandoned_branches_are_left_out(empty):
    add(empty, "other", "a", project="/q")
    add(empty, "auto", "b", auto=True)
    add(empty, "rewound", "c", branch=Branch.ABANDONED)
    assert opened(empty) == []


def test_what_is_muted_is_left_out(empty):
    add(empty, "muted", "a")
    empty.store.mute(empty.store.find("")[0], muted=True)
    assert opened(empty) == []


def test_a_session_that_goes_on_is_not_told_its_own_end(empty):
    add(empty, "own", "mine", days=1)
    add(empty, "other", "b", days=2)
    assert opened(empty, session="mine") == ["other"]


def test_no_more_than_the_limit_is_told(empty):
    for number in range(3):
        add(empty, f"k{number}", f"s{number}", days=number + 1)
    assert opened(empty, limit=1) == ["k0"]
