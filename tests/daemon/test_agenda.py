from __future__ import annotations

import threading

from sui_memory.daemon.agenda import Agenda


def test_things_are_done_in_the_order_they_are_due():
    agenda = Agenda()
    agenda.add("later", 0.02)
    agenda.add("now")

    assert [agenda.next(), agenda.next()] == ["now", "later"]


def test_a_thing_asked_for_twice_is_done_once():
    agenda = Agenda()
    for _ in range(3):
        agenda.add("sweep")

    assert agenda.next() == "sweep"
    assert len(agenda) == 0


def test_a_thing_asked_for_again_waits_for_its_new_time():
    agenda = Agenda()
    agenda.add("read")
    agenda.add("read", 60)

    assert not agenda.is_due()


def test_whoever_waits_is_woken_by_something_new():
    agenda = Agenda()
    taken = []
    waiting = threading.Thread(target=lambda: taken.append(agenda.next()))
    waiting.start()
    agenda.add("embed")
    waiting.join(10)

    assert taken == ["embed"]


def test_a_closed_agenda_gives_nothing_away():
    agenda = Agenda()
    agenda.add("sweep")
    agenda.close()

    assert agenda.next() is None
    assert agenda.is_closed
