from __future__ import annotations

from sui_memory.daemon.invocation import Invocation
from sui_memory.daemon.sessions import Sessions


def test_the_second_handler_of_one_prompt_is_noticed():
    sessions = Sessions()

    assert [sessions.is_repeated("a", "p1", at) for at in (0.0, 0.01)] == [False, True]


def test_two_sessions_may_ask_the_same():
    sessions = Sessions()

    assert not sessions.is_repeated("a", "p1", 0.0)
    assert not sessions.is_repeated("b", "p1", 0.0)


def test_the_same_words_may_be_asked_again_later():
    sessions = Sessions()
    sessions.is_repeated("a", "p1", 0.0)

    assert not sessions.is_repeated("a", "p1", 60.0)


def test_what_a_session_was_shown_is_forgotten_when_it_is_compacted():
    sessions = Sessions()
    sessions.show("a", ["m1", "m2"])
    sessions.show("b", ["m1"])
    sessions.compact("a")

    assert sessions.shown("a") == frozenset()
    assert sessions.shown("b") == {"m1"}


def test_how_a_session_was_started_holds_for_its_process_alone():
    sessions = Sessions()
    sessions.begin("a", 1, Invocation(ephemeral=True))

    assert sessions.invocation("a", 1) == Invocation(ephemeral=True)
    assert sessions.invocation("a", 2) is None  # resumed by another process, perhaps with another wish


def test_the_number_of_sessions_in_memory_is_bounded():
    sessions = Sessions()
    sessions.show("first", ["m1"])
    for number in range(2_000):
        sessions.show(str(number), ["m1"])

    assert sessions.shown("first") == frozenset()
    assert sessions.shown("1999") == {"m1"}
